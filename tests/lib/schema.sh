# schema.sh: what the scripts share that hold JSON of the program beside its schema.
# shellcheck shell=sh
#
#   schema_begin PROGRAM   what has to be there; a scratch directory $work that goes at the end
#   schema_check ARG...    runs the Python text on standard input, which may import schema_check

source=${srcdir:-.}
egressfw=${EGRESSFW:-./egressfw}
python=${PYTHON:-/usr/bin/python3}

skip() {
	echo "$1"
	[ "${EGRESSFW_TESTS_MUST_RUN:-0}" = 1 ] && exit 1
	exit 77
}

schema_begin() {
	"$python" -c 'import jsonschema' 2>/dev/null || skip "python3 has no jsonschema: the schema is not tried"
	[ -x "$1" ] || skip "$1 is not built"
	work=$(mktemp -d) || exit 1
	trap 'rm -rf "$work"' EXIT
}

schema_check() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$source/tests/lib" "$python" - "$@"
}
