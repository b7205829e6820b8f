/* nft_shape.h: which attributes our expressions have, for writing and for reading them. */
#ifndef EGRESSFW_KERNEL_NFT_SHAPE_H
#define EGRESSFW_KERNEL_NFT_SHAPE_H

#include "kernel/nft_expression.h"

/* What an attribute holds, and where in struct expression that stands. */
enum field_kind {
	FIELD_END,
	FIELD_FIXED,  /* 32 bits that are always the same */
	FIELD_KEY,    /* 32 bits */
	FIELD_KEY_16, /* 16 bits, of key */
	FIELD_OFFSET,
	FIELD_OFFSET_8, /* 8 bits, of offset; may be missing when read, and is then 0 */
	FIELD_LENGTH,
	FIELD_DATA, /* NFTA_DATA_VALUE; as long as the length that was read before, or gives it */
	FIELD_MASK,
	FIELD_NAME,    /* text */
	FIELD_SET,     /* the name of a named or an anonymous set */
	FIELD_VERDICT, /* NFTA_DATA_VERDICT: key, and name where there is one */
	FIELD_PACKETS, /* 64 bits */
	FIELD_BYTES,
	FIELD_ABSENT, /* never there: its zero says something */
};

enum { FIELDS_MAX = 6 };

struct field {
	enum field_kind kind;
	uint16_t attribute;
	uint32_t fixed;
};

struct shape {
	const char *name;
	struct field fields[FIELDS_MAX];
};

extern const struct shape shapes[EXPRESSION_FOREIGN];

#endif
