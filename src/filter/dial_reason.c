/* dial_reason.c: why a target could not be dialled, in words and as a status. */
#include "filter/dial_reason.h"

#include "filter/dial.h"

#include <assert.h>
#include <errno.h>

const char *dial_connect_reason(int errnum)
{
	switch (errnum) {
	case ECONNREFUSED:
		return "the server refuses the connection";
	case ENETUNREACH:
	case EHOSTUNREACH:
	case EADDRNOTAVAIL:
		return "there is no route to the server";
	case EACCES:
	case EPERM:
		return "a rule of this machine refuses the connection";
	case ETIMEDOUT:
		return "the server does not answer";
	}
	return "the server cannot be connected to";
}

const char *dial_name_reason(enum resolve_status status)
{
	static const char *const reasons[] = {
		[RESOLVE_FOUND] = "the name has no address that can be used",
		[RESOLVE_NXDOMAIN] = "the name does not exist",
		[RESOLVE_NO_ADDRESS] = "the name has no address",
		[RESOLVE_SERVFAIL] = "the name server failed",
		[RESOLVE_REFUSED] = "the name server refused to answer",
		[RESOLVE_TIMEOUT] = "the name server did not answer in time",
		[RESOLVE_MALFORMED] = "the name server's answer is malformed",
		[RESOLVE_SPECIAL] = "the name has only special-purpose addresses",
		[RESOLVE_NO_SERVER] = "there is no name server to ask",
		[RESOLVE_UNREACHABLE] = "no name server can be reached",
	};
	static_assert(sizeof(reasons) / sizeof(*reasons) == RESOLVE_STATUSES,
		      "a reason for every status");

	return reasons[status];
}

unsigned dial_answer_status(enum dial_status status)
{
	switch (status) {
	case DIAL_CONNECTED:
		return 200;
	case DIAL_FORBIDDEN:
		return 403;
	case DIAL_UNRESOLVED:
	case DIAL_FAILED:
		return 502;
	case DIAL_TIMED_OUT:
		return 504;
	case DIAL_NO_DESCRIPTOR:
	case DIAL_NO_NAME:
		return 503;
	}
	return 502;
}
