/* firewall_open.c: which back end the kernel's tables are spoken to by. */
#include "cmd/firewall.h"

#include "cmd/firewall_open.h"
#include "system/privilege.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* *ret_unsupported: the kernel has no nf_tables. */
static bool open_nft(struct firewall *firewall, bool *ret_unsupported, struct err *err)
{
	int errnum = 0;

	*ret_unsupported = false;
	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return false;
	if (firewall_lowered(nft_open(firewall->timeout_ms, &firewall->nft, &errnum, err), err))
		return true;
	*ret_unsupported = errnum == EPROTONOSUPPORT || errnum == EINVAL;
	return false;
}

static enum xt_opened open_xt_once(struct firewall *firewall, bool raw, struct err *err)
{
	enum xt_opened opened;

	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err) ||
	    (raw && !privilege_raise(PRIVILEGE_NET_RAW, err)))
		return XT_OPEN_FAILED;
	opened = xt_open(raw, firewall->ipv6, firewall->timeout_ms, &firewall->xt, err);
	if (firewall_lowered(opened == XT_OPENED, err) || opened != XT_OPENED)
		return opened;
	xt_close(firewall->xt);
	firewall->xt = NULL;
	return XT_OPEN_FAILED;
}

static bool open_xt(struct firewall *firewall, struct err *err)
{
	enum xt_opened opened = open_xt_once(firewall, false, err);
	bool wants_raw = opened == XT_OPEN_WANTS_RAW;

	if (wants_raw && privilege_is_permitted(PRIVILEGE_NET_RAW))
		opened = open_xt_once(firewall, true, err);
	if (wants_raw && opened != XT_OPENED)
		err_append(err, "; gVisor answers raw sockets alone: there, add CAP_NET_RAW to the "
				"container and give runsc --net-raw");
	return opened == XT_OPENED;
}

static bool open_any(enum backend backend, struct firewall *firewall, struct err *err)
{
	bool unsupported = false;
	struct err no_nft;

	if (backend == BACKEND_XT)
		return open_xt(firewall, err);
	if (open_nft(firewall, &unsupported, err))
		return true;
	if (!unsupported)
		return false;
	if (backend == BACKEND_AUTO) {
		no_nft = *err;
		if (open_xt(firewall, err))
			return true;
		err_append(err, " (and no nf_tables: %.200s)", no_nft.text);
		return false;
	}
	err_wrap(err, "this kernel has no nf_tables");
	return false;
}

bool firewall_open(const struct firewall_request *request, struct firewall *ret, struct err *err)
{
	struct firewall firewall = { .ipv6 = request->ipv6, .timeout_ms = request->timeout_ms };
	struct err forgetting;
	bool good;

	snprintf(firewall.table, sizeof(firewall.table), "%s", request->table);
	good = open_any(request->backend, &firewall, err);
	if (!privilege_forget(PRIVILEGE_NET_RAW, &forgetting) && good) {
		firewall_close(&firewall);
		*err = forgetting;
		good = false;
	}
	firewall.any_backend = request->backend == BACKEND_AUTO && firewall.nft;
	if (good)
		*ret = firewall;
	return good;
}

struct xt *firewall_open_beside(const struct firewall *firewall)
{
	return firewall->any_backend ? firewall_open_xt_beside(firewall) : NULL;
}

struct xt *firewall_open_xt_beside(const struct firewall *firewall)
{
	struct err ignored;
	struct xt *xt;

	if (!xt_is_loaded() ||
	    xt_open(false, false, firewall->timeout_ms, &xt, &ignored) != XT_OPENED)
		return NULL;
	return xt;
}

bool firewall_open_nft_beside(const struct firewall *firewall, struct nft **ret, struct err *err)
{
	struct firewall beside = { .timeout_ms = firewall->timeout_ms };
	bool unsupported;

	if (!open_nft(&beside, &unsupported, err) && !unsupported)
		return false;
	*ret = beside.nft;
	return true;
}

void firewall_close(struct firewall *firewall)
{
	if (firewall->nft)
		nft_close(firewall->nft);
	xt_close(firewall->xt);
	free(firewall->also);
	firewall->also = NULL;
	firewall->also_count = 0;
	firewall->nft = NULL;
	firewall->xt = NULL;
}
