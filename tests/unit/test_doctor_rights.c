/* test_doctor_rights.c: whom sudoers and doas.conf are about. */
#include "doctor/rights.h"

#include "suite.h"

#include <string.h>

static const uint32_t gids[] = { 1600, 27 };
static const char *const group_names[] = { NULL, "wheel" };
static const struct person agent = { 1500, "agent", gids, group_names, 2 };
static const struct person nameless = { 1700, NULL, gids, group_names, 0 };

static bool sudo(const char *text, const struct person *person)
{
	struct buffer joined = { 0 };
	struct word line;
	bool may;

	sudo_join(text, strlen(text), &joined);
	may = sudo_may(joined.data, joined.length, person, &line);
	if (may)
		ck_assert_uint_ne(line.length, 0);
	buffer_free(&joined);
	return may;
}

START_TEST(sudo_rules)
{
	static const struct {
		const char *text;
		bool may;
	} rows[] = {
		{ "agent ALL=(ALL) NOPASSWD: ALL\n", true },
		{ "\tagent\tALL = /bin/ls", true },
		{ "ALL ALL=(ALL) ALL\n", true },
		{ "#1500 ALL=(ALL) ALL\n", true },
		{ "%wheel ALL=(ALL) ALL\n", true },
		{ "%#27 ALL=(ALL) ALL\n", true },
		{ "\"agent\" ALL=ALL\n", true },
		{ "%\"wheel\" ALL=ALL\n", true },
		{ "other, agent ALL=ALL\n", true },
		{ "other,agent ALL=ALL\n", true },
		{ "other ,agent ALL=ALL\n", true },
		{ "other, \\\n  agent ALL=ALL\n", true },
		{ "User_Alias PEOPLE = other, agent\nPEOPLE ALL=ALL\n", true },
		{ "PEOPLE ALL=ALL\nUser_Alias ALL_OF = PEOPLE : PEOPLE = %wheel\n", true },
		{ "A ALL=ALL\nUser_Alias A = B\nUser_Alias B = #1500\n", true },
		{ "root ALL=(ALL) ALL\n", false },
		{ "root ALL=(agent) ALL\n", false },
		{ "other agent=(ALL) ALL\n", false },
		{ "agent2 ALL=ALL\n", false },
		{ "%agent ALL=ALL\n", false },
		{ "%sudo ALL=ALL\n", false },
		{ "#15000 ALL=ALL\n", false },
		{ "%#15 ALL=ALL\n", false },
		{ "!agent ALL=ALL\n", false },
		{ "# agent ALL=ALL\n", false },
		{ "#agent ALL=ALL\n", false },
		{ "Defaults:agent !authenticate\n", false },
		{ "User_Alias PEOPLE = agent\n", false },
		{ "User_Alias PEOPLE = other\nPEOPLE ALL=ALL\n", false },
		{ "Cmnd_Alias agent = /bin/ls\n", false },
		{ "User_Alias A = B : B = A\nA ALL=ALL\n", false },
		{ "User_Alias\nUser_Alias =\nUser_Alias = agent\n", false },
		{ "@includedir /etc/sudoers.d\n", false },
		{ "#includedir /etc/sudoers.d\n", false },
		{ ",\n,,\n%\n#\n\"\n\"\"\n", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_msg(sudo(rows[i].text, &agent) == rows[i].may, "%s", rows[i].text);
	ck_assert(!sudo("agent ALL=ALL\n% ALL=ALL\n", &nameless));
	ck_assert(sudo("#1700 ALL=ALL\n", &nameless));
}
END_TEST

START_TEST(more_aliases_than_are_kept)
{
	struct buffer text = { 0 };

	for (int i = 0; i < 1000; i++)
		buffer_printf(&text, "User_Alias A%d = agent\n", i);
	buffer_append_text(&text, "A5 ALL=ALL\n");
	ck_assert(sudo(buffer_string(&text), &agent));
	buffer_free(&text);
}
END_TEST

START_TEST(includes)
{
	static const char text[] = "@include /etc/a\n#include b c\n#includes x\n@includedir \"/etc/d e\"\n"
				   "#includedir\n  #include   last";
	static const struct {
		const char *path;
		bool directory;
	} wanted[] = {
		{ "/etc/a", false }, { "b c", false }, { "/etc/d e", true }, { "last", false },
	};
	struct cursor cursor = cursor_over(text, sizeof(text) - 1);
	struct sudo_include include;

	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		ck_assert(sudo_include_next(&cursor, &include));
		ck_assert(word_is(include.path, wanted[i].path));
		ck_assert(include.directory == wanted[i].directory);
	}
	ck_assert(!sudo_include_next(&cursor, &include));
}
END_TEST

START_TEST(doas_rules)
{
	static const struct {
		const char *text;
		bool may;
	} rows[] = {
		{ "permit agent\n", true },
		{ "permit nopass keepenv agent as root\n", true },
		{ "permit :wheel\n", true },
		{ "permit 1500 cmd ls\n", true },
		{ "permit setenv { other agent } agent\n", true },
		{ "permit persist \"agent\"\n", true },
		{ "deny agent\npermit agent cmd ls\n", true },
		{ "permit agent\ndeny agent cmd ls\n", true },
		{ "permit agent\ndeny agent\n", false },
		{ "permit other\n", false },
		{ "permit :agent\n", false },
		{ "permit other as agent\n", false },
		{ "permit setenv { agent } other\n", false },
		{ "permit setenv { agent\n", false },
		{ "# permit agent\n", false },
		{ "deny agent\n", false },
		{ "permit\npermit nopass\npermit :\npermit \"\"\n", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct word line;

		ck_assert_msg(doas_may(rows[i].text, strlen(rows[i].text), &agent, &line) == rows[i].may,
			      "%s", rows[i].text);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { sudo_rules, more_aliases_than_are_kept, includes, doas_rules };

	return suite_run("doctor_rights", tests, COUNT_OF(tests));
}
