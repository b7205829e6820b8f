#!/bin/bash
# harness.sh: contrib/harness with a real sandbox: install, lock, agent, a snapshot that comes back, an address list.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "${srcdir:-.}/tests/net/dns.sh" || exit 1
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || skip_all "needs $python"
cases_begin
dns_script <<'END'
model.example A 203.0.113.90
END
cat >"$WORLD/task.json" <<END
{
	"uid": $AGENT_UID,
	"sandbox": { "network_mode": "allowlist", "allowed_hosts": ["203.0.113.80", "198.51.100.0/24:*"] },
	"agent": { "network_mode": "allowlist", "allowed_hosts": ["203.0.113.80:443", "198.51.100.7:8080", "192.0.2.9"] },
	"model_endpoints": ["https://model.example/v1"]
}
END
cat >"$WORLD/prelude.py" <<'END'
import json, os, sys
sys.path.insert(0, os.environ["HARNESS"])
import example
from egressfw_harness import *

def enter():
    return ["nsenter", "-t", os.environ["SANDBOX"], "-m", "-n", "--"]
def inside(*command):
    return run_here([*enter(), *command])
task = json.load(open(os.environ["TASK"]))
attempt = os.environ["ATTEMPT"]
def tried(session, target):
    return "reached" if session.agent([attempt, "tcp", target]).status == 0 else "refused"
def raised(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "nothing"
END
# prints NAME WANTED <SCRIPT: what the script prints, behind the prelude.
prints() {
	cat "$WORLD/prelude.py" - >"$WORLD/script.py"
	run_quietly env HARNESS="$SRCDIR/contrib/harness" PYTHONDONTWRITEBYTECODE=1 EGRESSFW="$WORLD/here" \
		EGRESSFW_INSIDE="$EGRESSFW" SANDBOX="$world_agent" TASK="$WORLD/task.json" ATTEMPT="$ATTEMPT" \
		"$python" "$WORLD/script.py"
	same "$1" "$2" "$(cat "$WORLD/out" <(tail -n 3 "$WORLD/err"))"
}
# The machine of the harness has a resolver of its own; here it is the sandbox's.
cat >"$WORLD/here" <<END
#!/bin/sh
exec nsenter -t $world_agent -m -n -- "$EGRESSFW" "\$@"
END
chmod 755 "$WORLD/here"

prints "the whole order" "installed
NotLockedError
locked
203.0.113.80:443 reached
198.51.100.7:8080 reached
203.0.113.90:443 reached
203.0.113.80:80 refused
198.51.100.8:8080 refused
192.0.2.9:443 refused
1.1.1.1:443 refused
TooLateError" <<'END'
session = example.prepare(task, enter())
print("installed" if session.install(Step([attempt, "tcp", "1.1.1.1:443"])) else "")
print(raised(lambda: session.agent(["true"])))
session.lock()
print(session.state)
for target in ("203.0.113.80:443", "198.51.100.7:8080", "203.0.113.90:443", "203.0.113.80:80", "198.51.100.8:8080",
               "192.0.2.9:443", "1.1.1.1:443"):
    print(target, tried(session, target))
print(raised(lambda: session.install(Step([attempt, "tcp", "1.1.1.1:443"]))))
END
check "root still reaches out after it" agent "$ATTEMPT" --uid 0 tcp 1.1.1.1:443

prints "a snapshot with an open network comes back" "open: 0
NotLockedError
found: True
locked refused" <<'END'
session = example.prepare(task, enter())
session.lock()
with session.restoring() as found:
    inside("nft", "delete", "table", "inet", "egressfw")
    become = ["setpriv", "--reuid", str(task["uid"]), "--clear-groups", "--regid", str(task["uid"])]
    print("open:", inside(*become, attempt, "tcp", "1.1.1.1:443").status)
    print(raised(lambda: session.agent(["true"])))
print("found:", "table" in found[0])
print(session.state, tried(session, "1.1.1.1:443"))
END
closed "it is closed after it" tcp 1.1.1.1:443

prints "a snapshot with another policy and an older hosts file comes back" "found: True
locked
203.0.113.80:443 reached
198.51.100.8:8080 refused
203.0.113.90 model.example" <<'END'
session = example.prepare(task, enter())
session.lock()
with session.restoring() as found:
    wider = {"network_mode": "allowlist", "users": [task["uid"]], "allowed_hosts": ["198.51.100.0/24:*"]}
    Egressfw(os.environ["EGRESSFW_INSIDE"], lambda c, t: run_here([*enter(), *c], t)).call(
        "apply", "--quiet", "--state-dir", "/run/elsewhere", "-", policy=wider)
    inside("sh", "-c", "sed '/model.example/d' /etc/hosts >/run/hosts; cat /run/hosts >/etc/hosts")
print("found:", bool(found))
print(session.state)
for target in ("203.0.113.80:443", "198.51.100.8:8080"):
    print(target, tried(session, target))
print(inside("grep", "model.example", "/etc/hosts").output.split(" #")[0].strip())
END

prints "a sandbox where the policy cannot be put up again" "LockError
NotLockedError" <<'END'
session = example.prepare(task, enter())
session.lock()
def restore():
    with session.restoring():
        inside("mount", "--bind", "/dev/null", os.environ["EGRESSFW_INSIDE"])
print(raised(restore))
print(raised(lambda: session.agent(["true"])))
inside("umount", os.environ["EGRESSFW_INSIDE"])
END

prints "a runner that starts the agent as somebody else, or with rights" "0: LockError NotLockedError
1501: LockError NotLockedError
with NET_ADMIN: LockError NotLockedError
as it should be: nothing nothing" <<'END'
policy = merge({"agent": {"network_mode": "no-network"}}, (), Egressfw(os.environ["EGRESSFW"]))
def tries(name, *words):
    program = Egressfw(os.environ["EGRESSFW_INSIDE"], lambda c, t: run_here([*enter(), *c], t))
    session = Session(RulesWall(policy, program, task["uid"]), lambda c: inside(*c), lambda c: inside(*words, *c))
    print(f"{name}: {raised(session.lock)} {raised(lambda: session.agent(['true']))}")
for uid in (0, task["uid"] + 1):
    tries(uid, "setpriv", "--reuid", str(uid), "--clear-groups")
become = ["setpriv", "--reuid", str(task["uid"]), "--clear-groups"]
tries("with NET_ADMIN", *become, "--inh-caps=+net_admin", "--ambient-caps=+net_admin")
tries("as it should be", *become)
END

prints "preflight says all of it" "absent.example: True
missing.example: True
scopes: 0" <<'END'
task["sandbox"]["allowed_hosts"] = task["agent"]["allowed_hosts"] = ["absent.example", "203.0.113.80", "missing.example"]
try:
    example.prepare(task, enter())
except PreflightError as error:
    for gap in error.gaps:
        print(f"{gap.where}: {bool(gap.why)}")
    print("scopes:", sum(gap.where == "scopes" for gap in error.gaps))
END

prints "a platform with address lists" "198.51.100.7/32,203.0.113.80/32,203.0.113.90/32
203.0.113.90 model.example
held: 'True'
2" <<'END'
class Platform:
    allow, hosts = None, ""
    def set_network(self, allow):
        self.allow = allow
    def get_network(self):
        return self.allow
    def write_hosts(self, lines):
        self.hosts = lines
here = Egressfw(os.environ["EGRESSFW"])
del task["agent"]["allowed_hosts"][2]
policy = merge({name: task[name] for name in ("sandbox", "agent")}, task["model_endpoints"], here)
assert preflight(policy, "address-list", here) == ()
platform = Platform()
wall = ListWall(policy, platform, here)
wall.apply()
print(platform.allow)
print(platform.hosts.strip())
print(f"held: '{wall.verify() == ''}'")
print(sum(note.startswith(("wider", "narrower")) for note in wall.list.notes))
END
check "the example as a program" env HARNESS=x EGRESSFW="$WORLD/here" EGRESSFW_INSIDE="$EGRESSFW" PYTHONDONTWRITEBYTECODE=1 \
	"$python" "$SRCDIR/contrib/harness/example.py" <(sed "s|\"uid\"|\"command\": [\"id\", \"-u\"], \"uid\"|" "$WORLD/task.json") \
	nsenter -t "$world_agent" -m -n --
same "it runs the agent's command as the agent" $AGENT_UID "$(cat "$WORLD/out")"
finish
