/* client.h: one client: who it is, and who looks after its octets. */
#ifndef EGRESSFW_FILTER_CLIENT_H
#define EGRESSFW_FILTER_CLIENT_H

#include "filter/decision_log.h"
#include "filter/dial.h"
#include "filter/filter.h"

/* Reasons that more than one part has, for the log and for answers. */
#define REASON_ENDED "the filter was ended"
#define REASON_GONE "the client was gone before its request had ended"
#define REASON_LOG "the decision log cannot be written"

/*
 * Theory of operation. At every moment one part looks after a client, and has its events on the
 * descriptor: connect.c (until CONNECT is answered), hello.c, http.c, tunnel.c, or client.c for the
 * last answer. The part that has it hands it on by one of the functions below and forgets it.
 */
enum client_part { CLIENT_CONNECT, CLIENT_HELLO, CLIENT_HTTP, CLIENT_TUNNEL, CLIENT_ANSWER };

struct client {
	struct filter *filter;
	TAILQ_ENTRY(client) entry, awaited_entry, later_entry;
	struct share *share;
	bool awaited, later, refused; /* refused: is sent away, and counts as nobody's */
	int descriptor;               /* non-blocking; the client's own, closed by client_close() */
	struct address_port peer;
	const struct address_port *here; /* the listener's, which outlives those that it serves */
	uint32_t round;                  /* of its user's, in which it was looked after (turn.h) */
	uint64_t later_turn;             /* in which it became one that goes on later */
	bool has_uid;
	uint32_t uid; /* who opened the other end, where that is known */
	enum client_part part;
	union {
		struct connect *connect;
		struct hello *hello;
		struct http *http;
		struct tunnel *tunnel;
		struct farewell *farewell;
	};
};

/* Takes the descriptor over and begins to read a request. */
void client_start(struct filter *filter, int descriptor, const struct address_port *peer,
		  const struct address_port *here);

/*
 * For the part that has the client, to have it no more. Octets are copied.
 *
 * client_request: a request begins with these octets (may be none), which were read but not used;
 * to be called by http.c too, where a CONNECT follows another request.
 */
void client_request(struct client *client, const void *octets, size_t length);

/*
 * Sends the last answer, all of it, then ends the client's stream, reads for a moment what still
 * comes, lest a reset overtake the answer, and closes (RFC 9112, section 9.6).
 */
void client_answer(struct client *client, const void *answer, size_t length);

/*
 * Whether the client has yet to say what it wants, or to close, and has nothing else to take. Where
 * its user has as many clients as may be, the one that has kept us waiting for longest makes room
 * for the next.
 */
void client_await(struct client *client, bool awaits);

/* Closes now: there is nothing to say. */
void client_close(struct client *client);

/*
 * From now on octets are passed on unseen, both ways, with half-close: a tunnel whose hello was
 * judged, or a connection that was upgraded (101 has been sent). `upstream` is the tunnel's to
 * close. The octets are those that were read already and go out first. `record` has been logged as
 * a decision; it is logged again at the end, with the counts, which go on from what stands in it.
 * Its method, path and reason are copied.
 */
void client_tunnel(struct client *client, int upstream, const struct record *record,
		   const void *to_upstream, size_t up_length, const void *to_client,
		   size_t down_length);

/* Ends a client whatever it is doing; the decision, where there is one, is why, for the log. */
void client_end(struct client *client, const struct decision *decision);

/*
 * Whether the policy, which may have changed, allows what the client is doing. False: *ret says
 * why.
 */
bool client_is_allowed(const struct client *client, struct decision *ret);

/*
 * Whether nobody has the other end of its connection any more: who has closed only its own half
 * reads on, and the octets that come tell no difference. What waits for somebody else's answer
 * looks every CLIENT_GONE_MS, once the client has said its last.
 */
enum { CLIENT_GONE_MS = 2000 };
bool client_is_gone(const struct client *client);

/* Fills in whose request it is and when it began. The rest is zero. */
void client_record(const struct client *client, struct record *ret);

#endif
