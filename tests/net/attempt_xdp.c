/* attempt_xdp.c: a frame by AF_XDP, which lies below netfilter and below packet sockets. */
#include "attempt.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRAME_SIZE = 4096, FRAMES = 4, RING = 4 };

static struct outcome refused(void)
{
	return (struct outcome){ RESULT_REFUSED, errno };
}

static bool set_ring(int descriptor, int option)
{
	int size = RING;

	return setsockopt(descriptor, SOL_XDP, option, &size, sizeof(size)) == 0;
}

/* The memory that frames stand in, shared with the kernel; NULL with errno. */
static unsigned char *share_memory(int descriptor)
{
	unsigned char *memory = mmap(NULL, FRAMES * FRAME_SIZE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct xdp_umem_reg shared = { .addr = (uintptr_t)memory, .len = FRAMES * FRAME_SIZE,
				       .chunk_size = FRAME_SIZE };

	if (memory == MAP_FAILED || setsockopt(descriptor, SOL_XDP, XDP_UMEM_REG, &shared, sizeof(shared)) ||
	    !set_ring(descriptor, XDP_UMEM_FILL_RING) || !set_ring(descriptor, XDP_UMEM_COMPLETION_RING) ||
	    !set_ring(descriptor, XDP_TX_RING))
		return NULL;
	return memory;
}

struct outcome act_xdp(int descriptor, const struct target *target)
{
	const struct sockaddr_xdp device = { .sxdp_family = AF_XDP, .sxdp_flags = XDP_COPY,
					     .sxdp_ifindex = if_nametoindex(DEVICE) };
	struct xdp_mmap_offsets offsets;
	socklen_t size = sizeof(offsets);
	unsigned char *memory = share_memory(descriptor);
	char *ring;

	if (!memory || getsockopt(descriptor, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size))
		return refused();
	ring = mmap(NULL, offsets.tx.desc + RING * sizeof(struct xdp_desc), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, descriptor, XDP_PGOFF_TX_RING);
	if (ring == MAP_FAILED || bind(descriptor, (const struct sockaddr *)&device, sizeof(device)))
		return refused();
	*(struct xdp_desc *)(ring + offsets.tx.desc) =
		(struct xdp_desc){ .len = (uint32_t)write_frame(memory, target) };
	__atomic_store_n((uint32_t *)(ring + offsets.tx.producer), 1, __ATOMIC_RELEASE);
	if (sendto(descriptor, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 && errno != EAGAIN && errno != EBUSY)
		return refused();
	usleep(ANSWER_MS * 1000);
	return (struct outcome){ RESULT_SENT, 0 };
}
