#!/bin/bash
# recipes_docker.sh: contrib/docker and contrib/compose, as their READMEs say.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin docker
. "$SRCDIR/tests/container/core.sh"
. "$SRCDIR/tests/container/filter.sh"
engine_usual
core_policies
far ip -6 route add 2001:db8:77::/64 via 2001:db8::2
world_serve_far
attempts=(/t/attempt --lines)
recipe=$SRCDIR/contrib/docker

# --- the image, from source, without a network --------------------------------------------------------

image_builder() {
	local tree=$serve_images/builder
	debian_tree "$tree" $(awk '$1 == "build" { print $2 }' "$SRCDIR/contrib/packages")
	cp /var/lib/dpkg/status "$tree/var/lib/dpkg"
	engine_image builder "$tree"
	rm -rf "$tree"
}

image_for_agents() {
	local tree=$serve_images/for-agents
	debian_tree "$tree"
	engine_image for-agents "$tree"
}

image_builder
image_for_agents
# What a release holds, with the permissions of a careless checkout.
(umask 002 && make -s distdir distdir="$WORLD/release" >"$WORLD/distdir-log" 2>&1)
chmod -R g+w "$WORLD/release"
engine_limit=400 check "docker build" engine build --network none --cgroup-parent "/$engine_group" \
	--build-arg BUILD_IMAGE=builder --build-arg AGENT_IMAGE=for-agents -t agent \
	-f "$WORLD/release/contrib/docker/Dockerfile" "$WORLD/release"
check "the policy of the image is one that is accepted" engine run --rm --entrypoint egressfw agent \
	check /etc/egressfw/policy.json

# --- the programs alone, and an image of one's own ------------------------------------------------------

engine_limit=400 check "docker build --target egressfw" engine build --network none --cgroup-parent "/$engine_group" \
	--build-arg BUILD_IMAGE=builder --build-arg AGENT_IMAGE=for-agents --target egressfw -t egressfw \
	-f "$WORLD/release/contrib/docker/Dockerfile" "$WORLD/release"
policy alone <<<'{ "network_mode": "allowlist", "users": [1000], "allowed_hosts": ["203.0.113.80:443"] }'
status 0 "the programs alone: they start with nothing beside them" engine run --rm egressfw --version
sees "the programs alone" engine run --rm -i --cap-add NET_ADMIN -v "$WORLD/p:/p:ro" -v "$engine_base/t:/t:ro" egressfw \
	run --quiet /p/alone.json -- "${attempts[@]}" <<-'END'
	tcp 203.0.113.80:443 connected
	tcp 1.1.1.1:443 ECONNREFUSED
	udp 1.1.1.1:53 EPERM
END
mkdir -m 755 "$WORLD/own"
cp "$WORLD/p/alone.json" "$WORLD/own/policy.json"
sed -n 's/^    COPY --from=egressfw /&/p' "$recipe/README" >"$WORLD/own/line"
same "the README has the line" 1 "$(wc -l <"$WORLD/own/line")"
{
	echo 'FROM for-agents'
	cat "$WORLD/own/line"
	echo 'COPY policy.json /policy.json'
	echo 'ENTRYPOINT ["egressfw", "run", "--quiet", "--init", "/policy.json", "--"]'
} >"$WORLD/own/Dockerfile"
check "an image of one's own" engine build --network none --cgroup-parent "/$engine_group" -t own "$WORLD/own"
sees "an image of one's own" engine run --rm -i --cap-drop ALL --cap-add NET_ADMIN --cap-add SETUID --cap-add SETGID \
	--cap-add SETPCAP -v "$engine_base/t:/t:ro" own "${attempts[@]}" <<-'END'
	tcp 203.0.113.80:443 connected
	tcp 1.1.1.1:443 ECONNREFUSED
END
for lacking in NET_ADMIN SETUID SETGID SETPCAP; do
	given=()
	for one in NET_ADMIN SETUID SETGID SETPCAP; do [ $one = $lacking ] || given+=(--cap-add $one); done
	status 125 "without $lacking nothing is started" engine run --rm --cap-drop ALL "${given[@]}" own echo started
	says "without $lacking: it is named" "CAP_$lacking"
	says_not "without $lacking: nothing was started" '^started'
done

# --- the entry point ----------------------------------------------------------------------------------

engine network create --ipv6 --subnet 10.77.0.0/24 --subnet 2001:db8:77::/64 inner >/dev/null
policy recipe <<<'{ "network_mode": "allowlist", "users": ["agent"], "allowed_hosts": ["allowed.example.test:80"] }'
given=(--cap-add NET_ADMIN --network inner -v "$WORLD/p/recipe.json:/etc/egressfw/policy.json:ro" -v "$engine_base/t:/t:ro")
sees "entry point" engine run --rm -i "${given[@]}" agent "${attempts[@]}" <<-'END'
	tcp 203.0.113.80:80 connected
	tcp [2001:db8:1::80]:80 connected
	tcp 1.1.1.1:443 ECONNREFUSED
	tcp [2606:4700:4700::1111]:443 ECONNREFUSED
	udp 1.1.1.1:53 EPERM
	udp 127.0.0.11:53 EPERM
	vsock 1.1.1.1:443 no-kernel
END
status 0 "entry point: who the agent is, and what it knows" engine run --rm -e AGENT_TASK=one -e SECRET=two "${given[@]}" \
	agent bash -c 'id -u; echo "$HOME ${AGENT_TASK-} ${SECRET-}"; getent hosts allowed.example.test'
same "entry point: the user, its home, its variables, and the allowed name" \
	$'1000\n/home/agent one \n2001:db8:1::80  allowed.example.test' "$(cat "$WORLD/out")"
status 125 "entry point: without NET_ADMIN nothing is started" engine run --rm "${given[@]:2}" agent echo started
says "entry point: and why" 'CAP_NET_ADMIN'
says_not "entry point: nothing was started" '^started'
engine run -d --name one "${given[@]}" agent sleep 1000 >/dev/null
status 0 "entry point: one more program by exec" engine exec one entrypoint grep -E '^(Uid|CapBnd|Seccomp):' /proc/self/status
same "entry point: as confined as the first" $'Uid: 1000 1000 1000 1000\nCapBnd: 0000000000000000\nSeccomp: 2' \
	"$(tr '\t' ' ' <"$WORLD/out")"
check "entry point: verify, as the README says" engine exec one egressfw verify
run_quietly engine exec one egressfw doctor --user agent
says "entry point: doctor, as the README says" '^[0-9]+ pass, [0-9]+ warn, [0-9]+ fail, [0-9]+ unknown$'
sees "entry point: exec as the user" engine exec -i --user agent one "${attempts[@]}" <<-'END'
	tcp 203.0.113.80:80 connected
	tcp 1.1.1.1:443 ECONNREFUSED
	udp 127.0.0.11:53 EPERM
END
engine rm -f one >/dev/null

policy wild <<<'{ "network_mode": "allowlist", "users": ["agent"], "allowed_hosts": ["*.example.test:8000"] }'
filter_web
wild=(--cap-add NET_ADMIN --network inner -v "$WORLD/p/wild.json:/etc/egressfw/policy.json:ro")
status 0 "entry point: a name below a wildcard" engine run --rm "${wild[@]}" agent bash -c "$filter_page" allowed.example.test
says "entry point: is served" '^what is served'
status 0 "entry point: another name" engine run --rm "${wild[@]}" agent bash -c "$filter_page" secret.evil.test
says "entry point: is refused" '^HTTP/1\.1 403 '
engine run -d --name two -v decisions:/var/log/egressfilter "${wild[@]}" agent bash -c "$filter_page; exec sleep 1000" \
	secret.evil.test >/dev/null
decided() { engine exec two grep -q '"host":"secret.evil.test"' /var/log/egressfilter/egressfw.log; }
for _ in $(seq 100); do decided && break; sleep 0.1; done
check "entry point: decisions are in the volume" decided
status 0 "entry point: log --summary, as the README says" engine exec two egressfw log --summary
says "entry point: it has what was refused" 'secret\.evil\.test'
check "entry point: the filter is ended" engine exec two sh -c 'kill -KILL "$(cut -d " " -f 1 /run/egressfw/egressfw.filter)"'
status 1 "entry point: verify says so" engine exec two egressfw verify
check "entry point: apply by exec" engine exec two egressfw apply --user agent /etc/egressfw/policy.json
check "entry point: starts it anew" engine exec two egressfw verify
engine rm -f two >/dev/null
status 0 "entry point: with a root that is read-only, as the README says" engine run --rm --read-only --tmpfs /run \
	--tmpfs /var/log "${wild[@]}" agent bash -c "$filter_page" allowed.example.test
says "entry point: it is served" '^what is served'

# --- a harness that enters by exec --------------------------------------------------------------------

harness=$SRCDIR/contrib/harness
engine run -d --name box --cap-add NET_ADMIN --network inner -v "$engine_base/t:/t:ro" --entrypoint sleep agent 1000 >/dev/null
cat >"$WORLD/task.json" <<'END'
{ "uid": 1000,
  "sandbox": { "network_mode": "allowlist", "allowed_hosts": ["203.0.113.80", "198.51.100.0/24:*"] },
  "agent": { "network_mode": "allowlist", "allowed_hosts": ["203.0.113.80:443", "192.0.2.9"] },
  "install": [["/t/attempt", "tcp", "1.1.1.1:443"]],
  "command": ["sh", "-c", "id -u; for at in 203.0.113.80:443 203.0.113.80:80 1.1.1.1:443; do /t/attempt tcp $at; done; :"] }
END
# in_python CMD...: with the engine's client, and the program, where the harness is
in_python() {
	env PATH="/usr/bin:$PATH" EGRESSFW="$EGRESSFW" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$harness" /usr/bin/python3 "$@"
}
task_gets=$'1000\nconnected\nECONNREFUSED\nECONNREFUSED'
status 0 "harness: example.py with docker exec, as the README says" \
	in_python "$harness/example.py" "$WORLD/task.json" docker exec -i box
same "harness: what its agent gets" "$task_gets" "$(cut -d ' ' -f 1 "$WORLD/out")"
cat >"$WORLD/restore.py" <<'END'
import sys, example
from egressfw_harness import run_here
enter = ["docker", "exec", "-i", "box"]
task = example.read_task(sys.argv[1])
session = example.prepare(task, enter)
session.lock()
with session.restoring() as found:
    # What a platform brings back has no rules, and the hosts file of the beginning.
    run_here(["docker", "restart", "-t", "0", "box"])
    opened = run_here([*enter, "setpriv", "--reuid", "1000", "--clear-groups", "/t/attempt", "tcp", "1.1.1.1:443"])
print("between:", opened.output.split(" ")[0])
print("found:", bool(found))
print(session.agent(task["command"]).output, end="")
END
status 0 "harness: a container that was started anew" in_python "$WORLD/restore.py" "$WORLD/task.json"
same "harness: is locked again before the agent runs" $'between: connected\nfound: True\n'"$task_gets" \
	"$(sed 's/^\([a-zA-Z]*\) [0-9]*$/\1/' "$WORLD/out")"
engine rm -f box >/dev/null

# --- beside each other --------------------------------------------------------------------------------

# The recipe as it is; what varies comes from the environment.
compose_files=(-f "$SRCDIR/contrib/compose/compose.yaml")
compose() {
	nsenter -t "$engine_side" -n -- env POLICY="$WORLD/p/$compose_policy.json" CHECK_INTERVAL=1s DOCKER_HOST="$DOCKER_HOST" \
		timeout 90 docker-compose --ansi never -p recipe "${compose_files[@]}" "$@"
}
policy numbers <<<'{ "network_mode": "allowlist", "users": [1000], "allowed_hosts": ["allowed.example.test:80"] }'
policy broken <<<'{ "network_mode": "allowlist", "users": [1000], "allowed_hosts": ["nowhere.example.test"] }'
compose_policy=numbers
check "compose: up" compose up -d
engine cp "$ATTEMPT" recipe_agent_1:/tmp/attempt 2>/dev/null
# The agent's attempts; the recipe mounts no volume of ours.
in_agent() { sed 's|/t/attempt|/tmp/attempt|' | compose exec -T agent /tmp/attempt --lines; }
sees "compose: the agent" in_agent <<-'END'
	tcp 203.0.113.80:80 connected
	tcp 1.1.1.1:443 ECONNREFUSED
	udp 1.1.1.1:53 EPERM
	udp 127.0.0.11:53 EPERM
END
status 0 "compose: the agent finds the allowed name" compose exec -T agent getent hosts allowed.example.test
refusal_is_printed() {
	local tries
	for tries in $(seq 40); do
		engine logs recipe_egress_1 2>&1 | grep -q '"dest_ip":"1.1.1.1"' && return
		sleep 0.1
	done
	return 1
}
check "compose: what is refused is printed" refusal_is_printed
status 0 "compose: the agent has no capability" compose exec -T agent grep -E '^(Cap...|NoNewPrivs):' /proc/self/status
same "compose: none at all, and gains none" $'CapInh: 0\nCapPrm: 0\nCapEff: 0\nCapBnd: 0\nCapAmb: 0\nNoNewPrivs: 1' \
	"$(tr '\t' ' ' <"$WORLD/out" | sed -E 's/ 0+$/ 0/' | tr -d '\r')"
deny "compose: root in the agent's container cannot take the rules out" compose exec -T -u 0 agent egressfw remove
check "compose: up --force-recreate, as the README says" compose up -d --force-recreate
engine cp "$ATTEMPT" recipe_agent_1:/tmp/attempt 2>/dev/null
sees "compose: the agent, created anew" in_agent <<-'END'
	tcp 203.0.113.80:80 connected
	tcp 1.1.1.1:443 ECONNREFUSED
END
check "compose: egress ends" engine stop -t 10 recipe_egress_1
same "compose: by the signal that it was sent, at once" 0 "$(engine inspect --format '{{.State.ExitCode}}' recipe_egress_1)"
sees "compose: without egress there is no network" in_agent <<-'END'
	tcp 203.0.113.80:80 ENETUNREACH
	tcp 1.1.1.1:443 ENETUNREACH
	udp 1.1.1.1:53 ENETUNREACH
END
check "compose: down" compose down -t 0
compose_policy=broken
deny "compose: a policy that cannot be applied" compose up -d
same "compose: no agent is started then" "" "$(engine ps -q --filter name=recipe_agent)"
check "compose: egress stays, and says so" bash -c 'docker logs recipe_egress_1 2>&1 | grep "nothing may be started"'
check "compose: down after that" compose down -t 0

# --- beside each other, with the filter ---------------------------------------------------------------

policy wild_numbers <<<'{ "network_mode": "allowlist", "users": [1000], "allowed_hosts": ["*.example.test:8000"] }'
compose_policy=wild_numbers
compose_files+=(-f "$SRCDIR/contrib/compose/filter.yaml")
check "compose with the filter: up" compose up -d
same "compose with the filter: the variables are those of env" \
	"$(engine exec recipe_egress_1 sh -c 'eval "$(egressfw env /etc/egressfw/policy.json)"; env' | grep -iE 'proxy' | sort)" \
	"$(engine exec recipe_agent_1 env | grep -iE 'proxy' | sort)"
status 0 "compose with the filter: a name below the wildcard" compose exec -T agent bash -c "$filter_page" allowed.example.test
says "compose with the filter: is served" '^what is served'
status 0 "compose with the filter: another name" compose exec -T agent bash -c "$filter_page" secret.evil.test
says "compose with the filter: is refused" '^HTTP/1\.1 403 '
engine cp "$ATTEMPT" recipe_agent_1:/tmp/attempt 2>/dev/null
sees "compose with the filter: past it" in_agent <<-'END'
	tcp 203.0.113.80:8000 ECONNREFUSED
	udp 127.0.0.11:53 EPERM
END
decision_is_printed() {
	local tries
	for tries in $(seq 40); do
		engine logs recipe_egress_1 2>&1 | grep '"event":"decision"' | grep -q '"host":"secret.evil.test"' && return
		sleep 0.1
	done
	return 1
}
check "compose with the filter: what it decides is printed" decision_is_printed
deny "compose with the filter: what the health check asks is not" \
	bash -c 'docker logs recipe_egress_1 2>&1 | grep "\"event\":\"check\""'
check "compose with the filter: down" compose down -t 0 --volumes
finish
