/* statement_terms.h: short ways to write statements in tables of tests. */
#ifndef EGRESSFW_TESTS_STATEMENT_TERMS_H
#define EGRESSFW_TESTS_STATEMENT_TERMS_H

#include "plan/ruleset.h"

#define NAMED(k, n)                                                                                \
	{                                                                                          \
		.kind = k, .name = n                                                               \
	}
#define BYTES(k, ...)                                                                              \
	{                                                                                          \
		.kind = k, .bytes = { sizeof((uint8_t[]){ __VA_ARGS__ }), { __VA_ARGS__ } }        \
	}
#define PORTS(...)                                                                                 \
	{                                                                                          \
		.kind = MATCH_PORTS, .ports = {                                                    \
			(struct range[]){ __VA_ARGS__ },                                           \
			sizeof((struct range[]){ __VA_ARGS__ }) / sizeof(struct range)             \
		}                                                                                  \
	}
#define SOURCE_PORTS(...)                                                                          \
	{                                                                                          \
		.kind = MATCH_SOURCE_PORTS, .ports = {                                             \
			(struct range[]){ __VA_ARGS__ },                                           \
			sizeof((struct range[]){ __VA_ARGS__ }) / sizeof(struct range)             \
		}                                                                                  \
	}
#define ORIGINAL_PORTS(...)                                                                        \
	{                                                                                          \
		.kind = MATCH_CT_ORIGINAL_PORTS, .ports = {                                        \
			(struct range[]){ __VA_ARGS__ },                                           \
			sizeof((struct range[]){ __VA_ARGS__ }) / sizeof(struct range)             \
		}                                                                                  \
	}
#define SOURCE(f, l, ...)                                                                          \
	{                                                                                          \
		.kind = MATCH_SOURCE, .prefix = { { f, { __VA_ARGS__ } }, l }                      \
	}
#define PREFIX(f, l, ...)                                                                          \
	{                                                                                          \
		.kind = MATCH_DESTINATION, .prefix = { { f, { __VA_ARGS__ } }, l }                 \
	}
#define IN_SET(f, n)                                                                               \
	{                                                                                          \
		.kind = MATCH_DESTINATION_IN, .family = f, .name = n                               \
	}
#define USERS(f, l)                                                                                \
	{                                                                                          \
		.kind = MATCH_USER, .users = { f, l }                                              \
	}
#define PLAIN(k)                                                                                   \
	{                                                                                          \
		.kind = k                                                                          \
	}
#define NOT(k)                                                                                     \
	{                                                                                          \
		.kind = k, .negate = true                                                          \
	}

#endif
