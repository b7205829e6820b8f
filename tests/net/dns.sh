# dns.sh: the nameserver of the test world (203.0.113.53), answering from a script; sourced after world.sh.
# shellcheck shell=bash

DNS_STUB=${DNS_STUB:-$BUILDDIR/tests/net/dns_stub}
dns_pid=

# dns_script <SCRIPT: (re)starts the server with these answers; see dns_stub.c for the lines.
# Questions stand in $WORLD/questions from then on. Not behind a pipe: the server ends with its shell.
dns_script() {
	local tries=0
	cat >"$WORLD/answers"
	if [ -n "$dns_pid" ]; then
		kill -KILL "$dns_pid" 2>/dev/null
		wait "$dns_pid" 2>/dev/null
	else
		# Port 53 of every address is taken by the echo servers.
		far nft -f - <<-'END'
			table ip nameserver {
				chain prerouting {
					type nat hook prerouting priority -100;
					ip daddr 203.0.113.53 udp dport 53 redirect to :5354
					ip daddr 203.0.113.53 tcp dport 53 redirect to :5354
				}
			}
		END
	fi
	rm -f "$WORLD/questions"
	nsenter -t "$world_far" -n -w -- "$DNS_STUB" "$WORLD/answers" "$WORLD/questions" 0.0.0.0:5354 &
	dns_pid=$!
	world_pids+=("$dns_pid")
	until [ -e "$WORLD/questions" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 250 ] || { echo 'Bail out! the nameserver did not start'; exit 1; }
		sleep 0.02
	done
}
