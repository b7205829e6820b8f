"""preflight: everything that stands between a task and its run, found before anything is started, all at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Iterable

from .policy import Policy
from .program import DONE, Egressfw, Result, reason, report_of

PLATFORMS = ("rules", "address-list", "switch")


@dataclass(frozen=True)
class Gap:
    """One thing that cannot be held: where, and why."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


class PreflightError(Exception):
    """All gaps, one a line."""

    def __init__(self, gaps: Iterable[Gap]) -> None:
        self.gaps = tuple(gaps)
        super().__init__("\n".join(str(gap) for gap in self.gaps))


def _planned(program: Egressfw, platform: str, document: dict[str, Any]) -> Result:
    if platform == "address-list":
        return program.call("plan", "--format", "cidr-list", "--json", "-", policy=document)
    # A plan wants a user; which one does not matter to it.
    return program.call("plan", "--no-hosts", "--json", "-", policy={**document, "users": [1000]})


def _fault(result: Result) -> str | None:
    """Why a plan is none that this harness can put up; the filter would have to be in the sandbox, and be asked."""
    if result.status != DONE:
        return reason(result)
    if report_of(result).get("filter"):
        return "it is decided by name, by egressfilter, which this harness does not bring along"
    return None


def _entries(policy: Policy) -> Iterable[tuple[str, dict[str, Any]]]:
    """Every entry as a policy of its own, so that one that cannot be held does not hide the next."""
    for entry in policy.allowed_hosts:
        yield entry, {"network_mode": "allowlist", "allowed_hosts": [entry]}
    for entry in policy.lanes:
        yield entry, {"network_mode": "no-network", "model_endpoints": [entry]}


def _plan_gaps(policy: Policy, platform: str, program: Egressfw) -> Iterable[Gap]:
    bad = set()
    for entry, document in _entries(policy.readable or policy):
        result = _planned(program, platform, document)
        if not result.ran:
            yield Gap("egressfw", reason(result))
            return
        fault = _fault(result)
        if fault:
            bad.add(entry)
            yield Gap(entry, fault)
    # What is no entry's fault: the mode, or how many there are. The bad ones would only be said again.
    rest = replace(
        policy,
        allowed_hosts=tuple(entry for entry in policy.allowed_hosts if entry not in bad),
        model_endpoints=tuple(entry for entry in policy.model_endpoints if entry not in bad),
    )
    if bad and not rest.allowed_hosts and policy.network_mode in ("allowlist", "no-network"):
        if not rest.lanes:
            return
        rest = replace(rest, network_mode="no-network")
    result = _planned(program, platform, rest.document())
    fault = _fault(result)
    if fault:
        yield Gap(f"network_mode {policy.network_mode}" if result.ran else "egressfw", fault)


def _doctor_gaps(inside: Egressfw, user: str | int) -> Iterable[Gap]:
    """What the sandbox itself cannot enforce. A question without an answer is a gap like a bad answer."""
    result = inside.call("doctor", "--json", "--user", str(user))
    checks = report_of(result).get("checks")
    if not isinstance(checks, list) or not all(isinstance(check, dict) for check in checks):
        yield Gap("sandbox", reason(result))
        return
    asked = [check for check in checks if str(check.get("name")).startswith("enforcement.")]
    if not asked:
        yield Gap("sandbox", "egressfw doctor says nothing of what can be enforced")
    for check in asked:
        if check.get("status") not in ("pass", "warn"):
            advice = f"; {check['advice']}" if check.get("advice") else ""
            yield Gap(f"sandbox: {check['name']}", f"{check.get('finding')}{advice}")


def preflight(
    policy: Policy,
    platform: str,
    program: Egressfw = Egressfw(),
    inside: Egressfw | None = None,
    user: str | int = 1000,
) -> tuple[Gap, ...]:
    """Every gap between the policy and a platform that takes "rules", an "address-list", or has only a "switch".

    `program` runs on the machine of the harness and resolves names there; `inside`, for rules, in the sandbox, where
    `user` is the agent.
    """
    if platform not in PLATFORMS:
        raise ValueError(f"{platform!r} is none of {PLATFORMS}")
    gaps = [Gap("scopes", why) for why in policy.gaps]
    if policy.network_mode == "public" and not gaps:
        return ()
    if platform == "switch":
        if policy.network_mode != "no-network" or policy.lanes:
            open_ones = ", ".join((*policy.allowed_hosts, *policy.lanes)) or "a list of what is blocked"
            gaps.append(Gap("platform", f"it can only switch the network on or off, and the policy has {open_ones}"))
    elif platform == "rules" or policy.network_mode != "no-network" or policy.lanes or policy.readable:
        # Of a program that could not be asked the scopes say it already.
        gaps += [gap for gap in _plan_gaps(policy, platform, program) if gap.why not in policy.gaps]
    if platform == "rules" and inside is not None:
        gaps += _doctor_gaps(inside, user)
    return tuple(gaps)
