/* resolver_world.c: a network namespace with scripted DNS servers, and policies of names. */
#include "resolver_world.h"

#include "base/memory.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Where our files are: over a directory in which nobody builds or looks, seen by nobody else, and
 * gone with the last process of the mount namespace, whatever that process dies of.
 */
#define FILES "/sys"

enum { ADDRESSES_MAX = 8, READY_TRIES = 500 };

_Noreturn static void die(const char *what)
{
	perror(what);
	abort();
}

bool world_enter(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("egfw", FILES, "tmpfs", MS_NOSUID | MS_NODEV, NULL) < 0)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		return false;
	close(fd);
	return true;
}

void world_begin(struct world *world)
{
	*world = (struct world){ .directory = FILES "/egfw-resolver-XXXXXX" };
	if (!mkdtemp(world->directory))
		die(world->directory);
	snprintf(world->script, sizeof(world->script), "%s/script", world->directory);
	snprintf(world->log, sizeof(world->log), "%s/log", world->directory);
	snprintf(world->resolv_conf, sizeof(world->resolv_conf), "%s/resolv.conf",
		 world->directory);
	file_write(world->resolv_conf, "nameserver 127.0.0.1\n");
}

void world_end(struct world *world)
{
	if (world->server) {
		kill(world->server, SIGKILL);
		waitpid(world->server, NULL, 0);
	}
	unlink(world->script);
	unlink(world->log);
	unlink(world->resolv_conf);
	if (rmdir(world->directory) < 0)
		die(world->directory);
}

void world_serve(struct world *world, const char *script, const char *const *addresses)
{
	static char name[] = "dns_stub";
	char *arguments[ADDRESSES_MAX + 4] = { name, world->script, world->log };
	struct stat status;

	for (int i = 0; i < ADDRESSES_MAX && addresses[i]; i++)
		arguments[i + 3] = (char *)addresses[i];
	file_write(world->script, script);
	world->server = fork();
	if (world->server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv("tests/net/dns_stub", arguments);
		die("tests/net/dns_stub");
	}
	for (int i = 0; i < READY_TRIES; i++) {
		if (!stat(world->log, &status))
			return;
		usleep(10000);
	}
	fprintf(stderr, "the DNS server did not start\n");
	abort();
}

void world_serve_here(struct world *world, const char *script)
{
	world_serve(world, script, (const char *const[]){ "127.0.0.1:53", NULL });
}

void file_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		die(path);
}

char *file_read(const char *path)
{
	char *text = memory_allocate(1, 1);
	size_t length = 0, count;
	FILE *file = fopen(path, "re");

	while (file) {
		text = memory_resize(text, length + 4097, 1);
		count = fread(text + length, 1, 4096, file);
		length += count;
		text[length] = '\0';
		if (!count)
			break;
	}
	if (file)
		fclose(file);
	return text;
}

static unsigned count_lines(const struct world *world, const char *start, bool whole)
{
	autofree char *text = file_read(world->log);
	unsigned count = 0;
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		count += whole ? !strcmp(line, start) : !strncmp(line, start, strlen(start));
	return count;
}

unsigned world_asked(const struct world *world, const char *line)
{
	return count_lines(world, line, true);
}

unsigned world_asked_like(const struct world *world, const char *start)
{
	return count_lines(world, start, false);
}

static void add_name(struct policy *policy, char *name)
{
	struct destinations *hosts = &policy->allowed_hosts;

	hosts->items = memory_resize(hosts->items, hosts->count + 1, sizeof(*hosts->items));
	hosts->items[hosts->count++] =
		(struct destination){ .kind = DESTINATION_NAME, .name = name };
}

static struct policy policy_empty(void)
{
	return (struct policy){
		.mode = MODE_ALLOWLIST,
		.pin_hosts_max = 100000,
		.pin_addresses_max = 100000,
	};
}

struct policy policy_of(const char *names)
{
	struct policy policy = policy_empty();
	autofree char *copy = memory_copy_string(names);
	char *rest = NULL;

	for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		add_name(&policy, memory_copy_string(name));
	return policy;
}

struct policy policy_of_many(const char *prefix, const char *domain, size_t count)
{
	struct policy policy = policy_empty();

	for (size_t i = 0; i < count; i++)
		add_name(&policy, memory_format("%s%zu.%s", prefix, i, domain));
	return policy;
}

void policy_done(struct policy *policy)
{
	for (size_t i = 0; i < policy->allowed_hosts.count; i++)
		free(policy->allowed_hosts.items[i].name);
	free(policy->allowed_hosts.items);
	*policy = policy_empty();
}

static void print_addresses(const struct addresses *addresses, struct buffer *out)
{
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < addresses->count; i++)
		buffer_printf(out, " %s", address_format(&addresses->items[i], text));
}

char *resolved_text(const struct resolved *resolved)
{
	struct buffer out = { 0 };

	for (size_t i = 0; i < resolved->count; i++) {
		const struct resolved_name *item = &resolved->items[i];

		buffer_printf(&out, "%s%s: %s", i ? ", " : "", item->name,
			      resolve_status_name(item->status));
		print_addresses(&item->found, &out);
		if (item->refused.count)
			buffer_append_text(&out, " -");
		print_addresses(&item->refused, &out);
	}
	return buffer_steal(&out);
}
