/* cidr_list_notes.h: what a list of prefixes says otherwise than its policy. */
#ifndef EGRESSFW_PLAN_CIDR_LIST_NOTES_H
#define EGRESSFW_PLAN_CIDR_LIST_NOTES_H

#include "plan/cidr_list.h"

/* Adds a note for each kind of difference. `open`: the lists of entries that are open, or NULL. */
void cidr_list_add_notes(struct cidr_list *list, const struct policy *policy,
			 const struct destinations *const open[2], const struct resolved *resolved);

#endif
