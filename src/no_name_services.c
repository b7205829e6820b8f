/* no_name_services.c: in a static program, what libraries would bring in or load for nobody. */
#include <errno.h>
#include <iconv.h>
#include <netdb.h>
#include <stddef.h>
#include <unicase.h>

/*
 * c-ares and libevent look up names of services, protocols and hosts, and libpsl and libunistring
 * convert from other character sets than UTF-8 and change the case of letters, in functions that
 * nothing here calls. With the code for them the name service switch, a loader of modules and
 * tables of letters would be linked into the program, and files of another system be looked for.
 * Here they answer that there is nothing to be found.
 */
int getservbyport_r(int port, const char *protocol, struct servent *entry, char *buffer,
		    size_t size, struct servent **ret)
{
	(void)port;
	(void)protocol;
	(void)entry;
	(void)buffer;
	(void)size;
	*ret = NULL;
	return ENOENT;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
	(void)name;
	(void)protocol;
	return NULL;
}

struct protoent *getprotobynumber(int number)
{
	(void)number;
	return NULL;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **ret)
{
	(void)node;
	(void)service;
	(void)hints;
	(void)ret;
	return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

iconv_t iconv_open(const char *to, const char *from)
{
	(void)to;
	(void)from;
	errno = EINVAL;
	return (iconv_t)-1;
}

size_t iconv(iconv_t conversion, char **in, size_t *in_left, char **out, size_t *out_left)
{
	(void)conversion;
	(void)in;
	(void)in_left;
	(void)out;
	(void)out_left;
	errno = EBADF;
	return (size_t)-1;
}

int iconv_close(iconv_t conversion)
{
	(void)conversion;
	errno = EBADF;
	return -1;
}

uint8_t *u8_tolower(const uint8_t *text, size_t size, const char *language, uninorm_t form,
		    uint8_t *result, size_t *length)
{
	(void)text;
	(void)size;
	(void)language;
	(void)form;
	(void)result;
	(void)length;
	errno = ENOTSUP;
	return NULL;
}
