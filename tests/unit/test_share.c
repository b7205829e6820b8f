/* test_share.c: what of the filter's limits one user comes to, and who counts as one. */
#include "filter/client.h"
#include "filter/share.h"

#include "suite.h"

/* How many each of `users` comes to where all want everything, taking turns. */
static size_t come_to(size_t users, size_t most, size_t *ret_all)
{
	size_t own[64] = { 0 }, all = 0;
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < users; i++)
			if (share_may(own[i], all, most)) {
				own[i]++;
				all++;
				more = true;
			}
	}
	*ret_all = all;
	return own[0];
}

START_TEST(test_parts)
{
	static const struct {
		size_t users, most, part;
	} rows[] = {
		{ 1, 8192, 7168 }, { 2, 8192, 3823 }, { 10, 8192, 808 }, { 1, 8, 7 }, { 1, 3, 3 }, { 1, 1, 1 },
	};
	size_t all;

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_uint_eq(come_to(rows[i].users, rows[i].most, &all), rows[i].part);
	/* Whoever comes next finds room, and never more than there is. */
	for (size_t users = 1; users < 64; users++) {
		come_to(users, 8192, &all);
		ck_assert_uint_lt(all, 8192);
		ck_assert(share_may(0, all, 8192));
	}
	ck_assert(!share_may(0, 8192, 8192));
	ck_assert(!share_may(0, 9000, 8192));
}
END_TEST

START_TEST(test_users)
{
	static const struct {
		bool known;
		uint32_t uid;
		unsigned group; /* who are one have the same */
	} rows[] = {
		{ false, 0, 0 },     { false, 1500, 0 },  { true, 0, 1 },      { true, 1500, 2 },
		{ true, 65535, 3 },  { true, 65536, 4 },  { true, 131071, 4 }, { true, 131072, 5 },
		{ true, 100000, 4 }, { true, 165535, 5 }, { true, 4294967294, 6 },
	};
	static const size_t counts[] = { offsetof(struct share, lookups), offsetof(struct share, attempts),
					 offsetof(struct share, refused) };
	struct share *found[COUNT_OF(rows)];
	struct shares shares = { .count = 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		found[i] = share_of(&shares, rows[i].known, rows[i].uid);
		found[i]->clients++;
		for (size_t j = 0; j < i; j++)
			ck_assert_msg((found[i] == found[j]) == (rows[i].group == rows[j].group), "%zu and %zu", i, j);
	}
	ck_assert_uint_eq(shares.count, 7);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		bool last = true;

		for (size_t j = i + 1; j < COUNT_OF(rows); j++)
			last &= found[j] != found[i];
		found[i]->clients--;
		/* What else is done for it goes on. */
		for (size_t j = 0; last && j < COUNT_OF(counts); j++) {
			size_t *count = (size_t *)((char *)found[i] + counts[j]), before = shares.count;

			*count = 1;
			share_less(found[i]);
			ck_assert_uint_eq(shares.count, before);
			*count = 0;
		}
		share_less(found[i]);
	}
	ck_assert_uint_eq(shares.count, 0);
}
END_TEST

/* Whoever has most, of those who have somebody who could go. */
START_TEST(test_largest)
{
	struct client clients[3] = { { .awaited = false } };
	struct shares shares = { .count = 0 };
	struct share *most = share_of(&shares, true, 1), *many = share_of(&shares, true, 2),
		     *few = share_of(&shares, true, 3);

	ck_assert_ptr_null(shares_largest_awaited(&shares));
	most->clients = 9;
	many->clients = 5;
	few->clients = 1;
	TAILQ_INSERT_TAIL(&few->awaited, &clients[0], awaited_entry);
	ck_assert_ptr_eq(shares_largest_awaited(&shares), few);
	TAILQ_INSERT_TAIL(&many->awaited, &clients[1], awaited_entry);
	ck_assert_ptr_eq(shares_largest_awaited(&shares), many);
	TAILQ_INSERT_TAIL(&most->awaited, &clients[2], awaited_entry);
	ck_assert_ptr_eq(shares_largest_awaited(&shares), most);
	TAILQ_REMOVE(&most->awaited, &clients[2], awaited_entry);
	ck_assert_ptr_eq(shares_largest_awaited(&shares), many);
	most->clients = many->clients = few->clients = 0;
	share_less(most);
	share_less(many);
	share_less(few);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_parts, test_users, test_largest };

	return suite_run("share", tests, COUNT_OF(tests));
}
