/* channels.c: what a socket's name or port says about who is behind it. */
#include "doctor/channels.h"

#include <string.h>

const char *const channel_paths[] = {
	"/run/docker.sock",
	"/var/run/docker.sock",
	"/run/podman/podman.sock",
	"/run/containerd/containerd.sock",
	"/run/k3s/containerd/containerd.sock",
	"/run/crio/crio.sock",
	"/run/buildkit/buildkitd.sock",
	"/var/lib/lxd/unix.socket",
	"/var/snap/lxd/common/lxd/unix.socket",
	"/var/lib/incus/unix.socket",
	"/run/libvirt/libvirt-sock",
	"/run/systemd/resolve/io.systemd.Resolve",
	"/run/systemd/resolve.hook/io.systemd.Network",
	"/run/nscd/socket",
	"/var/run/nscd/socket",
	"/run/dbus/system_bus_socket",
	"/var/run/dbus/system_bus_socket",
	NULL,
};

/* Matched anywhere in the path: sockets are often mounted at other places under their own name. */
static const struct {
	const char *part;
	enum check check;
} parts[] = {
	{ "docker.sock", CHECK_CONTAINER_ENGINE },
	{ "podman.sock", CHECK_CONTAINER_ENGINE },
	{ "containerd.sock", CHECK_CONTAINER_ENGINE },
	{ "crio.sock", CHECK_CONTAINER_ENGINE },
	{ "buildkitd.sock", CHECK_CONTAINER_ENGINE },
	{ "lxd/unix.socket", CHECK_CONTAINER_ENGINE },
	{ "incus/unix.socket", CHECK_CONTAINER_ENGINE },
	{ "libvirt-sock", CHECK_CONTAINER_ENGINE },
	{ "/systemd/resolve", CHECK_SYSTEMD_RESOLVED },
	{ "/nscd/", CHECK_NSCD },
	{ "system_bus_socket", CHECK_DBUS },
	{ "dbus-", CHECK_DBUS },
	{ "/bus", CHECK_DBUS },
	{ "S.gpg-agent", CHECK_KEY_AGENTS },
	{ "S.scdaemon", CHECK_KEY_AGENTS },
	{ "S.dirmngr", CHECK_KEY_AGENTS },
	{ "ssh-agent", CHECK_KEY_AGENTS },
	{ "/agent.", CHECK_KEY_AGENTS },
	{ "/keyring/", CHECK_KEY_AGENTS },
};

enum check channel_of_path(const char *path)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(path, parts[i].part))
			return parts[i].check;
	return CHECK_UNIX_SOCKETS;
}

static bool is_among(uint16_t port, const uint16_t *ports, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ports[i] == port)
			return true;
	return false;
}

bool port_is_refused(uint16_t port)
{
	static const uint16_t ports[] = { 53, 853, 5353 };

	return is_among(port, ports, sizeof(ports) / sizeof(*ports));
}

bool port_is_resolver(uint16_t port)
{
	static const uint16_t ports[] = { 54,   1053, 2053, 5053, 5054, 5300, 5333,
					  5335, 5355, 5533, 8053, 8653, 9053, 10053 };

	return is_among(port, ports, sizeof(ports) / sizeof(*ports));
}

bool port_is_proxy(uint16_t port)
{
	static const uint16_t ports[] = { 1080, 1081, 3127, 3128, 3129,  3130,  4444,  7890,
					  7891, 8080, 8081, 8118, 8123,  8888,  8889,  9040,
					  9050, 9051, 9150, 9151, 10808, 10809, 15001, 15006 };

	return is_among(port, ports, sizeof(ports) / sizeof(*ports));
}
