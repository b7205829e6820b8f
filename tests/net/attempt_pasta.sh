#!/bin/sh
# attempt_pasta.sh: an attempt in a network namespace of its own, with pasta as its way out. Everything runs as the user.
# It takes an ignored SIGPIPE for an error.
exec env --default-signal=PIPE pasta --config-net --quiet -- "${0%/*}/plain" "$@"
