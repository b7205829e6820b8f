/* wire.h: every packet that comes in by one interface, as one line each. */
#ifndef EGRESSFW_TESTS_WIRE_H
#define EGRESSFW_TESTS_WIRE_H

#include <stdio.h>

enum {
	WIRE_MARK_ETHERTYPE = 0x88b5, /* IEEE local experimental: frames that carry a mark of the test */
};

/* A packet socket that takes only what `interface` receives; exits with a message when it cannot. */
int wire_open(const char *interface);

/*
 * Reads one frame and writes one line:
 * `packet PROTOCOL SOURCE SPORT DESTINATION DPORT FLAGS LENGTH DATA`, `other ETHERTYPE`, or
 * `mark NUMBER`. DATA is the number of bytes behind the header of TCP or UDP, else 0. FLAGS are of TCP (letters) or `type=N` of ICMP, else "-"; a later fragment has the protocol `fragment`.
 */
void wire_read(int descriptor, FILE *log);

/* Sends a frame with the number, below every filter. */
void wire_mark(const char *interface, unsigned number);

#endif
