/* denial.h: how a denial of the filter looks to its client. */
#ifndef EGRESSFW_PLAN_DENIAL_H
#define EGRESSFW_PLAN_DENIAL_H

enum denial {
	DENIAL_PLAIN,  /* 403 with the rule */
	DENIAL_HIDDEN, /* 404 that tells nothing */
	DENIALS,
};

/* "plain", "hidden". */
const char *denial_name(enum denial denial);

#endif
