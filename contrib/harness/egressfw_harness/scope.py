"""scope: the scopes of a task, the sandbox's and a role's, and the one policy that they come to.

A role never loosens: each scope can only take away. Where a scope is silent it takes nothing. What is wrong with a
scope is collected and not raised, so that a user sees all of it at once; a policy with gaps is never to be used.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from .destinations import Blocked, Destination, intersection
from .policy import Policy
from .program import Egressfw, ProgramError

FIELDS = {
    "network_mode": str,
    "allowed_hosts": list,
    "blocked_urls": list,
    "allow_model_endpoint": bool,
}
LIST_OF = {"allowlist": "allowed_hosts", "blocklist": "blocked_urls"}


def _shape(name: str, scope: Any) -> list[str]:
    """What is wrong before egressfw is asked: a field that is dropped could be the one that narrows."""
    if not isinstance(scope, Mapping):
        return [f"{name}: {scope!r} is no object; one that is silent is {{}}"]
    gaps = [f'{name}: unknown field "{field}"' for field in scope if field not in FIELDS]
    for field, kind in FIELDS.items():
        if field in scope and not isinstance(scope[field], kind):
            gaps.append(f"{name}.{field}: {scope[field]!r} is no {kind.__name__}")
    if "network_mode" not in scope:
        gaps += [f"{name}.{field}: without a network_mode" for field in LIST_OF.values() if field in scope]
    return gaps


def _normal(name: str, scope: Any, program: Egressfw) -> tuple[dict[str, Any], list[str], list[str]]:
    """The scope in the normal form of egressfw, or every fault in it; and the allowed hosts that can be read."""
    gaps = _shape(name, scope)
    if not isinstance(scope, Mapping) or not isinstance(scope.get("network_mode"), str):
        return {}, gaps, []
    policy = {field: scope[field] for field, kind in FIELDS.items() if isinstance(scope.get(field), kind)}
    normal, why = program.check(policy)
    if normal is not None:
        return {} if gaps else normal, gaps, normal.get("allowed_hosts", [])
    well_shaped, readable = not gaps, []
    # It names the first fault: each entry is asked about alone, and then what is left without the bad ones.
    for mode, field in LIST_OF.items():
        good = []
        for index, entry in enumerate(policy.get(field, ())):
            alone, said = program.check({"network_mode": mode, field: [entry]})
            if alone is None:
                gaps.append(f"{name}.{said.replace(f'{field}[0]', f'{field}[{index}]', 1)}")
            else:
                good.append(entry)
                readable += alone.get("allowed_hosts", [])
        if field in policy and (good or not gaps):
            policy[field] = good
        else:
            policy.pop(field, None)
    if not gaps:
        return {}, [f"{name}: {why}"], readable
    # A field that is dropped for its shape is not missing besides.
    if well_shaped and any(field in policy for field in LIST_OF.values()):
        left, why = program.check(policy)
        if left is None:
            gaps.append(f"{name}: {why}")
    return {}, gaps, readable


def _readable(scopes: Iterable[Any], hosts: Mapping[str, list[str]], lanes: tuple[str, ...]) -> Policy:
    """What would have to be found for scopes that have gaps: no list opens anything where another scope closes all."""
    lists = [entries for entries in hosts.values() if entries]
    closed = any(scope.get("network_mode") == "no-network" for scope in scopes)
    allowed = _intersect(lists) if lists and not closed else []
    return Policy("allowlist" if allowed else "no-network", allowed_hosts=tuple(allowed), model_endpoints=lanes)


def _intersect(lists: Sequence[Sequence[str]]) -> list[str]:
    shared = list(lists[0])
    for entries in lists[1:]:
        shared = intersection(shared, entries)
    return shared


def _subtract(allowed: Iterable[str], blocked: Sequence[str], gaps: list[str]) -> list[str]:
    """The allowed entries without what is blocked. An entry that is blocked in part cannot be said as one list."""
    left = []
    for text in allowed:
        destination = Destination.parse(text)
        rules = [(rule, Blocked.parse(rule)) for rule in blocked]
        if any(rule.swallows(destination) for _, rule in rules):
            continue
        left.append(text)
        if blocked and destination.is_special:
            gaps.append(
                f'"{text}" of one scope has special-purpose addresses, or such that stand for others, and the list of '
                f"what is blocked of another closes these: make that one an allowlist, too"
            )
        gaps += [
            f'"{text}" of one scope is open only in part where another blocks "{said}": list what is needed of it'
            if rule.is_name or destination.network is not None
            else f'"{text}" of one scope may lead to "{said}", which another blocks: list its addresses instead'
            for said, rule in rules
            if rule.touches(destination)
        ]
    return left


def _endpoints(model_endpoints: Any, program: Egressfw, gaps: list[str]) -> tuple[str, ...]:
    """The lanes of the run in their normal form."""
    if isinstance(model_endpoints, (str, bytes)) or not isinstance(model_endpoints, Sequence):
        gaps.append(f"model_endpoints: {model_endpoints!r} is no list")
        return ()
    normal, why = program.check({"network_mode": "no-network", "model_endpoints": list(model_endpoints)})
    if normal is None:
        gaps.append(why)
        return ()
    return tuple(normal["model_endpoints"])


def merge(
    scopes: Mapping[str, Mapping[str, Any]], model_endpoints: Sequence[str] = (), program: Egressfw = Egressfw()
) -> Policy:
    """The policy for a role: `scopes` has the sandbox's and the role's, by the names that messages shall use.

    The model endpoints come from the run, not from the task: they are a lane of their own beside any list, which
    every scope may close ("allow_model_endpoint": false) and none can open again.
    """
    try:
        return _merge(scopes, model_endpoints, program)
    except ProgramError as error:
        return Policy("no-network", allow_model_endpoint=False, gaps=(str(error),))


def _merge(
    scopes: Mapping[str, Mapping[str, Any]], model_endpoints: Sequence[str], program: Egressfw
) -> Policy:
    gaps: list[str] = []
    notes: list[str] = []
    normal: dict[str, dict[str, Any]] = {}
    hosts: dict[str, list[str]] = {}
    for name, scope in scopes.items():
        normal[name], faults, hosts[name] = _normal(name, scope, program)
        gaps += faults
    fields = [scope for scope in scopes.values() if isinstance(scope, Mapping)]
    if not any("network_mode" in scope for scope in fields):
        gaps.append('no scope declares a network_mode; where all shall be open, it is "public"')
    by_mode: dict[str, list[dict[str, Any]]] = {}
    for scope in normal.values():
        by_mode.setdefault(scope.get("network_mode", ""), []).append(scope)

    allowed: list[str] = []
    blocked = list(dict.fromkeys(text for scope in by_mode.get("blocklist", ()) for text in scope["blocked_urls"]))
    mode = "public"
    if "no-network" in by_mode:
        mode = "no-network"
    elif "allowlist" in by_mode:
        mode = "allowlist"
        allowed = _subtract(_intersect([scope["allowed_hosts"] for scope in by_mode["allowlist"]]), blocked, gaps)
        if not allowed:
            mode = "no-network"
            notes.append("the lists of the scopes have nothing in common: nothing is open")
        elif any(Blocked.parse(text).is_name for text in blocked):
            notes.append("what is blocked by name is reached where an allowed address serves it as well")
    elif blocked:
        mode = "blocklist"
    open_lane = all(scope.get("allow_model_endpoint", True) is True for scope in fields)
    lanes = _endpoints(model_endpoints, program, gaps)
    if mode == "public" and not open_lane:
        gaps.append('"allow_model_endpoint": false cannot be held in network_mode "public", where all is open')
    # Such a policy is not to be used; should somebody do it all the same, nothing is open.
    if gaps:
        readable = _readable(fields, hosts, lanes if open_lane else ())
        return Policy("no-network", allow_model_endpoint=False, gaps=tuple(gaps), notes=tuple(notes), readable=readable)
    return Policy(
        network_mode=mode,
        allowed_hosts=tuple(allowed),
        blocked_urls=tuple(blocked) if mode == "blocklist" else (),
        model_endpoints=lanes if mode != "public" else (),
        allow_model_endpoint=open_lane,
        notes=tuple(notes),
    )
