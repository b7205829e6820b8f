/* proc_net.c: who listens, as the files in /proc/net tell it. */
#include "doctor/proc_net.h"

#include <string.h>

enum {
	ACCEPTS = 0x10000,        /* __SO_ACCEPTCON among the flags of /proc/net/unix */
	STATE_LISTEN = 0x0a,      /* TCP_LISTEN */
	STATE_UNCONNECTED = 0x07, /* TCP_CLOSE, which is what a UDP socket without a peer has */
	IPV4_DIGITS = 8,
	IPV6_DIGITS = 32,
};

static bool skip_words(struct cursor *line, unsigned count)
{
	struct word ignored;

	while (count && word_next(line, &ignored))
		count--;
	return !count;
}

/* "0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/socket" */
static bool read_unix(struct cursor *line, struct unix_listener *ret)
{
	struct word flags;
	uint64_t value;
	size_t left;

	if (!skip_words(line, 3) || !word_next(line, &flags) ||
	    !word_number(flags, 16, UINT32_MAX, &value) || !(value & ACCEPTS) ||
	    !skip_words(line, 3) || !cursor_take(line, 1))
		return false;
	left = cursor_left(line);
	if (!left)
		return false;
	ret->path = (struct word){ (const char *)cursor_take(line, left), left };
	ret->abstract = *ret->path.text == '@';
	if (ret->abstract) {
		ret->path.text++;
		ret->path.length--;
	}
	return true;
}

bool unix_listener_next(struct cursor *text, struct unix_listener *ret)
{
	struct cursor line;

	while (line_next(text, &line))
		if (read_unix(&line, ret))
			return true;
	return false;
}

/* Words of 32 bits in the byte order of this machine, of what stands in network byte order. */
static bool read_address(struct word digits, struct address *ret)
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };
	struct address address = { .family = FAMILY_IPV4 };

	if (digits.length != IPV4_DIGITS && digits.length != IPV6_DIGITS)
		return false;
	for (size_t i = 0; i < digits.length / 8; i++) {
		uint64_t value;
		uint32_t narrow;

		if (!word_number((struct word){ digits.text + 8 * i, 8 }, 16, UINT32_MAX, &value))
			return false;
		narrow = (uint32_t)value;
		memcpy(address.bytes + 4 * i, &narrow, sizeof(narrow));
	}
	if (digits.length == IPV6_DIGITS)
		address.family = FAMILY_IPV6;
	if (address.family == FAMILY_IPV6 && !memcmp(address.bytes, mapped, sizeof(mapped))) {
		struct address inner = { .family = FAMILY_IPV4 };

		memcpy(inner.bytes, address.bytes + sizeof(mapped), 4);
		address = inner;
	}
	*ret = address;
	return true;
}

/* "0: 0100007F:0035 00000000:0000 0A 00000000:00000000 00:00000000 00000000 101 0 12345 1 ..." */
static bool read_inet(struct cursor *line, bool tcp, struct inet_listener *ret)
{
	struct word local, remote, state, uid;
	struct cursor parts;
	struct word address, port;
	uint64_t number, wanted = tcp ? STATE_LISTEN : STATE_UNCONNECTED;

	if (!skip_words(line, 1) || !word_next(line, &local) || !word_next(line, &remote) ||
	    !word_next(line, &state) || !word_number(state, 16, UINT8_MAX, &number) ||
	    number != wanted)
		return false;
	parts = cursor_over(local.text, local.length);
	if (!part_next(&parts, ':', &address) || !read_address(address, &ret->address) ||
	    !part_next(&parts, ':', &port) || port.length != 4 ||
	    !word_number(port, 16, UINT16_MAX, &number))
		return false;
	ret->port = (uint16_t)number;
	if (!skip_words(line, 3) || !word_next(line, &uid) ||
	    !word_number(uid, 10, UINT32_MAX, &number))
		return false;
	ret->uid = (uint32_t)number;
	return true;
}

bool inet_listener_next(struct cursor *text, bool tcp, struct inet_listener *ret)
{
	struct cursor line;

	while (line_next(text, &line)) {
		struct inet_listener found;

		if (read_inet(&line, tcp, &found)) {
			*ret = found;
			return true;
		}
	}
	return false;
}

bool inet_listener_on_loopback(const struct inet_listener *listener)
{
	static const uint8_t zeros[16];
	const char *special = address_special(&listener->address);

	return !memcmp(listener->address.bytes, zeros, sizeof(zeros)) ||
	       (special && !strcmp(special, "loopback"));
}
