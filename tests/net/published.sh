#!/bin/bash
# published.sh: servers of confined users answer on published ports, and nothing but an answer leaves by them.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
[ -z "${back_end:-}" ] || xt_require
. "$SRCDIR/tests/net/stream_tool.sh"
# As long as no table asks for it, connections are not tracked, and their beginnings are not seen.
agent nft flush ruleset

port=10000
# A port of the far side that conntrack has not seen yet.
fresh_port() { port=$((port + 1)); }

own() { if [ "$1" = 4 ]; then echo 192.0.2.2; else echo 2001:db8::2; fi; }
there() { if [ "$1" = 4 ]; then echo 192.0.2.1; else echo 2001:db8::1; fi; }
host() { if [ "$1" = 4 ]; then own 4; else echo "[$(own 6)]"; fi; }

answered() { check "$1" far "$ATTEMPT" --uid 0 "${3:-tcp}" "$2"; }
# Nobody outside is answered: no packet leaves but a reset.
silent() {
	wire_mark
	deny "$1" far "$ATTEMPT" --uid 0 "${3:-tcp}" "$2"
	# What another port has answered before may be on its way once more.
	same "$1: no packet" "" "$(wire_since "\$7 !~ /R/ && \$4 == ${2##*:}")"
}

# delivers FAMILY: all data that waits when the server is gone arrives.
delivers() {
	local wrote
	start server user_tool dump "$(own "$1")" 8090 400000
	wait_for server ready
	far_tool drain "$(own "$1")" 8090 >"$WORLD/client" 2>&1
	wait $started
	wrote=$(awk '$1 == "wrote" { print $2 }' "$WORLD/server")
	[ "${wrote:-0}" -gt 100000 ] && [ "$(cat "$WORLD/client")" = "read $wrote" ]
}

# begun_outward FAMILY LOCK...: the user begins outward by a published port; LOCK; what comes in then looks like the
# beginning; the user sends. True where that arrived.
begun_outward() {
	local server client family=$1
	shift
	fresh_port
	start server far_tool pretend "$(there $family)" $port
	server=$started
	wait_for server ready
	start client user_tool client "$(own $family)" 8091 "$(there $family)" $port
	client=$started
	wait_for client ready || return 2
	"$@" || return 2
	go server
	sleep 0.3
	go client
	wait $client
	go server
	wait $server
	grep -qE '^(got|nothing)' "$WORLD/server" || { cat "$WORLD/server"; return 2; }
	grep -q "got b'smuggled'" "$WORLD/server"
}

# client_is_refused FAMILY: with a published port as its own, at once.
client_is_refused() {
	user_tool client "$(own $1)" 8091 "$(there $1)" 80 >"$WORLD/client" 2>&1
	grep -q '^refused .*Connection refused' "$WORLD/client"
}

# both_begin FAMILY: the user begins, by a published port, to where a SYN has come from; true where its SYN left.
both_begin() {
	fresh_port
	# The kernel's own reset would end what the SYN began.
	printf '%s\n' 'table inet quiet {' 'chain output {' 'type filter hook output priority -400;' \
		'tcp sport 8091 tcp flags & rst == rst drop' '}' '}' | agent nft -f - || return 2
	far_tool syn "$(there $1)" $port "$(own $1)" 8091
	wire_mark
	user_tool simultaneous "$(own $1)" 8091 "$(there $1)" $port >"$WORLD/client" 2>&1
	unload quiet
	grep -q '^E' "$WORLD/client" || return 2
	[ -n "$(wire_since '$2 == "tcp" && $4 == 8091 && $7 == "S"')" ]
}

# As apply would commit it, without ending the sockets from before: the rules alone have to hold.
load_plan() { fw plan "$WORLD/published.json" >"$WORLD/plan.nft" && agent nft -f "$WORLD/plan.nft"; }
# What is often written: an answer is what is established.
load_established() {
	agent nft -f - <<-'END'
		table inet naive {
			chain output {
				type filter hook output priority 0; policy accept;
				oifname "lo" accept
				ct state established accept
				meta skuid 1500 reject with tcp reset
			}
		}
	END
}
unload() { agent nft delete table inet "$1"; }

policy published <<END
{ "network_mode": "no-network", "users": [$AGENT_UID], "published_ports": [8090, 8091] }
END
policy pass <<END
{ "network_mode": "no-network", "users": [$AGENT_UID], "published_ports": [8090, 8091], "ownerless": "pass" }
END
policy other <<END
{ "network_mode": "no-network", "users": [$OTHER_UID], "published_ports": [8092] }
END
no_network

# --- with other rules, or none: that the attempts can be seen at all --------------------------------------------

for family in 4 6; do
	check "IPv$family, no rules: what a client sends arrives" begun_outward $family true
	check "IPv$family, no rules: a SYN to where one has come from leaves" both_begin $family
	check "IPv$family, established rules: what a client sends arrives" begun_outward $family load_established
	unload naive
done

# --- from before the lock ---------------------------------------------------------------------------------------

# A plan is text for nft alone.
for family in ${back_end:-4 6}; do
	[ "$family" = xt ] && break
	status 1 "IPv$family: a client from before, what it sends" begun_outward $family load_plan
	unload egressfw
done
serve agent:$AGENT_UID tcp/::/8090 tcp/::/8095 udp/::/8090 udp/::/8095
server=$served_pid
start early far_tool talk 192.0.2.2 8090
early=$started
check "a connection from before" wait_for early ready
check "apply" by apply "$WORLD/published.json"
says "the connection from before is ended" 'sockets +1 ended, 0 could not be ended'
go early
wait $early
deny "and says nothing more" grep -q heard "$WORLD/early"

# --- answers, and nothing else ----------------------------------------------------------------------------------

for family in 4 6; do
	answered "IPv$family: a published port answers" "$(host $family):8090"
	silent "IPv$family: another port does not" "$(host $family):8095"
	silent "IPv$family: UDP on the same port does not" "$(host $family):8090" udp
	check "IPv$family: the user is no client by it" client_is_refused $family
	status 1 "IPv$family: a SYN to where one has come from stays" both_begin $family
	closed "IPv$family: the user reaches nothing outside" tcp "$(if [ $family = 4 ]; then echo 1.1.1.1; else echo '[2606:4700:4700::1111]'; fi):443"
done
for target in 127.0.0.1 '[::1]'; do
	reached "by loopback as before, $target" tcp "$target:8090"
	reached "by loopback, a port that is not published, $target" tcp "$target:8095" $OTHER_UID
done
agent sysctl -qw net.ipv4.tcp_syncookies=2
for family in 4 6; do
	answered "IPv$family: SYN cookies, published" "$(host $family):8090"
	silent "IPv$family: SYN cookies, not published" "$(host $family):8095"
done
agent sysctl -qw net.ipv4.tcp_syncookies=1
check "a port that nobody listens at is refused at once" timeout 1 nsenter -t "$world_far" -n -- \
	"$BASH" -c '! exec 3<>/dev/tcp/192.0.2.2/8091'

# --- applied again ----------------------------------------------------------------------------------------------

for address in 192.0.2.2 2001:db8::2; do
	start kept far_tool talk $address 8090
	kept=$started
	check "a connection to a published port, $address" wait_for kept ready
	check "apply again" by apply "$WORLD/published.json"
	says "ends nothing" 'sockets +0 ended'
	go kept
	wait $kept
	check "the connection goes on" grep -q heard "$WORLD/kept"
done
start lost far_tool talk 192.0.2.2 8090
lost=$started
wait_for lost ready
check "apply a policy that publishes nothing" by apply "$WORLD/none.json"
says "ends the connection" 'sockets +1 ended'
go lost
wait $lost
deny "which says nothing more" grep -q heard "$WORLD/lost"
silent "the port does not answer any more" 192.0.2.2:8090

# --- another instance -------------------------------------------------------------------------------------------

serve agent:$AGENT_UID tcp/::/8092
check "apply" by apply "$WORLD/published.json"
check "another instance, with another port for another user" by apply --name other "$WORLD/other.json"
silent "the other one's port, and our user" 192.0.2.2:8092
answered "our port, and our user" 192.0.2.2:8090
serve_end "$served_pid"
serve agent:$OTHER_UID tcp/::/8092
answered "the other one's port, and its user" 192.0.2.2:8092
check "remove the other" by remove --name other
serve_end "$server"

# --- what a server leaves behind --------------------------------------------------------------------------------

for family in 4 6; do
	check "IPv$family: what waits when the server is gone arrives" delivers $family
done
check "verify" by verify
check "without tracking packets of no owner" by apply "$WORLD/pass.json"
serve agent:$AGENT_UID tcp/::/8090 tcp/::/8095
for family in 4 6; do
	answered "IPv$family, ownerless pass: a published port answers" "$(host $family):8090"
	silent "IPv$family, ownerless pass: another does not" "$(host $family):8095"
done
finish
