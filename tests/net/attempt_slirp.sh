#!/bin/bash
# attempt_slirp.sh: an attempt in a network namespace of its own, with slirp4netns beside it as its way out.
try() {
	coproc inside { exec unshare -Urn sh -c 'echo "$$"; read -r _; exec "$@" >&4' sh "${0%/*}/plain" "$@"; }
	read -r pid <&"${inside[0]}" || return
	exec {go}>&"${inside[1]}"
	coproc outside { exec slirp4netns --configure --ready-fd=9 "$pid" tap0 9>&1 >/dev/null; }
	slirp=$!
	read -r -t 5 -n 1 _ <&"${outside[0]}"
	echo >&"$go"
	wait "$pid"
	kill "$slirp"
	wait "$slirp"
}
slirp4netns --version >/dev/null || { echo "no-program 0"; exit; }
said=$(try "$@" 4>&1 2>/dev/null)
echo "${said:-no-start 0}"
