/* ruleset_fixture.c: policies for the ruleset tests, built by hand, and their rulesets by name. */
#include "ruleset_fixture.h"

#include "base/memory.h"
#include "plan/ruleset_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
	fprintf(stderr, "fixture: %s\n", what);
	abort();
}

void fixture_init(struct fixture *fixture, enum network_mode mode)
{
	*fixture = (struct fixture){
		.policy = {
			.mode = mode, .allow_model_endpoint = true, .loopback_any = true,
			.pin_hosts_max = PIN_HOSTS_DEFAULT,
			.pin_addresses_max = PIN_ADDRESSES_DEFAULT,
		},
		.table = "egressfw",
		.log = true,
	};
	rangeset_add(&fixture->confined, 1500, 1500);
	rangeset_add(&fixture->confined, 100000, 165535);
}

void fixture_free(struct fixture *fixture)
{
	policy_free(&fixture->policy);
	resolved_free(&fixture->resolved);
	rangeset_free(&fixture->confined);
	filter_plan_free(&fixture->filter);
}

struct rangeset fixture_ports(const char *text)
{
	struct rangeset ports = { 0 };

	while (*text) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		rangeset_add(&ports, (uint32_t)first, (uint32_t)last);
		text = *end ? end + 1 : end;
	}
	return ports;
}

struct address fixture_address(const char *text)
{
	struct address address;

	if (!address_parse(text, &address))
		fail(text);
	return address;
}

static struct destination *add(struct destinations *destinations, const char *ports)
{
	struct destination *destination;

	destinations->items = memory_resize(destinations->items, destinations->count + 1,
					    sizeof(*destinations->items));
	destination = &destinations->items[destinations->count++];
	*destination = (struct destination){ 0 };
	if (strcmp(ports, "80,443") != 0) {
		struct rangeset range = fixture_ports(ports);

		if (range.count != 1)
			fail(ports);
		destination->first_port = (uint16_t)range.items->first;
		destination->last_port = (uint16_t)range.items->last;
		rangeset_free(&range);
	}
	return destination;
}

static void add_name(struct destinations *destinations, const char *name, const char *ports)
{
	struct destination *destination = add(destinations, ports);

	destination->kind = DESTINATION_NAME;
	destination->name = memory_copy_string(name);
}

void fixture_allow_name(struct fixture *fixture, const char *name, const char *ports)
{
	add_name(&fixture->policy.allowed_hosts, name, ports);
}

void fixture_add_lane(struct fixture *fixture, const char *name, const char *ports)
{
	add_name(&fixture->policy.model_endpoints, name, ports);
}

void fixture_allow_wildcard(struct fixture *fixture, const char *name, const char *ports)
{
	struct destinations *list = &fixture->policy.allowed_hosts;

	add_name(list, name, ports);
	list->items[list->count - 1].kind = DESTINATION_WILDCARD;
}

void fixture_add_lane_at(struct fixture *fixture, const char *address, const char *ports)
{
	struct destination *destination = add(&fixture->policy.model_endpoints, ports);
	struct address first = fixture_address(address);
	struct prefix prefix = prefix_of(&first, address_bits(first.family));

	destination_set_prefix(destination, &prefix);
}

static void add_listed(struct address_ports *list, const char *text, uint16_t port)
{
	list->items = memory_resize(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct address_port){ fixture_address(text), port };
}

void fixture_filter(struct fixture *fixture, const char *nameservers)
{
	autofree char *copy = memory_copy_string(nameservers);
	char *rest = copy, *text;

	fixture->filtered = true;
	fixture->policy.enforcement = ENFORCE_FILTER;
	fixture->filter = (struct filter_plan){
		.uid = FILTER_UID_DEFAULT,
		.log = memory_copy_string("/var/log/egressfilter/egressfw.log"),
		.log_files = FILTER_LOG_FILES_DEFAULT,
		.program = memory_copy_string("/usr/sbin/egressfilter"),
		.start = true,
	};
	add_listed(&fixture->filter.listen, "127.0.0.1", 3128);
	add_listed(&fixture->filter.listen, "::1", 3128);
	while ((text = strsep(&rest, " ")) && *text)
		add_listed(&fixture->filter.nameservers, text, 53);
}

void fixture_allow_private(struct fixture *fixture, const char *address, unsigned length)
{
	struct prefixes *list = &fixture->policy.allow_private;
	struct address first = fixture_address(address);

	list->items = memory_resize(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = prefix_of(&first, (uint8_t)length);
}

void fixture_allow_prefix(struct fixture *fixture, const char *address, unsigned length,
			  const char *ports)
{
	struct destination *destination = add(&fixture->policy.allowed_hosts, ports);
	struct address first = fixture_address(address);
	struct prefix prefix = prefix_of(&first, (uint8_t)length);

	destination_set_prefix(destination, &prefix);
}

static int compare_addresses(const void *one, const void *other)
{
	return address_compare(one, other);
}

void fixture_resolve(struct fixture *fixture, const char *name, const char *addresses)
{
	struct resolved *resolved = &fixture->resolved;
	struct resolved_name *entry;
	autofree char *copy = memory_copy_string(addresses);
	char *rest = copy, *text;

	resolved->items =
		memory_resize(resolved->items, resolved->count + 1, sizeof(*resolved->items));
	entry = &resolved->items[resolved->count++];
	*entry =
		(struct resolved_name){ .name = memory_copy_string(name), .status = RESOLVE_FOUND };
	while ((text = strsep(&rest, " ")) && *text) {
		entry->found.items = memory_resize(entry->found.items, entry->found.count + 1,
						   sizeof(*entry->found.items));
		entry->found.items[entry->found.count++] = fixture_address(text);
	}
	if (entry->found.count)
		qsort(entry->found.items, entry->found.count, sizeof(*entry->found.items),
		      compare_addresses);
	else
		entry->status = RESOLVE_NO_ADDRESS;
}

struct ruleset fixture_ruleset(const struct fixture *fixture)
{
	struct ruleset_request request = {
		.policy = &fixture->policy,
		.resolved = fixture->deny_all ? NULL : &fixture->resolved,
		.confined = &fixture->confined,
		.table = fixture->table,
		.log = fixture->log,
		.filter = fixture->filtered ? &fixture->filter : NULL,
	};
	struct ruleset ruleset;
	struct err err;

	if (!ruleset_build(&request, &ruleset, &err))
		fail(err.text);
	return ruleset;
}

/* Builds and lets the fixture go. */
static struct ruleset finish(struct fixture *fixture)
{
	struct ruleset ruleset = fixture_ruleset(fixture);

	fixture_free(fixture);
	return ruleset;
}

static struct ruleset no_network(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	return finish(&fixture);
}

/* Names of both families and of one, literals, prefixes, four lists of ports, one of all. */
static void init_allowlist(struct fixture *fixture)
{
	fixture_init(fixture, MODE_ALLOWLIST);
	fixture_allow_name(fixture, "api.example", "80,443");
	fixture_allow_prefix(fixture, "198.51.100.0", 24, "80,443");
	fixture_allow_name(fixture, "registry.example", "8000-8010");
	fixture_allow_name(fixture, "mirror.example", "80,443");
	fixture_allow_name(fixture, "silent.example", "22");
	fixture_allow_prefix(fixture, "192.0.2.10", 32, "80,443");
	fixture_allow_prefix(fixture, "192.0.2.64", 27, "1-65535");
	fixture_allow_prefix(fixture, "2001:db8:5::", 48, "1-65535");
	fixture_allow_prefix(fixture, "2001:db8::10", 128, "1-65535");
	fixture_resolve(fixture, "api.example", "203.0.113.6 203.0.113.5 2001:db8:1::1");
	fixture_resolve(fixture, "mirror.example", "203.0.113.5 203.0.113.7");
	fixture_resolve(fixture, "registry.example", "2001:db8:2::1 2001:db8:2::2");
	fixture_resolve(fixture, "silent.example", "");
}

static struct ruleset allowlist(void)
{
	struct fixture fixture;

	init_allowlist(&fixture);
	return finish(&fixture);
}

/* The same for so many users that the rules look them up. */
static struct ruleset many_users(void)
{
	struct fixture fixture;

	init_allowlist(&fixture);
	for (uint32_t uid = 2000; uid < 2006; uid += 2)
		rangeset_add(&fixture.confined, uid, uid);
	return finish(&fixture);
}

static struct ruleset lanes(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	/* Only read in mode allowlist. */
	fixture_allow_name(&fixture, "other.example", "443");
	fixture_add_lane(&fixture, "model.example", "8443");
	fixture_resolve(&fixture, "model.example", "203.0.113.9 2001:db8:3::9");
	fixture_resolve(&fixture, "other.example", "203.0.113.10");
	return finish(&fixture);
}

static struct ruleset lanes_closed(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.policy.allow_model_endpoint = false;
	fixture_add_lane(&fixture, "model.example", "8443");
	fixture_resolve(&fixture, "model.example", "203.0.113.9");
	return finish(&fixture);
}

static struct ruleset loopback_ports(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.policy.loopback_any = false;
	fixture.policy.loopback_ports = fixture_ports("8080,9000-9010");
	return finish(&fixture);
}

static struct ruleset loopback_none(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.policy.loopback_any = false;
	fixture.policy.ownerless = OWNERLESS_PASS;
	return finish(&fixture);
}

static struct ruleset own_addresses(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_ALLOWLIST);
	fixture.policy.own_addresses = true;
	fixture_allow_prefix(&fixture, "198.51.100.7", 32, "443");
	return finish(&fixture);
}

static struct ruleset ownerless_pass(void)
{
	struct fixture fixture;

	init_allowlist(&fixture);
	fixture.policy.ownerless = OWNERLESS_PASS;
	return finish(&fixture);
}

static struct ruleset ownerless_pass_closed(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.policy.ownerless = OWNERLESS_PASS;
	return finish(&fixture);
}

static struct ruleset published(void)
{
	struct fixture fixture;

	init_allowlist(&fixture);
	fixture.policy.published_ports = fixture_ports("8080,9090");
	return finish(&fixture);
}

/* Nothing but that, and nobody's connections tracked for another reason. */
static struct ruleset published_pass(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.policy.ownerless = OWNERLESS_PASS;
	fixture.policy.published_ports = fixture_ports("8080");
	return finish(&fixture);
}

/* Everybody but root and 33, who are two ranges. */
static void init_strict(struct fixture *fixture, enum network_mode mode)
{
	struct user_spec exempt = { .range = { 33, 33 } };

	if (mode == MODE_ALLOWLIST)
		init_allowlist(fixture);
	else
		fixture_init(fixture, mode);
	fixture->policy.exempt_users.items = memory_copy(&exempt, sizeof(exempt));
	fixture->policy.exempt_users.count = 1;
	rangeset_free(&fixture->confined);
	rangeset_add(&fixture->confined, 1, 32);
	rangeset_add(&fixture->confined, 34, UID_LAST);
}

static struct ruleset strict(void)
{
	struct fixture fixture;

	init_strict(&fixture, MODE_NO_NETWORK);
	return finish(&fixture);
}

static struct ruleset strict_allowlist(void)
{
	struct fixture fixture;

	init_strict(&fixture, MODE_ALLOWLIST);
	fixture.policy.published_ports = fixture_ports("8080");
	return finish(&fixture);
}

/* Names, wildcards and prefixes, private ones among them; a resolver of each kind. */
static void init_filter(struct fixture *fixture)
{
	fixture_init(fixture, MODE_ALLOWLIST);
	fixture_filter(fixture, "127.0.0.11 203.0.113.53 10.0.0.53 2001:db8::53");
	fixture_allow_name(fixture, "api.example", "80,443");
	fixture_allow_wildcard(fixture, "pkg.example", "8000-8010");
	fixture_allow_prefix(fixture, "10.1.0.0", 16, "9005");
	fixture_allow_prefix(fixture, "2001:db8:5::", 48, "22");
	fixture_add_lane(fixture, "model.example", "8443");
	fixture_add_lane_at(fixture, "127.0.0.1", "8080");
	fixture_add_lane_at(fixture, "192.168.7.7", "8443");
	/* What a name has at this moment is nothing to the rules. */
	fixture_resolve(fixture, "api.example", "203.0.113.5");
}

static struct ruleset filter(void)
{
	struct fixture fixture;

	init_filter(&fixture);
	return finish(&fixture);
}

/* A list of loopback ports, private addresses for names, and nothing marked. */
static struct ruleset filter_pass(void)
{
	struct fixture fixture;

	init_filter(&fixture);
	fixture.policy.ownerless = OWNERLESS_PASS;
	fixture.policy.loopback_any = false;
	fixture.policy.loopback_ports = fixture_ports("8081");
	fixture_allow_private(&fixture, "172.16.0.0", 16);
	fixture_allow_private(&fixture, "fd00::", 8);
	return finish(&fixture);
}

static struct ruleset filter_loopback(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_BLOCKLIST);
	fixture_filter(&fixture, "127.0.0.53");
	fixture.policy.loopback_any = false;
	fixture_add_lane_at(&fixture, "::1", "8080");
	return finish(&fixture);
}

/* Pinned, with a lane on loopback that the list of ports does not have. */
static struct ruleset lane_on_loopback(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.policy.loopback_any = false;
	fixture_add_lane_at(&fixture, "127.0.0.1", "8080");
	return finish(&fixture);
}

/* Nothing but loopback, and no lane: the filter has nobody to go to but its nameserver. */
static struct ruleset filter_nothing(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture_filter(&fixture, "203.0.113.53");
	return finish(&fixture);
}

/* An instance of its own name, on a kernel that does not take the log statement. */
static struct ruleset instance(void)
{
	struct fixture fixture;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.table = "egressfw-ci-2";
	fixture.log = false;
	return finish(&fixture);
}

/* Uid 1600 closed in beside what stands; the new policy has another list of loopback ports. */
static struct ruleset close_beside(struct ruleset standing, enum ownerless ownerless,
				   const char *published)
{
	struct fixture fixture;
	struct rangeset closing = { 0 };
	struct ruleset deny_all, closed;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.policy.ownerless = ownerless;
	fixture.policy.loopback_any = false;
	fixture.policy.loopback_ports = fixture_ports("3128");
	fixture.policy.published_ports = fixture_ports(published);
	fixture.deny_all = true;
	rangeset_add(&fixture.confined, 1600, 1600);
	deny_all = finish(&fixture);
	rangeset_add(&closing, 1600, 1600);
	ruleset_close(&standing, &deny_all, &closing, &closed);
	rangeset_free(&closing);
	ruleset_free(&standing);
	ruleset_free(&deny_all);
	return closed;
}

static struct ruleset closing(void)
{
	return close_beside(allowlist(), OWNERLESS_DROP, "");
}

static struct ruleset closing_beside_pass(void)
{
	return close_beside(ownerless_pass(), OWNERLESS_DROP, "");
}

static struct ruleset closing_for_pass(void)
{
	return close_beside(allowlist(), OWNERLESS_PASS, "");
}

static struct ruleset closing_for_published(void)
{
	return close_beside(allowlist(), OWNERLESS_DROP, "8080");
}

static struct ruleset closing_beside_published(void)
{
	return close_beside(published(), OWNERLESS_DROP, "7070");
}

static struct ruleset narrow(struct ruleset inet, enum table_family family)
{
	struct ruleset narrow;

	ruleset_narrow(&inet, family, &narrow);
	ruleset_free(&inet);
	return narrow;
}

static struct ruleset narrowed_ip(void)
{
	return narrow(allowlist(), TABLE_IP);
}

static struct ruleset narrowed_ip6(void)
{
	return narrow(allowlist(), TABLE_IP6);
}

static struct ruleset filter_narrowed_ip6(void)
{
	return narrow(filter(), TABLE_IP6);
}

const char *const fixture_names[] = {
	"no-network",
	"allowlist",
	"many-users",
	"lanes",
	"lanes-closed",
	"loopback-ports",
	"loopback-none",
	"own-addresses",
	"ownerless-pass",
	"ownerless-pass-closed",
	"published",
	"published-pass",
	"strict",
	"strict-allowlist",
	"instance",
	"closing",
	"closing-beside-pass",
	"closing-for-pass",
	"closing-for-published",
	"closing-beside-published",
	"narrowed-ip",
	"narrowed-ip6",
	"filter",
	"filter-pass",
	"filter-loopback",
	"filter-nothing",
	"filter-narrowed-ip6",
	"lane-on-loopback",
	NULL,
};

struct ruleset fixture_named(const char *name)
{
	static struct ruleset (*const builders[])(void) = {
		no_network,     allowlist,
		many_users,     lanes,
		lanes_closed,   loopback_ports,
		loopback_none,  own_addresses,
		ownerless_pass, ownerless_pass_closed,
		published,      published_pass,
		strict,         strict_allowlist,
		instance,       closing,
		closing_beside_pass, closing_for_pass,
		closing_for_published, closing_beside_published,
		narrowed_ip,    narrowed_ip6,
		filter,		filter_pass,
		filter_loopback, filter_nothing,
		filter_narrowed_ip6, lane_on_loopback,
	};

	for (size_t i = 0; fixture_names[i]; i++)
		if (!strcmp(fixture_names[i], name))
			return builders[i]();
	fail(name);
	return (struct ruleset){ 0 };
}
