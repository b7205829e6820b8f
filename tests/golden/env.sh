#!/bin/bash
# env.sh: what egressfw env prints is evaluated by shells, and says what run would set.
set -u

egressfw=${EGRESSFW:-./egressfw}
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
failures=0

same() {
	if [ "$2" != "$3" ]; then
		echo "FAIL: $1: wanted \"$2\", found \"$3\"" >&2
		failures=$((failures + 1))
	fi
}

echo '{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["*.example.com"] }' >"$directory/wild.json"
echo '{ "network_mode": "no-network", "users": [1500] }' >"$directory/pin.json"
echo '{ "network_mode": "public" }' >"$directory/public.json"
echo '{' >"$directory/bad.json"

java='-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=8118 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8118'
for shell in sh bash dash; do
	command -v $shell >/dev/null || continue
	# shellcheck disable=SC2016 # the other shell expands it
	same "$shell" "http://127.0.0.1:8118 http://127.0.0.1:8118 localhost,127.0.0.1,::1 1 $java -Dhttp.nonProxyHosts=localhost|127.0.0.1|[::1]" \
		"$(env -i PATH="$PATH" $shell -c 'eval "$("$1" env --filter-listen 127.0.0.1:8118 "$2")" &&
			$3 -c "echo \"\$http_proxy \$HTTPS_PROXY \$no_proxy \$NODE_USE_ENV_PROXY \$JAVA_TOOL_OPTIONS\""' \
			sh "$egressfw" "$directory/wild.json" $shell)"
done
for policy in pin public; do
	same "$policy: nothing but a comment" '# this policy needs no filter, and no variables' "$("$egressfw" env "$directory/$policy.json")"
	same "$policy: it can be evaluated" '' "$(env -i PATH="$PATH" sh -c 'eval "$("$1" env "$2")"; env | grep -i proxy' sh "$egressfw" "$directory/$policy.json")"
done
"$egressfw" env "$directory/bad.json" >"$directory/out" 2>/dev/null
same "a policy that is none" 2 $?
same "a policy that is none: nothing is printed" '' "$(cat "$directory/out")"
"$egressfw" env --filter-listen 192.0.2.1:3128 "$directory/wild.json" >/dev/null 2>&1
same "a proxy elsewhere" 2 $?
[ "$failures" -eq 0 ]
