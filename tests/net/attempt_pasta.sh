#!/bin/bash
# attempt_pasta.sh: an attempt in a network namespace of its own, with pasta as its way out. Everything runs as the user.
# Where it cannot set up the namespace it ends, and leaves behind who waits there: a group of its own, which is ended.
# It takes an ignored SIGPIPE for an error.
pasta=(env --default-signal=PIPE pasta)
"${pasta[@]}" --version >/dev/null || { echo "no-program 0"; exit; }
set -m
coproc way { exec "${pasta[@]}" --config-net --quiet -- "${0%/*}/plain" "$@"; }
group=$way_PID
exec {said}<&"${way[0]}"
wait "$group"
read -r -t 0.2 -u "$said" answer
kill -KILL -- -"$group" 2>/dev/null
echo "${answer:-no-start 0}"
