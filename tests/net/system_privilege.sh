#!/bin/bash
# system_privilege.sh: what is left of uids and capabilities after each privilege stage.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
for program in capsh setpriv setcap; do
	command -v "$program" >/dev/null || skip_all "needs the program $program"
done
WORLD=$(mktemp -d "${TMPDIR:-/tmp}/egfw-$$-XXXXXX")
trap 'rm -rf "$WORLD"' EXIT
trap 'exit 130' INT TERM HUP
chmod 755 "$WORLD"
# A place that other uids can reach.
program=$WORLD/stages
cp "$BUILDDIR/tests/net/system_privilege" "$program"
none=0000000000000000

# sets NAME INH PRM EFF AMB: what the last command printed, for the last time it did.
sets() {
	local got
	got=$(awk '/^Cap(Inh|Prm|Eff|Amb)/ { last[$1] = $2 }
		END { print last["CapInh:"], last["CapPrm:"], last["CapEff:"], last["CapAmb:"] }' "$WORLD/out")
	same "$1" "$2 $3 $4 $5" "$got"
}

field() {
	same "$1" "$3" "$(awk -v name="$2:" '$1 == name { $1 = ""; last = substr($0, 2) } END { print last }' "$WORLD/out")"
}

# --- root -------------------------------------------------------------------------------------------
check "root begins" "$program" begin status
sets "nothing is in effect, seven are permitted" $none 00000000000831c1 $none $none
check "a capability is raised" "$program" begin raise:CAP_NET_ADMIN status
sets "that one alone is in effect" $none 00000000000831c1 0000000000001000 $none
check "two are raised" "$program" begin raise:CAP_NET_ADMIN raise:CAP_SETUID status
sets "both are in effect" $none 00000000000831c1 0000000000001080 $none
check "and lowered" "$program" begin raise:CAP_NET_ADMIN lower status
sets "nothing is in effect again" $none 00000000000831c1 $none $none
check "one is forgotten" "$program" begin raise:CAP_NET_ADMIN forget-raw status
sets "it is permitted no more, and nothing is in effect" $none 00000000000811c1 $none $none
deny "and cannot be raised" "$program" begin forget-raw raise:CAP_NET_RAW

for stage in drop isolate; do
	check "$stage" "$program" begin $stage status
	sets "$stage: four sets are empty" $none $none $none $none
	field "$stage: the bounding set is empty" CapBnd $none
	field "$stage: no_new_privs" NoNewPrivs 1
	field "$stage: the uid stays" Uid "0 0 0 0"
	deny "$stage: nothing can be raised" "$program" begin $stage raise:CAP_NET_ADMIN
	says "$stage: and it says which" "CAP_NET_ADMIN is needed"
	check "$stage, exec" "$program" begin $stage exec status
	sets "$stage: exec gives nothing back to uid 0" $none $none $none $none
	deny "$stage: nothing can be raised after exec" "$program" begin $stage exec raise:CAP_NET_ADMIN
done
check "isolate-to-look" "$program" begin isolate-to-look status
sets "one capability is left, and not passed on" $none 0000000000080000 0000000000080000 $none
field "the bounding set is empty" CapBnd $none
field "no_new_privs" NoNewPrivs 1
deny "nothing else can be raised" "$program" begin isolate-to-look raise:CAP_NET_ADMIN
check "isolate-to-look, exec" "$program" begin isolate-to-look exec status
sets "exec takes it away" $none $none $none $none
deny "it cannot be had without being permitted" capsh --drop=cap_sys_ptrace -- -c "exec $program begin isolate-to-look"
check "drop says whether the bounding set is left" "$program" begin drop
says "it is not" "^bounding left: 0"

# --- a cut capability set ---------------------------------------------------------------------------
check "no CAP_SETPCAP: drop" capsh --drop=cap_setpcap -- -c "exec $program begin drop status"
says "the bounding set is reported" "^bounding left: 1"
sets "four sets are empty" $none $none $none $none
check "no CAP_SETPCAP: drop, exec" capsh --drop=cap_setpcap -- -c "exec $program begin drop exec status"
sets "exec gives nothing back although the bounding set is left" $none $none $none $none
check "no CAP_NET_ADMIN: begin" capsh --drop=cap_net_admin -- -c "exec $program begin permitted"
says "it is not permitted" "^CAP_NET_ADMIN 0"
says "others are" "^CAP_SETUID 1"
deny "no CAP_NET_ADMIN: raise" capsh --drop=cap_net_admin -- -c "exec $program begin raise:CAP_NET_ADMIN"
check "inheritable capabilities go" setpriv --inh-caps=+net_raw,+net_admin "$program" begin status
sets "begin leaves none to inherit" $none 00000000000831c1 $none $none

# --- becoming a user --------------------------------------------------------------------------------
check "become" setpriv --groups 4,5 "$program" begin become:1500:1501 status
field "all four uids" Uid "1500 1500 1500 1500"
field "all four gids" Gid "1501 1501 1501 1501"
field "no groups" Groups ""
sets "become: four sets are empty" $none $none $none $none
field "become: the bounding set is empty" CapBnd $none
field "become: no_new_privs" NoNewPrivs 1
deny "there is no way back" "$program" begin become:1500:1500 become:1502:1502
deny "become uid 0" "$program" begin become:0:0
deny "become the uid that means unchanged" "$program" begin become:4294967295:1500
deny "become the gid that means unchanged" "$program" begin become:1500:4294967295
deny "become without CAP_SETUID" capsh --drop=cap_setuid -- -c "exec $program begin become:1500:1500"
says "it says so" "CAP_SETUID is needed"
deny "become without CAP_SETGID" capsh --drop=cap_setgid -- -c "exec $program begin become:1500:1500"
says "it says so" "CAP_SETGID is needed"

check "a stopped child of another uid is killed" "$program" begin kill:1500 status
says "root without CAP_KILL may not" "^plain kill: Operation not permitted"
says "as its user we may" "^killed"
field "and we are root again" Uid "0 0 0 0"
sets "with nothing in effect" $none 00000000000831c1 $none $none

# --- another user with ambient capabilities -------------------------------------------------------------
ambient() {
	setpriv --reuid 1502 --regid 1502 --clear-groups --inh-caps="$1" --ambient-caps="$1" -- "$program" "${@:2}"
}
check "ambient CAP_NET_ADMIN: begin" ambient +net_admin begin status
sets "it is permitted and not passed on" $none 0000000000001000 $none $none
check "ambient: raise" ambient +net_admin begin raise:CAP_NET_ADMIN status
sets "it is in effect" $none 0000000000001000 0000000000001000 $none
check "ambient: drop, exec" ambient +net_admin begin drop exec status
sets "nothing is left" $none $none $none $none
check "ambient: become" ambient +net_admin,+setuid,+setgid,+setpcap begin become:1500:1500 status
field "ambient: all four uids" Uid "1500 1500 1500 1500"
sets "ambient: four sets are empty" $none $none $none $none
field "ambient: the bounding set is empty" CapBnd $none
check "ambient: kill" ambient +setuid,+setgid begin kill:1500 status
field "ambient: and back" Uid "1502 1502 1502 1502"
check "privileged" ambient +net_admin privileged
says "any permitted capability counts" "^privileged: 1"
check "unprivileged" setpriv --reuid 1502 --regid 1502 --clear-groups --inh-caps=-all "$program" privileged
says "none does not" "^privileged: 0"

# --- AT_SECURE --------------------------------------------------------------------------------------
as_1502="setpriv --reuid 1502 --regid 1502 --clear-groups --inh-caps=-all --"
check "an ordinary copy begins" $as_1502 "$program" begin
cp "$program" "$WORLD/setuid" && chmod 4755 "$WORLD/setuid"
if [ "$($as_1502 "$WORLD/setuid" status | awk '$1 == "Uid:" { print $3 }')" = 0 ]; then
	deny "setuid" $as_1502 "$WORLD/setuid" begin
	says "setuid: it says so" "setuid, setgid or with file capabilities"
else
	skip "setuid" "setuid bits are not honoured in $WORLD"
fi
cp "$program" "$WORLD/capable"
if setcap cap_net_admin+ep "$WORLD/capable" 2>/dev/null; then
	deny "file capabilities" $as_1502 "$WORLD/capable" begin
	says "file capabilities: it says so" "setuid, setgid or with file capabilities"
else
	skip "file capabilities" "setcap does not work in $WORLD"
fi
finish
