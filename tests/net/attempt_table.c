/* attempt_table.c: the ways to send something, each with how its socket is opened, prepared and used. */
#include "attempt.h"

#include <stdio.h>
#include <string.h>

enum { RXRPC = 33, RDS = 21, SMC = 43, SMC_OVER_INET = 256 };
static const struct attempt attempts[] = {
	{ "tcp", SOCK_STREAM, IPPROTO_TCP, NULL, act_connect, NULL },
	{ "tcp-nonblocking", SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP, NULL, act_connect, NULL },
	{ "tcp-fastopen", SOCK_STREAM, IPPROTO_TCP, NULL, act_fastopen, NULL },
	{ "tcp-fastopen-connect", SOCK_STREAM, IPPROTO_TCP, prepare_fastopen_connect, act_fastopen_connect, NULL },
	{ "tcp-bind-device", SOCK_STREAM, IPPROTO_TCP, prepare_bind_device, act_connect, NULL },
	{ "tcp-bind-loopback", SOCK_STREAM, IPPROTO_TCP, prepare_bind_loopback, act_connect, NULL },
	{ "tcp-mark", SOCK_STREAM, IPPROTO_TCP, prepare_mark, act_connect, NULL },
	{ "tcp-freebind", SOCK_STREAM, IPPROTO_TCP, prepare_freebind, act_connect, NULL },
	{ "tcp-source-route", SOCK_STREAM, IPPROTO_TCP, prepare_source_route, act_connect, NULL },
	{ "tcp-upload", SOCK_STREAM, IPPROTO_TCP, NULL, act_upload, NULL },
	{ "mptcp", SOCK_STREAM, IPPROTO_MPTCP, NULL, act_connect, NULL },
	{ "sctp", SOCK_STREAM, IPPROTO_SCTP, NULL, act_connect, NULL },
	{ "sctp-many", SOCK_SEQPACKET, IPPROTO_SCTP, NULL, act_send, NULL },
	{ "dccp", SOCK_DCCP, IPPROTO_DCCP, NULL, act_connect, NULL },
	{ "udp", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send, NULL },
	{ "udp-connected", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_connected, NULL },
	{ "udp-corked", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_corked, NULL },
	{ "udp-fragments", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_large, NULL },
	{ "udp-segments", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_segmented, NULL },
	{ "udp-bind-device", SOCK_DGRAM, IPPROTO_UDP, prepare_bind_device, act_send, NULL },
	{ "udp-bind-loopback", SOCK_DGRAM, IPPROTO_UDP, prepare_bind_loopback, act_send, NULL },
	{ "udp-pktinfo", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_by_interface, NULL },
	{ "udp-unicast-if", SOCK_DGRAM, IPPROTO_UDP, prepare_unicast_if, act_send, NULL },
	{ "udp-mark", SOCK_DGRAM, IPPROTO_UDP, prepare_mark, act_send, NULL },
	{ "udp-freebind", SOCK_DGRAM, IPPROTO_UDP, prepare_freebind, act_send, NULL },
	{ "udp-multicast", SOCK_DGRAM, IPPROTO_UDP, prepare_multicast, act_send, NULL },
	{ "udp-broadcast", SOCK_DGRAM, IPPROTO_UDP, prepare_broadcast, act_send, NULL },
	{ "udp-source-route", SOCK_DGRAM, IPPROTO_UDP, prepare_source_route, act_send, NULL },
	{ "udp-hop-options", SOCK_DGRAM, IPPROTO_UDP, prepare_hop_options, act_send, NULL },
	{ "udp-destination-options", SOCK_DGRAM, IPPROTO_UDP, prepare_destination_options, act_send, NULL },
	{ "udp-flood", SOCK_DGRAM, IPPROTO_UDP, NULL, act_flood, NULL },
	{ "udplite", SOCK_DGRAM, IPPROTO_UDPLITE, NULL, act_send, NULL },
	{ "ping", SOCK_DGRAM, 0, NULL, act_ping, NULL },
	{ "join", SOCK_DGRAM, IPPROTO_UDP, prepare_join, act_nothing, NULL },
	{ "early-send", SOCK_STREAM, IPPROTO_TCP, NULL, act_early_send, NULL },
	{ "early-close", SOCK_STREAM, IPPROTO_TCP, NULL, act_early_close, NULL },
	{ "early-kill", SOCK_STREAM, IPPROTO_TCP, NULL, act_early_kill, NULL },
	{ "early-unsent", SOCK_STREAM, IPPROTO_TCP, NULL, act_early_unsent, NULL },
	{ "early-linger", SOCK_STREAM, IPPROTO_TCP, NULL, act_early_linger, NULL },
	{ "early-timewait", SOCK_STREAM, IPPROTO_TCP, prepare_bind_same, act_early_timewait, NULL },
	{ "early-udp", SOCK_DGRAM, IPPROTO_UDP, NULL, act_early_datagram, NULL },
	{ "early-mptcp-announced", SOCK_STREAM, IPPROTO_MPTCP, NULL, act_early_subflows, NULL },
	{ "early-mptcp-endpoint", SOCK_STREAM, IPPROTO_MPTCP, NULL, act_early_subflows, NULL },
	{ "early-accepted", SOCK_STREAM, IPPROTO_TCP, prepare_listen, act_early_accepted, NULL },
	{ "early-queued", SOCK_STREAM, IPPROTO_TCP, prepare_listen, act_early_queued, NULL },
	{ "early-connecting", SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP, NULL, act_early_connecting, NULL },
	{ "listen", SOCK_STREAM, IPPROTO_TCP, prepare_listen, act_answer, NULL },
	{ "listen-fastopen", SOCK_STREAM, IPPROTO_TCP, prepare_listen_fastopen, act_answer, NULL },
	{ "listen-cookies", SOCK_STREAM, IPPROTO_TCP, prepare_listen, act_answer, NULL },
	{ "listen-window", SOCK_STREAM, IPPROTO_TCP, prepare_listen, act_answer, NULL },
	{ "simultaneous", SOCK_STREAM, IPPROTO_TCP, prepare_bind_meeting, act_simultaneous, NULL },
	{ "published-begin", SOCK_STREAM, IPPROTO_TCP, prepare_bind_published, act_connect, NULL },
	{ "published-meet", SOCK_STREAM, IPPROTO_TCP, prepare_bind_published, act_meet, NULL },
	{ "published-midstream", SOCK_STREAM, IPPROTO_TCP, prepare_bind_published, act_meet, NULL },
	{ "smc", SOCK_STREAM, SMC, NULL, act_connect, open_family },
	{ "smc-inet", SOCK_STREAM, SMC_OVER_INET, NULL, act_connect, NULL },
	{ "rxrpc", SOCK_DGRAM, RXRPC, NULL, act_rxrpc, open_family },
	{ "rds", SOCK_SEQPACKET, RDS, NULL, act_rds, open_family },
	{ "tipc", SOCK_RDM, AF_TIPC, NULL, act_opened, open_family },
	{ "vsock", SOCK_STREAM, AF_VSOCK, NULL, act_opened, open_family },
	{ "l2tp", SOCK_DGRAM, 115, NULL, act_send, NULL },
	{ "ring-tcp", SOCK_STREAM, IPPROTO_TCP, NULL, act_connect, open_by_ring },
	{ "ring-vsock", SOCK_STREAM, AF_VSOCK, NULL, act_opened, open_by_ring },
	{ "raw-header", SOCK_RAW, IPPROTO_RAW, NULL, act_raw_header, NULL },
	{ "raw", SOCK_RAW, 253 /* for experiments, RFC 3692 */, NULL, act_raw, NULL },
	{ "packet", SOCK_RAW, AF_PACKET, NULL, act_packet, open_family },
	{ "packet-bypass", SOCK_RAW, AF_PACKET, prepare_packet_bypass, act_packet, open_family },
	{ "xdp", SOCK_RAW, AF_XDP, NULL, act_xdp, open_family },
};

const struct attempt *find_attempt(const char *name)
{
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++)
		if (strcmp(attempts[i].name, name) == 0)
			return &attempts[i];
	return NULL;
}

void list_attempts(void)
{
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++)
		puts(attempts[i].name);
}
