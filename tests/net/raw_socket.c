/* raw_socket.c: whether a raw socket can be had in a user namespace of one's own; static, for any root. */
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Prints "open" and ends with 0, or the name of the error and 1. */
int main(void)
{
	if (unshare(CLONE_NEWUSER)) {
		printf("no user namespace: %s\n", strerrorname_np(errno));
		return 1;
	}
	if (socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW) < 0) {
		puts(strerrorname_np(errno));
		return 1;
	}
	puts("open");
	return 0;
}
