# systemd.sh: a machine with systemd as its first process, and contrib/systemd in it; sourced after engine_begin.
# shellcheck shell=bash
#
#   image_systemd POLICY [PROGRAM...]   the image, with that policy of core.sh, and programs of $engine_base/t in /usr/sbin
#   machine_begin                       its container, with egressfw.service enabled
#   machine CMD...                      in it, as root
#   within SECONDS CMD...               until it succeeds
[ -x /lib/systemd/systemd ] || skip_all "needs systemd"
. "$SRCDIR/tests/container/core.sh"

image_systemd() {
	local tree=$serve_images/systemd unit policy=$1
	shift
	debian_tree "$tree" systemd
	image_users "$tree"
	grep -E '^(messagebus|systemd-)' /etc/passwd >>"$tree/etc/passwd"
	awk -F : 'FNR == NR { known[$1]; next } !($1 in known)' "$tree/etc/group" /etc/group >"$tree/etc/group.more"
	cat "$tree/etc/group.more" >>"$tree/etc/group"
	rm "$tree/etc/group.more"
	mkdir -p "$tree/etc/egressfw" "$tree/etc/systemd/system/multi-user.target.wants" "$tree/home" "$tree/root" \
		"$tree/var/tmp" "$tree/usr/local/bin"
	echo 0123456789abcdef0123456789abcdef >"$tree/etc/machine-id"
	# What a container has no use for, and what would wait for a network.
	for unit in systemd-networkd-wait-online systemd-networkd systemd-udevd systemd-logind systemd-timesyncd; do
		ln -sf /dev/null "$tree/etc/systemd/system/$unit.service"
	done
	for unit in egressfw "$@"; do
		cp "$engine_base/t/$unit" "$tree/usr/sbin"
	done
	cp "$WORLD/p/$policy.json" "$tree/etc/egressfw/policy.json"
	cp "$SRCDIR"/contrib/systemd/*.{service,path} "$tree/etc/systemd/system"
	mkdir "$tree/etc/recipe"
	cp "$SRCDIR"/contrib/systemd/*.conf "$tree/etc/recipe"
	ln -s ../egressfw.service "$tree/etc/systemd/system/multi-user.target.wants"
	cat >"$tree/usr/local/bin/agent" <<-'END'
		#!/bin/sh
		/t/attempt tcp 203.0.113.80:80
		/t/attempt tcp 1.1.1.1:443
		/t/attempt udp 1.1.1.1:53
		/t/attempt vsock 1.1.1.1:443
		/t/attempt ring-tcp 203.0.113.80:80
		grep -E '^(Uid|CapBnd|NoNewPrivs):' /proc/self/status
		echo done
		exec sleep 1000
	END
	chmod 755 "$tree/usr/local/bin/agent"
	engine_image egressfw-systemd "$tree"
}

machine_begin() {
	engine run -d --name machine --systemd=always --cap-add NET_ADMIN --cap-add SYS_ADMIN "${usual[@]}" \
		egressfw-systemd /lib/systemd/systemd >/dev/null
	check "egressfw.service becomes active" within 30 machine systemctl is-active egressfw
}

machine() {
	engine exec machine "$@"
}

within() {
	local tries=0 limit=$(($1 * 5))
	shift
	until "$@"; do
		tries=$((tries + 1))
		[ "$tries" -lt "$limit" ] || return 1
		sleep 0.2
	done
}
