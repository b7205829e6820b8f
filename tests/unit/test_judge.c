/* test_judge.c: the measured ways out of a uid firewall, as packets with their verdicts. */
#include "packet_sketch.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>

static const struct {
	const char *what;
	const char *ruleset; /* of the fixtures */
	struct sketch packet;
	enum judgement expected;
	bool marked; /* afterwards */
} ways[] = {
	/* Plain sockets of the user. */
	{ "TCP", "no-network", { USER, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "TCP over IPv6", "no-network",
	  { USER, TCP, "2001:db8::1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "data in the SYN", "no-network",
	  { USER, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "data of an old connection", "no-network",
	  { USER, TCP, "198.51.100.1", 443, ACK, 0 }, JUDGED_RESET, false },
	{ "UDP", "no-network", { USER, UDP, "198.51.100.1", 53, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "UDP over IPv6", "no-network",
	  { USER, UDP, "2001:db8::1", 53, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "UDP-Lite", "no-network",
	  { USER, IPPROTO_UDPLITE, "198.51.100.1", 53, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "SCTP", "no-network",
	  { USER, IPPROTO_SCTP, "198.51.100.1", 9, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "DCCP", "no-network",
	  { USER, IPPROTO_DCCP, "198.51.100.1", 9, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "a protocol nobody knows", "no-network",
	  { USER, 253, "198.51.100.1", 0, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "ping", "no-network", { USER, ICMP, "198.51.100.1", 0, 8, 0 }, JUDGED_PROHIBITED, false },
	{ "ping over IPv6", "no-network",
	  { USER, ICMP6, "2001:db8::1", 0, 128, 0 }, JUDGED_PROHIBITED, false },
	{ "a forged neighbour advertisement", "no-network",
	  { USER, ICMP6, "fe80::1", 0, 136, 0 }, JUDGED_PROHIBITED, false },
	{ "multicast", "no-network",
	  { USER, UDP, "224.0.0.251", 5353, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "broadcast", "no-network",
	  { USER, UDP, "255.255.255.255", 67, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "a subordinate uid", "no-network",
	  { SUBORDINATE, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "bound to lo", "no-network",
	  { USER, TCP, "198.51.100.1", 443, SYN, TO_LO }, JUDGED_RESET, false },
	{ "own address by way of lo", "no-network",
	  { USER, TCP, "192.0.2.1", 8080, SYN, TO_LO | LOCAL }, JUDGED_RESET, false },
	{ "own address, opened", "own-addresses",
	  { USER, TCP, "192.0.2.1", 8080, SYN, TO_LO | LOCAL }, JUDGED_ACCEPT, false },
	{ "own address, its resolver", "own-addresses",
	  { USER, UDP, "192.0.2.1", 53, 0, TO_LO | LOCAL }, JUDGED_PROHIBITED, false },
	{ "not an own address", "own-addresses",
	  { USER, TCP, "192.0.2.1", 8080, SYN, TO_LO }, JUDGED_RESET, false },
	{ "IGMP join", "no-network",
	  { NOBODY, IPPROTO_IGMP, "224.0.0.22", 0, 0, 0 }, JUDGED_ACCEPT, false },
	{ "IGMP by a raw socket", "no-network",
	  { USER, IPPROTO_IGMP, "224.0.0.22", 0, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "MLD join", "no-network",
	  { NOBODY, ICMP6, "ff02::16", 0, 143, 0 }, JUDGED_ACCEPT, false },
	/* Loopback is a road. */
	{ "engine's resolver, TCP", "no-network",
	  { USER, TCP, "127.0.0.11", 53, SYN, TO_LO }, JUDGED_RESET, false },
	{ "engine's resolver, UDP", "no-network",
	  { USER, UDP, "127.0.0.11", 53, 0, TO_LO }, JUDGED_PROHIBITED, false },
	{ "engine's resolver, its real port", "no-network",
	  { USER, UDP, "127.0.0.11", 34567, 0, TO_LO }, JUDGED_PROHIBITED, false },
	{ "engine's resolver, ping", "no-network",
	  { USER, ICMP, "127.0.0.11", 0, 8, TO_LO }, JUDGED_PROHIBITED, false },
	{ "stub resolver", "no-network",
	  { USER, UDP, "127.0.0.53", 53, 0, TO_LO }, JUDGED_PROHIBITED, false },
	{ "resolver, TCP", "no-network",
	  { USER, TCP, "127.0.0.1", 53, SYN, TO_LO }, JUDGED_RESET, false },
	{ "resolver over TLS", "no-network",
	  { USER, TCP, "127.0.0.1", 853, SYN, TO_LO }, JUDGED_RESET, false },
	{ "multicast resolver", "no-network",
	  { USER, UDP, "127.0.0.1", 5353, 0, TO_LO }, JUDGED_PROHIBITED, false },
	{ "resolver over IPv6", "no-network",
	  { USER, UDP, "::1", 53, 0, TO_LO }, JUDGED_PROHIBITED, false },
	{ "nat turned loopback into outside", "no-network",
	  { USER, TCP, "198.51.100.1", 443, SYN, TO_LO }, JUDGED_RESET, false },
	{ "nat turned outside into loopback", "no-network",
	  { USER, TCP, "127.0.0.1", 3128, SYN, 0 }, JUDGED_RESET, false },
	{ "a service on loopback", "no-network",
	  { USER, TCP, "127.0.0.1", 8080, SYN, TO_LO }, JUDGED_ACCEPT, false },
	{ "a service on loopback, UDP, IPv6", "no-network",
	  { USER, UDP, "::1", 8080, 0, TO_LO }, JUDGED_ACCEPT, false },
	{ "ping of loopback", "no-network",
	  { USER, ICMP, "127.0.0.1", 0, 8, TO_LO }, JUDGED_ACCEPT, false },
	/* Loopback as a list of ports. */
	{ "a listed port", "loopback-ports",
	  { USER, TCP, "127.0.0.1", 8080, SYN, TO_LO }, JUDGED_ACCEPT, false },
	{ "a listed port, UDP, IPv6", "loopback-ports",
	  { USER, UDP, "::1", 9010, 0, TO_LO }, JUDGED_ACCEPT, false },
	{ "another port", "loopback-ports",
	  { USER, TCP, "127.0.0.1", 8081, SYN, TO_LO }, JUDGED_RESET, false },
	{ "another port, UDP", "loopback-ports",
	  { USER, UDP, "::1", 9011, 0, TO_LO }, JUDGED_PROHIBITED, false },
	{ "a server's answer", "loopback-ports",
	  { USER, TCP, "127.0.0.1", 45000, SYN | ACK, TO_LO | REPLY }, JUDGED_ACCEPT, false },
	{ "a server's answer, data", "loopback-ports",
	  { USER, TCP, "::1", 45000, ACK, TO_LO | REPLY }, JUDGED_ACCEPT, false },
	{ "a SYN as an answer", "loopback-ports",
	  { USER, TCP, "127.0.0.3", 9999, SYN, TO_LO | REPLY }, JUDGED_RESET, false },
	{ "a SYN as an answer to somebody else", "loopback-ports",
	  { USER, TCP, "127.0.0.3", 9999, SYN, TO_LO | REPLY | MARKED }, JUDGED_RESET, false },
	{ "a SYN as an answer, to a listed port", "loopback-ports",
	  { USER, TCP, "127.0.0.1", 8080, SYN, TO_LO | REPLY }, JUDGED_RESET, false },
	{ "a datagram as an answer", "loopback-ports",
	  { USER, UDP, "127.0.0.3", 9999, 0, TO_LO | REPLY }, JUDGED_PROHIBITED, false },
	{ "a datagram as an answer, IPv6", "loopback-ports",
	  { USER, UDP, "::1", 9999, 0, TO_LO | REPLY }, JUDGED_PROHIBITED, false },
	{ "a datagram to somebody else's client", "loopback-ports",
	  { USER, UDP, "127.0.0.1", 45000, 0, TO_LO | REPLY | MARKED }, JUDGED_ACCEPT, true },
	{ "a listed port, marked by another table", "loopback-ports",
	  { USER, UDP, "127.0.0.1", 8080, 0, TO_LO | MARKED }, JUDGED_ACCEPT, false },
	{ "a subordinate uid, a listed port, marked by another table", "loopback-ports",
	  { SUBORDINATE, UDP, "::1", 8080, 0, TO_LO | MARKED }, JUDGED_ACCEPT, false },
	{ "closed in, a listed port, marked by another table", "closing",
	  { 1600, UDP, "127.0.0.1", 3128, 0, TO_LO | MARKED }, JUDGED_ACCEPT, false },
	{ "closed in, a datagram as an answer", "closing",
	  { 1600, UDP, "127.0.0.1", 9999, 0, TO_LO | REPLY }, JUDGED_PROHIBITED, false },
	{ "a datagram that begins, marked", "loopback-ports",
	  { USER, UDP, "127.0.0.1", 45000, 0, TO_LO | MARKED }, JUDGED_PROHIBITED, false },
	{ "SCTP as an answer, marked", "loopback-ports",
	  { USER, IPPROTO_SCTP, "127.0.0.1", 45000, 0, TO_LO | REPLY | MARKED },
	  JUDGED_PROHIBITED, false },
	{ "root begins on loopback", "loopback-ports",
	  { 0, UDP, "127.0.0.1", 8080, 0, TO_LO }, JUDGED_ACCEPT, true },
	{ "root answers on loopback", "loopback-ports",
	  { 0, UDP, "127.0.0.1", 45000, 0, TO_LO | REPLY }, JUDGED_ACCEPT, false },
	{ "root on loopback, untracked", "loopback-ports",
	  { 0, UDP, "127.0.0.1", 45000, 0, TO_LO | UNTRACKED }, JUDGED_ACCEPT, false },
	{ "ownerless on loopback, with a list", "loopback-ports",
	  { NOBODY, TCP, "127.0.0.1", 45000, RST, TO_LO | LOCAL }, JUDGED_ACCEPT, false },
	{ "an answer to a resolver's port", "loopback-ports",
	  { USER, UDP, "127.0.0.1", 53, 0, TO_LO | REPLY }, JUDGED_PROHIBITED, false },
	{ "a resolver's port", "loopback-ports",
	  { USER, UDP, "127.0.0.1", 53, 0, TO_LO }, JUDGED_PROHIBITED, false },
	{ "engine's resolver, a listed port", "loopback-ports",
	  { USER, TCP, "127.0.0.11", 8080, SYN, TO_LO }, JUDGED_RESET, false },
	{ "ping, with a list", "loopback-ports",
	  { USER, ICMP, "127.0.0.1", 0, 8, TO_LO }, JUDGED_ACCEPT, false },
	{ "ping over IPv6, with a list", "loopback-ports",
	  { USER, ICMP6, "::1", 0, 128, TO_LO }, JUDGED_ACCEPT, false },
	{ "SCTP, with a list", "loopback-ports",
	  { USER, IPPROTO_SCTP, "127.0.0.1", 8080, 0, TO_LO }, JUDGED_PROHIBITED, false },
	{ "untracked, with a list", "loopback-ports",
	  { USER, TCP, "127.0.0.1", 8080, SYN, TO_LO | UNTRACKED }, JUDGED_RESET, false },
	{ "an empty list", "loopback-none",
	  { USER, TCP, "127.0.0.1", 8080, SYN, TO_LO }, JUDGED_RESET, false },
	{ "an empty list, an answer", "loopback-none",
	  { USER, TCP, "127.0.0.1", 45000, ACK, TO_LO | REPLY }, JUDGED_ACCEPT, false },
	{ "an empty list, a SYN as an answer", "loopback-none",
	  { USER, TCP, "127.0.0.1", 45000, SYN, TO_LO | REPLY }, JUDGED_RESET, false },
	{ "nothing is marked: no datagram is an answer", "loopback-none",
	  { USER, UDP, "127.0.0.1", 45000, 0, TO_LO | REPLY | MARKED },
	  JUDGED_PROHIBITED, true },
	/* Pins. */
	{ "pinned", "allowlist", { USER, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "pinned, IPv6", "allowlist",
	  { USER, TCP, "2001:db8:1::1", 80, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "pinned, one of many users", "many-users",
	  { 2004, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "one of many users", "many-users",
	  { 2004, TCP, "198.51.101.1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "between many users", "many-users",
	  { 2003, TCP, "198.51.101.1", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "pinned, another port", "allowlist",
	  { USER, TCP, "203.0.113.5", 22, SYN, 0 }, JUDGED_RESET, false },
	{ "pinned, UDP", "allowlist",
	  { USER, UDP, "203.0.113.5", 443, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "pinned, ping", "allowlist",
	  { USER, ICMP, "203.0.113.5", 0, 8, 0 }, JUDGED_PROHIBITED, false },
	{ "pinned for other ports", "allowlist",
	  { USER, TCP, "2001:db8:2::1", 8010, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "pinned for other ports, these", "allowlist",
	  { USER, TCP, "2001:db8:2::1", 80, SYN, 0 }, JUDGED_RESET, false },
	{ "beside a pin", "allowlist",
	  { USER, TCP, "203.0.113.8", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "literal", "allowlist", { USER, TCP, "192.0.2.10", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "first of a prefix", "allowlist",
	  { USER, TCP, "198.51.100.0", 80, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "last of a prefix", "allowlist",
	  { USER, TCP, "198.51.100.255", 80, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "behind a prefix", "allowlist",
	  { USER, TCP, "198.51.101.0", 80, SYN, 0 }, JUDGED_RESET, false },
	{ "any port", "allowlist",
	  { USER, TCP, "192.0.2.95", 65535, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "any port but 0", "allowlist",
	  { USER, TCP, "192.0.2.95", 0, SYN, 0 }, JUDGED_RESET, false },
	{ "prefix of IPv6", "allowlist",
	  { USER, TCP, "2001:db8:5:ffff::1", 25, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "pinned, untracked", "allowlist",
	  { USER, TCP, "203.0.113.5", 443, SYN, UNTRACKED }, JUDGED_RESET, false },
	{ "pinned, nothing marked", "ownerless-pass",
	  { USER, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_ACCEPT, false },
	{ "pinned, nothing tracked", "ownerless-pass",
	  { USER, TCP, "203.0.113.5", 443, SYN, UNTRACKED }, JUDGED_ACCEPT, false },
	{ "lane", "lanes", { USER, TCP, "203.0.113.9", 8443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "lane, another port", "lanes",
	  { USER, TCP, "203.0.113.9", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "a list that the mode does not read", "lanes",
	  { USER, TCP, "203.0.113.10", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "a closed lane", "lanes-closed",
	  { USER, TCP, "203.0.113.9", 8443, SYN, 0 }, JUDGED_RESET, false },
	{ "a lane on loopback", "lane-on-loopback",
	  { USER, TCP, "127.0.0.1", 8080, SYN, TO_LO }, JUDGED_ACCEPT, false },
	{ "beside a lane on loopback", "lane-on-loopback",
	  { USER, TCP, "127.0.0.1", 8081, SYN, TO_LO }, JUDGED_RESET, false },
	{ "a lane on loopback, not by loopback", "lane-on-loopback",
	  { USER, TCP, "127.0.0.1", 8080, SYN, 0 }, JUDGED_RESET, false },
	/* Sockets that do not carry the user. */
	{ "orphan's data", "allowlist",
	  { NOBODY, TCP, "198.51.100.1", 443, ACK, 0 }, JUDGED_DROP, false },
	{ "orphan's FIN", "allowlist",
	  { NOBODY, TCP, "198.51.100.1", 443, FIN | ACK, 0 }, JUDGED_DROP, false },
	{ "orphan of a marked connection", "allowlist",
	  { NOBODY, TCP, "198.51.100.1", 443, FIN | ACK, MARKED }, JUDGED_ACCEPT, true },
	{ "SYN on a marked connection", "allowlist",
	  { NOBODY, TCP, "198.51.100.1", 443, SYN, MARKED }, JUDGED_DROP, true },
	{ "SYN-ACK of a cookie", "allowlist",
	  { NOBODY, TCP, "198.51.100.1", 443, SYN | ACK, 0 }, JUDGED_DROP, false },
	{ "orphan, untracked", "allowlist",
	  { NOBODY, TCP, "198.51.100.1", 443, ACK, UNTRACKED }, JUDGED_DROP, false },
	{ "RXRPC on a marked tuple", "allowlist",
	  { NOBODY, UDP, "198.51.100.1", 7001, 0, MARKED }, JUDGED_DROP, true },
	{ "kernel's SMC", "allowlist",
	  { NOBODY, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_DROP, false },
	{ "user's SYN-ACK", "allowlist",
	  { USER, TCP, "198.51.100.1", 45000, SYN | ACK, REPLY }, JUDGED_RESET, false },
	{ "root's SYN-ACK marks nothing", "allowlist",
	  { 0, TCP, "198.51.100.1", 45000, SYN | ACK, REPLY }, JUDGED_ACCEPT, false },
	{ "root's SYN-ACK on a marked connection", "allowlist",
	  { 0, TCP, "198.51.100.1", 45000, SYN | ACK, REPLY | MARKED }, JUDGED_ACCEPT, true },
	{ "user's connection, marked elsewhere", "no-network",
	  { USER, TCP, "198.51.100.1", 443, SYN, MARKED }, JUDGED_RESET, false },
	{ "refused though untracked", "allowlist",
	  { USER, UDP, "198.51.100.1", 443, 0, UNTRACKED }, JUDGED_PROHIBITED, false },
	{ "orphan, passed by choice", "ownerless-pass",
	  { NOBODY, TCP, "198.51.100.1", 443, ACK, 0 }, JUDGED_ACCEPT, false },
	{ "neighbour discovery", "no-network",
	  { NOBODY, ICMP6, "fe80::1", 0, 135, 0 }, JUDGED_ACCEPT, false },
	{ "router advertisement", "no-network",
	  { NOBODY, ICMP6, "fe80::1", 0, 134, 0 }, JUDGED_DROP, false },
	{ "kernel's echo reply", "no-network",
	  { NOBODY, ICMP, "198.51.100.1", 0, 0, 0 }, JUDGED_ACCEPT, false },
	{ "ownerless echo request", "no-network",
	  { NOBODY, ICMP, "198.51.100.1", 0, 8, 0 }, JUDGED_DROP, false },
	{ "ICMP type of the other family", "no-network",
	  { NOBODY, ICMP, "198.51.100.1", 0, 135, 0 }, JUDGED_DROP, false },
	{ "packet too big", "no-network",
	  { NOBODY, ICMP6, "2001:db8::1", 0, 2, 0 }, JUDGED_ACCEPT, false },
	/* Ordinary life. */
	{ "root's TCP", "no-network",
	  { 0, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "root's TCP, untracked", "no-network",
	  { 0, TCP, "198.51.100.1", 443, SYN, UNTRACKED }, JUDGED_ACCEPT, false },
	{ "root's ping, untracked", "no-network",
	  { 0, ICMP, "198.51.100.1", 0, 8, UNTRACKED }, JUDGED_ACCEPT, false },
	{ "root's UDP", "no-network", { 0, UDP, "198.51.100.1", 53, 0, 0 }, JUDGED_ACCEPT, true },
	{ "root's ping", "no-network", { 0, ICMP, "198.51.100.1", 0, 8, 0 }, JUDGED_ACCEPT, true },
	{ "another login's TCP", "no-network",
	  { OTHER, TCP, "2001:db8::1", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "the uid beside", "no-network",
	  { 1501, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "the uid before a range", "no-network",
	  { 99999, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "root on loopback", "no-network",
	  { 0, UDP, "127.0.0.1", 53, 0, TO_LO }, JUDGED_ACCEPT, false },
	{ "ownerless on loopback", "no-network",
	  { NOBODY, TCP, "127.0.0.1", 8080, RST, TO_LO | LOCAL }, JUDGED_ACCEPT, false },
	/* A source that is not this host's: what answers or refuses would go there. */
	{ "echo request to loopback from elsewhere", "no-network",
	  { USER, ICMP6, "::1", 0, 128, TO_LO | SPOOFED }, JUDGED_DROP, false },
	{ "datagram to loopback from elsewhere", "no-network",
	  { USER, UDP, "::1", 9999, 0, TO_LO | SPOOFED }, JUDGED_DROP, false },
	{ "datagram outside from elsewhere", "no-network",
	  { USER, UDP, "2001:db8::1", 443, 0, SPOOFED }, JUDGED_DROP, false },
	{ "the same, nothing marked", "ownerless-pass",
	  { USER, TCP, "2001:db8::1", 443, SYN, SPOOFED }, JUDGED_DROP, false },
	{ "own address from elsewhere", "own-addresses",
	  { USER, UDP, "2001:db8:ffff::2", 443, 0, TO_LO | LOCAL | SPOOFED }, JUDGED_DROP, false },
	{ "ownerless on loopback, turned outward by nat", "no-network",
	  { NOBODY, TCP, "203.0.113.9", 9100, ACK, TO_LO }, JUDGED_DROP, false },
	/* Published ports. */
	{ "an answer", "published",
	  { USER, TCP, "198.51.101.1", 45000, ACK, REPLY | PUBLISHED | FROM_8080 },
	  JUDGED_ACCEPT, false },
	{ "an answer, the handshake, over IPv6", "published",
	  { USER, TCP, "2001:db8::1", 45000, SYN | ACK, REPLY | PUBLISHED | FROM_8080 },
	  JUDGED_ACCEPT, false },
	{ "an answer that only looks like one", "published",
	  { USER, TCP, "198.51.101.1", 45000, ACK, REPLY | FROM_8080 }, JUDGED_RESET, false },
	{ "an answer on somebody else's connection", "published",
	  { USER, TCP, "198.51.101.1", 45000, ACK, REPLY | MARKED | FROM_8080 },
	  JUDGED_RESET, false },
	{ "the other direction", "published",
	  { USER, TCP, "198.51.101.1", 45000, ACK, PUBLISHED | FROM_8080 }, JUDGED_RESET, false },
	{ "a beginning in the direction of an answer", "published",
	  { USER, TCP, "198.51.101.1", 45000, SYN, REPLY | PUBLISHED | FROM_8080 },
	  JUDGED_RESET, false },
	{ "an answer from another port", "published",
	  { USER, TCP, "198.51.101.1", 45000, ACK, REPLY | PUBLISHED }, JUDGED_RESET, false },
	{ "an answer, untracked", "published",
	  { USER, TCP, "198.51.101.1", 45000, ACK, REPLY | PUBLISHED | FROM_8080 | UNTRACKED },
	  JUDGED_RESET, false },
	{ "a datagram as an answer, from a published port", "published",
	  { USER, UDP, "198.51.101.1", 45000, 0, REPLY | PUBLISHED | FROM_8080 },
	  JUDGED_PROHIBITED, false },
	{ "what a server left behind", "published",
	  { NOBODY, TCP, "198.51.101.1", 45000, FIN | ACK, REPLY | PUBLISHED | FROM_8080 },
	  JUDGED_ACCEPT, false },
	{ "what a server left behind, another port's", "published",
	  { NOBODY, TCP, "198.51.101.1", 45000, FIN | ACK, REPLY | PUBLISHED }, JUDGED_DROP, false },
	{ "an answer, nothing else tracked", "published-pass",
	  { USER, TCP, "198.51.101.1", 45000, ACK, REPLY | PUBLISHED | FROM_8080 },
	  JUDGED_ACCEPT, false },
	{ "no answer while users are closed in", "closing-for-published",
	  { 1600, TCP, "198.51.101.1", 45000, ACK, REPLY | PUBLISHED | FROM_8080 },
	  JUDGED_RESET, false },
	/* Everybody but the exempt users. */
	{ "strict, a login", "strict", { OTHER, TCP, "2001:db8::1", 443, SYN, 0 }, JUDGED_RESET,
	  false },
	{ "strict, the first uid", "strict",
	  { 1, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "strict, the last uid", "strict",
	  { UID_LAST, UDP, "198.51.100.1", 53, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "strict, an exempt user", "strict",
	  { 33, TCP, "198.51.100.1", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "strict, root", "strict", { 0, UDP, "2001:db8::1", 53, 0, 0 }, JUDGED_ACCEPT, true },
	{ "strict, allowed", "strict-allowlist",
	  { OTHER, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "strict, the end of a marked connection", "strict",
	  { NOBODY, TCP, "198.51.100.1", 443, FIN | ACK, MARKED }, JUDGED_ACCEPT, true },
	{ "strict, an orphan", "strict",
	  { NOBODY, TCP, "198.51.100.1", 443, ACK, 0 }, JUDGED_DROP, false },
	{ "strict, an echo reply", "strict",
	  { NOBODY, ICMP, "198.51.100.1", 0, 0, REPLY }, JUDGED_DROP, false },
	{ "strict, an error on nobody's connection", "strict",
	  { NOBODY, ICMP6, "2001:db8::1", 0, 1, REPLY }, JUDGED_DROP, false },
	{ "strict, an error on a marked connection", "strict",
	  { NOBODY, ICMP6, "2001:db8::1", 0, 1, REPLY | MARKED }, JUDGED_ACCEPT, true },
	{ "strict, IGMP", "strict",
	  { NOBODY, IPPROTO_IGMP, "224.0.0.22", 0, 0, 0 }, JUDGED_DROP, false },
	{ "strict, a report of any groups", "strict",
	  { NOBODY, ICMP6, "ff02::16", 0, 143, UNTRACKED }, JUDGED_DROP, false },
	{ "strict, an old report of a solicited node", "strict",
	  { NOBODY, ICMP6, "ff02::1:ff00:1", 0, 131, UNTRACKED }, JUDGED_ACCEPT, false },
	{ "strict, an old report of another group", "strict",
	  { NOBODY, ICMP6, "ff02::fb", 0, 131, UNTRACKED }, JUDGED_DROP, false },
	{ "strict, neighbour discovery", "strict",
	  { NOBODY, ICMP6, "ff02::1:ff00:1", 0, 135, UNTRACKED }, JUDGED_ACCEPT, false },
	/* What goes with one family only. */
	{ "narrowed to IPv4", "narrowed-ip",
	  { USER, TCP, "198.51.101.1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "narrowed to IPv4, pinned", "narrowed-ip",
	  { USER, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_ACCEPT, true },
	{ "narrowed to IPv4, IPv6 is not seen", "narrowed-ip",
	  { USER, TCP, "2001:db8::1", 443, SYN, 0 }, JUDGED_ACCEPT, false },
	{ "narrowed to IPv6", "narrowed-ip6",
	  { USER, UDP, "2001:db8::1", 53, 0, 0 }, JUDGED_PROHIBITED, false },
	{ "narrowed to IPv6, pinned", "narrowed-ip6",
	  { USER, TCP, "2001:db8:1::1", 443, SYN, 0 }, JUDGED_ACCEPT, true },
};

START_TEST(a_way_out_is_judged)
{
	struct ruleset ruleset = fixture_named(ways[_i].ruleset);
	struct packet packet = draw(&ways[_i].packet);
	uint32_t mark;
	enum judgement judgement = judge_sent(&ruleset, &packet, &mark);

	ck_assert_msg(judgement == ways[_i].expected, "%s: %s", ways[_i].what,
		      judgement_name(judgement));
	/* The other bits are never touched. */
	ck_assert_msg((mark & ~(uint32_t)PUBLISHED_MARK) ==
			      (0x7 | (ways[_i].marked ? OWNED_MARK : 0)),
		      "%s: %x", ways[_i].what, mark);
	ck_assert_uint_eq(mark & PUBLISHED_MARK, packet.mark & PUBLISHED_MARK);
	ruleset_free(&ruleset);
}
END_TEST

/* As the ruleset was before it was made faster: users looked up, marks set again. */
static void slow_down(struct ruleset *ruleset)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		for (size_t j = 0; j < ruleset->chains[i].count; j++) {
			struct rule *rule = &ruleset->chains[i].rules[j];

			if (rule->statements[0].kind == MATCH_USER)
				rule->statements[0] = (struct statement){ .kind = MATCH_USER_IN,
									  .name = "confined" };
			else if (rule->count == 3 && rule->statements[1].kind == MATCH_CT_MARK &&
				 rule->statements[0].kind == MATCH_OWNED)
				rule->count = 0;
		}
}

START_TEST(speed_changes_no_verdict)
{
	static const int64_t uids[] = { 0, OTHER, USER, 1501, 99999, 100000, SUBORDINATE,
					SUBORDINATE + 1, NOBODY };
	/* None, FIN and ACK, SYN, RST, ACK, SYN and ACK, all. */
	static const uint8_t flags[] = { 0, 0x11, 0x02, 0x04, 0x10, 0x12, 0x1f };
	struct ruleset fast = fixture_named(ways[_i].ruleset);
	struct ruleset slow = fixture_named(ways[_i].ruleset);
	struct sketch sketch = ways[_i].packet;

	slow_down(&slow);
	for (size_t i = 0; i < sizeof(uids) / sizeof(*uids); i++)
		for (unsigned way = 0; way < 32; way++)
			for (size_t j = 0; j < (sketch.protocol == TCP ? sizeof(flags) : 1); j++) {
				struct packet packet;
				uint32_t one, other;

				sketch.uid = uids[i];
				sketch.way = way;
				if (sketch.protocol == TCP)
					sketch.detail = flags[j];
				packet = draw(&sketch);
				ck_assert_int_eq(judge_sent(&fast, &packet, &one),
						 judge_sent(&slow, &packet, &other));
				ck_assert_uint_eq(one, other);
			}
	ruleset_free(&fast);
	ruleset_free(&slow);
}
END_TEST

/* What was judged as loopback traffic and leaves by another interface after all. */
static const struct {
	const char *ruleset;
	struct sketch packet;
	enum judgement expected;
} rerouted[] = {
	{ "no-network", { USER, UDP, "198.51.100.1", 53, 0, 0 }, JUDGED_DROP },
	{ "no-network", { USER, UDP, "198.51.100.1", 53, 0, MARKED }, JUDGED_DROP },
	{ "no-network", { USER, UDP, "198.51.100.1", 53, 0, UNTRACKED }, JUDGED_DROP },
	{ "no-network", { USER, UDP, "127.0.0.1", 53, 0, TO_LO }, JUDGED_ACCEPT },
	{ "no-network", { OTHER, UDP, "198.51.100.1", 53, 0, 0 }, JUDGED_ACCEPT },
	{ "allowlist", { USER, TCP, "2001:db8::1", 53, ACK, 0 }, JUDGED_DROP },
	{ "allowlist", { USER, TCP, "203.0.113.5", 443, ACK, MARKED }, JUDGED_ACCEPT },
	{ "allowlist", { SUBORDINATE, TCP, "203.0.113.5", 443, ACK, 0 }, JUDGED_DROP },
	{ "allowlist", { SUBORDINATE + 1, TCP, "203.0.113.5", 443, ACK, 0 }, JUDGED_ACCEPT },
	{ "many-users", { 2004, TCP, "203.0.113.5", 443, ACK, 0 }, JUDGED_DROP },
	{ "many-users", { 2005, TCP, "203.0.113.5", 443, ACK, 0 }, JUDGED_ACCEPT },
	{ "ownerless-pass-closed", { USER, TCP, "198.51.100.1", 443, ACK, 0 }, JUDGED_DROP },
	{ "ownerless-pass", { USER, TCP, "203.0.113.5", 443, ACK, 0 }, JUDGED_ACCEPT },
	{ "published", { USER, TCP, "198.51.101.1", 45000, ACK, 0 }, JUDGED_DROP },
	{ "published", { USER, TCP, "198.51.101.1", 45000, ACK, PUBLISHED }, JUDGED_ACCEPT },
	{ "published", { USER, TCP, "203.0.113.5", 443, ACK, MARKED }, JUDGED_ACCEPT },
	{ "published-pass", { USER, TCP, "198.51.101.1", 45000, ACK, 0 }, JUDGED_DROP },
	{ "published-pass", { USER, TCP, "198.51.101.1", 45000, ACK, MARKED }, JUDGED_DROP },
	{ "published-pass", { USER, TCP, "198.51.101.1", 45000, ACK, PUBLISHED }, JUDGED_ACCEPT },
	{ "no-network", { NOBODY, TCP, "198.51.101.1", 443, ACK, 0 }, JUDGED_ACCEPT },
	{ "strict", { NOBODY, TCP, "198.51.101.1", 443, ACK, 0 }, JUDGED_DROP },
	{ "strict", { NOBODY, TCP, "198.51.101.1", 443, ACK, MARKED }, JUDGED_ACCEPT },
	{ "strict", { NOBODY, ICMP6, "fe80::1", 0, 135, UNTRACKED }, JUDGED_ACCEPT },
	{ "strict", { 33, TCP, "198.51.101.1", 443, SYN | ACK, 0 }, JUDGED_ACCEPT },
	{ "strict", { OTHER, TCP, "198.51.101.1", 443, ACK, MARKED }, JUDGED_DROP },
	{ "strict-allowlist", { NOBODY, TCP, "198.51.101.1", 443, ACK, PUBLISHED }, JUDGED_ACCEPT },
};

START_TEST(what_changed_its_route_is_caught)
{
	struct ruleset ruleset = fixture_named(rerouted[_i].ruleset);
	struct packet packet = draw(&rerouted[_i].packet);
	const struct chain *chain;
	uint32_t mark;
	size_t rule;

	ck_assert_int_eq(judge(&ruleset, HOOK_POSTROUTING, &packet, &mark, &chain, &rule),
			 rerouted[_i].expected);
	ck_assert_uint_eq(mark, packet.mark);
	ruleset_free(&ruleset);
}
END_TEST

/* What comes in: which packets make their connection one that is answered. */
static const struct {
	const char *what;
	struct sketch packet;
	bool in_loopback, published;
} inbound[] = {
	{ "a first SYN", { 0, TCP, "192.0.2.2", 8080, SYN, FIRST }, false, true },
	{ "over IPv6", { 0, TCP, "2001:db8::2", 9090, SYN, FIRST }, false, true },
	{ "with bits of congestion", { 0, TCP, "192.0.2.2", 8080, SYN | 0xc0, FIRST }, false, true },
	{ "another port", { 0, TCP, "192.0.2.2", 8081, SYN, FIRST }, false, false },
	{ "not the first", { 0, TCP, "192.0.2.2", 8080, SYN, 0 }, false, false },
	{ "taken up midway", { 0, TCP, "192.0.2.2", 8080, ACK, FIRST }, false, false },
	{ "an answer to a SYN", { 0, TCP, "192.0.2.2", 8080, SYN | ACK, FIRST }, false, false },
	{ "a SYN that ends", { 0, TCP, "192.0.2.2", 8080, SYN | FIN, FIRST }, false, false },
	{ "a SYN that resets", { 0, TCP, "192.0.2.2", 8080, SYN | RST, FIRST }, false, false },
	{ "a datagram", { 0, UDP, "192.0.2.2", 8080, 0, FIRST }, false, false },
	{ "from this host", { 0, TCP, "192.0.2.2", 8080, SYN, FIRST }, true, false },
	{ "untracked", { 0, TCP, "192.0.2.2", 8080, SYN, FIRST | UNTRACKED }, false, false },
};

START_TEST(only_a_beginning_outside_is_answered)
{
	struct ruleset ruleset = fixture_named("published");
	struct packet packet = draw(&inbound[_i].packet);
	const struct chain *chain;
	uint32_t mark;
	size_t rule;

	packet.in_loopback = inbound[_i].in_loopback;
	ck_assert_int_eq(judge(&ruleset, HOOK_INPUT, &packet, &mark, &chain, &rule), JUDGED_ACCEPT);
	ck_assert_msg(mark == (packet.mark | (inbound[_i].published ? PUBLISHED_MARK : 0)),
		      "%s: %x", inbound[_i].what, mark);
	ruleset_free(&ruleset);
}
END_TEST

/* Reports of so many groups that are all of solicited nodes. */
START_TEST(strict_reports_the_neighbours_groups_alone)
{
	struct ruleset ruleset = fixture_named("strict");
	struct packet packet =
		draw(&(struct sketch){ NOBODY, ICMP6, "ff02::16", 0, 143, UNTRACKED });
	uint32_t mark;

	for (uint8_t groups = 0; groups < 12; groups++) {
		packet.reported_groups = groups;
		ck_assert_int_eq(judge_sent(&ruleset, &packet, &mark),
				 groups >= 1 && groups <= GROUP_RECORDS_MAX ? JUDGED_ACCEPT : JUDGED_DROP);
	}
	ruleset_free(&ruleset);
}
END_TEST

START_TEST(strict_forwards_nothing)
{
	struct ruleset ruleset = fixture_named("strict");
	struct packet packet = {
		.destination = fixture_address("2001:db8::1"), .tracked = true, .mark = OWNED_MARK,
	};
	const struct chain *chain;
	uint32_t mark;
	size_t rule;

	ck_assert_int_eq(judge(&ruleset, HOOK_FORWARD, &packet, &mark, &chain, &rule), JUDGED_DROP);
	ruleset_free(&ruleset);
}
END_TEST

START_TEST(nothing_is_forwarded_from_loopback)
{
	struct ruleset ruleset = fixture_named("no-network");
	struct packet packet = {
		.destination = fixture_address("198.51.100.1"), .in_loopback = true,
	};
	const struct chain *chain;
	uint32_t mark;
	size_t rule;

	ck_assert_int_eq(judge(&ruleset, HOOK_FORWARD, &packet, &mark, &chain, &rule), JUDGED_DROP);
	ck_assert_str_eq(chain->name, "forward");
	ck_assert_uint_eq(rule, 0);
	packet.in_loopback = false;
	ck_assert_int_eq(judge(&ruleset, HOOK_FORWARD, &packet, &mark, &chain, &rule),
			 JUDGED_ACCEPT);
	ck_assert_ptr_null(chain);
	ck_assert_int_eq(judge(&ruleset, HOOK_INPUT, &packet, &mark, &chain, &rule), JUDGED_ACCEPT);
	ck_assert_ptr_null(chain);
	ruleset_free(&ruleset);
}
END_TEST

START_TEST(the_deciding_rule_is_told)
{
	struct ruleset ruleset = fixture_named("no-network");
	struct packet packet = draw(&(struct sketch){ USER, TCP, "198.51.100.1", 443, SYN, 0 });
	const struct chain *chain;
	uint32_t mark;
	size_t rule;

	judge(&ruleset, HOOK_OUTPUT, &packet, &mark, &chain, &rule);
	ck_assert_str_eq(chain->name, "refuse");
	ck_assert_uint_eq(rule, 2);
	ck_assert_int_eq(chain->rules[rule].statements[2].kind, REJECT_RESET);
	ruleset_free(&ruleset);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("packets");

	tcase_add_loop_test(tests, a_way_out_is_judged, 0, sizeof(ways) / sizeof(*ways));
	tcase_add_loop_test(tests, speed_changes_no_verdict, 0, sizeof(ways) / sizeof(*ways));
	tcase_add_loop_test(tests, what_changed_its_route_is_caught, 0,
			    sizeof(rerouted) / sizeof(*rerouted));
	tcase_add_loop_test(tests, only_a_beginning_outside_is_answered, 0,
			    sizeof(inbound) / sizeof(*inbound));
	tcase_add_test(tests, strict_reports_the_neighbours_groups_alone);
	tcase_add_test(tests, strict_forwards_nothing);
	tcase_add_test(tests, nothing_is_forwarded_from_loopback);
	tcase_add_test(tests, the_deciding_rule_is_told);
	return suite_end("judge", tests);
}
