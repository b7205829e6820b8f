# escapes_worlds.sh: escapes.table in several set-ups side by side, and what they saw together; sourced by escapes_rows.sh.
# shellcheck shell=bash
#
# Each has a shell of its own, since it waits most of its time. A place may cut the table into parts, each of which
# is a set-up too: wanted_row looks at $part.
parts=(all)
part=all

# wanted_row ROW: whether it is of this part of the table.
wanted_row() {
	waits_as_part "$1"
}

# Rows that wait for seconds can have a part of their own.
waits_as_part() {
	case $part:$1 in
	quick:listen* | quick:root:listen-* | quick:simultaneous | quick:published-* | quick:kernel-*) false ;;
	quick:udp-flood | quick:early-*) false ;;
	slow:listen* | slow:root:listen-* | slow:simultaneous | slow:published-* | slow:kernel-*) ;;
	slow:udp-flood | slow:early-*) ;;
	slow:*) false ;;
	esac
}

# run_part WORLD: what it prints is told again later; what it saw is left in a file, a row a line.
run_part() {
	local world=$1 key
	# Ordinary life goes on in the first of them.
	[ "$part" = "${parts[0]}" ] || controls() { :; }
	try_world "$world"
	for key in "${!outcome[@]}"; do printf '%s %s\n' "$key" "${outcome[$key]}"; done >"$results/$world-$part.seen"
	end_place
}

# retell FILE: what a shell of its own has said, numbered on.
retell() {
	local line
	while IFS= read -r line; do
		case $line in
		'ok '[0-9]*' - '*) ok "${line#ok * - }" ;;
		'not ok '[0-9]*' - '*) not_ok "${line#not ok * - }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$1"
}

# add_world WORLD: of a row that was tried in two parts the first counts in the table.
add_world() {
	local world=$1 row target seen
	for part in "${parts[@]}"; do
		retell "$results/$world-$part.tap"
		[ -e "$results/$world-$part.seen" ] || { not_ok "$world came to its end"; return; }
		while read -r _ row target seen; do
			: "${outcome["$world $row $target"]:=$seen}"
		done <"$results/$world-$part.seen"
	done
	same "$world: every row of escapes.table was tried" "$(awk '!/^#/ && NF > 0 { print $1, $2 }' "$table" | sort -u)" \
		"$(cut -d ' ' -f 2,3 "$results/$world"-*.seen | sort -u)"
}

# What run refuses looks like what the kernel has none of: the other set-ups know. It is closed in either case.
find_absent() {
	local key row
	for key in "${!outcome[@]}"; do
		row=${key#* }
		if [ "${outcome[$key]}" = no-kernel ] && [ "${outcome["run $row"]:-}" = closed ]; then
			outcome["run $row"]=no-kernel
		fi
	done
}

# try_worlds WORLD...
try_worlds() {
	local world pids=()
	results=$(mktemp -d "${TMPDIR:-/tmp}/egfw-results-XXXXXX")
	for world; do
		for part in "${parts[@]}"; do
			(run_part "$world") >"$results/$world-$part.tap" 2>&1 &
			pids+=($!)
		done
	done
	wait "${pids[@]}"
	for world; do add_world "$world"; done
	rm -rf "$results"
	find_absent
	print_table
}

# --- the table, as it was seen --------------------------------------------------------------------------

# expected and, where it differs, what was seen
cell() {
	local seen=${outcome["$1 $2 $3"]:--}
	if [ "$seen" = "$4" ]; then echo "$4"; else echo "$4/$seen"; fi
}

print_row() {
	printf '# %-26s %-31s %-16s %-16s %-16s %-16s %s\n' "$1" "$2" "$(cell none "$1" "$2" "$3")" \
		"$(cell naive "$1" "$2" "$4")" "$(cell apply "$1" "$2" "$5")" \
		"$(cell run "$1" "$2" "$6")" "$(cell strict "$1" "$2" "$7")"
}

print_table() {
	printf '#\n# expected, or expected/seen where they differ; no-kernel: cannot be tried on this kernel\n'
	printf '# %-26s %-31s %-16s %-16s %-16s %-16s %s\n' attempt target none naive apply run strict
	part=
	each_row print_row
}
