"""walls: the two ways to hold a policy: rules of egressfw inside the sandbox, and an address list of the platform."""

from __future__ import annotations

from typing import Callable, Protocol, Sequence

from .address_list import AddressList, address_list
from .policy import Policy
from .program import DONE, Egressfw, Result, reason, report_of


class Wall(Protocol):
    """`apply` puts it up; `verify` says what is wrong with what stands, "" where nothing is.

    `binds` says why it would not hold what the runner starts, "" where it does.
    """

    def apply(self) -> None: ...

    def verify(self) -> str: ...

    def binds(self, run_as_agent: Callable[[Sequence[str]], Result]) -> str: ...


def _fields_of_status(text: str) -> dict[str, list[str]]:
    """proc_pid_status(5), by its names."""
    lines = (line.partition(":") for line in text.splitlines())
    return {name: values.split() for name, _, values in lines}


def _is_confined(uid: str, confined: Sequence[dict[str, int]]) -> bool:
    return uid.isdigit() and any(uids["first"] <= int(uid) <= uids["last"] for uids in confined)


def _refuse_gaps(gaps: tuple[str, ...]) -> None:
    if gaps:
        raise ValueError("the policy has gaps: " + "; ".join(gaps))


class RulesWall:
    """egressfw in the sandbox, as root there. The policy stays with the harness, where no agent can rewrite it."""

    def __init__(self, policy: Policy, inside: Egressfw, user: str | int, *options: str) -> None:
        self._gaps = policy.gaps
        self._document = policy.document(user)
        self._public = policy.network_mode == "public"
        self._inside = inside
        self._options = options
        self._confined: list[dict[str, int]] = []

    def apply(self) -> None:
        _refuse_gaps(self._gaps)
        self._confined = []
        result = self._inside.call("apply", "--json", *self._options, "-", policy=self._document)
        if result.status != DONE:
            raise RuntimeError(reason(result))
        self._confined = report_of(result).get("confined", [])

    def verify(self) -> str:
        # By the kept plan, not by the policy: names may have other addresses by now.
        arguments = ("verify", "--json", *self._options)
        if self._public:
            result = self._inside.call(*arguments, "-", policy=self._document)
        else:
            result = self._inside.call(*arguments)
        if result.status == DONE:
            return ""
        findings = [finding for finding in report_of(result).get("findings", ()) if not finding.get("warning")]
        said = "; ".join(f"{finding['object']}: {finding['detail']}" for finding in findings)
        return said or reason(result)

    def binds(self, run_as_agent: Callable[[Sequence[str]], Result]) -> str:
        # The rules know the agent by its uid alone, and a capability could take them out.
        if self._public:
            return ""
        result = run_as_agent(["cat", "/proc/self/status"])
        status = _fields_of_status(result.output)
        if result.status or not {"Uid", "CapPrm", "CapEff", "CapAmb"} <= status.keys():
            return f"it cannot be seen who the agent is: {reason(result)}"
        uids = status["Uid"]
        if not uids or not all(_is_confined(uid, self._confined) for uid in uids):
            return f"the agent is started as uid {' '.join(uids)}, which the rules do not confine"
        if any(int(status[name][0], 16) for name in ("CapPrm", "CapEff", "CapAmb")):
            return f"the agent is started with capabilities: {status['CapPrm'][0]}"
        return ""


class Platform(Protocol):
    """What a platform without rules has to offer. `allow` None: all is open; "": nothing is."""

    def set_network(self, allow: str | None) -> None: ...

    def get_network(self) -> str | None: ...

    def write_hosts(self, lines: str) -> None: ...


class ListWall:
    """A list of prefixes that the platform holds outside of the sandbox."""

    def __init__(self, policy: Policy, platform: Platform, program: Egressfw) -> None:
        self._policy = policy
        self._platform = platform
        self._program = program
        self._wanted: str | None = ""
        self.list: AddressList | None = None

    def apply(self) -> None:
        _refuse_gaps(self._policy.gaps)
        if self._policy.network_mode == "public":
            self._wanted = None
        elif self._policy.network_mode == "no-network" and not self._policy.lanes:
            self._wanted = ""
        else:
            self.list = address_list(self._policy, self._program)
            self._wanted = self.list.text
            self._platform.write_hosts(self.list.hosts)
        self._platform.set_network(self._wanted)

    def verify(self) -> str:
        found = self._platform.get_network()
        return "" if found == self._wanted else f"the platform has {found!r}, and {self._wanted!r} was set"

    def binds(self, run_as_agent: Callable[[Sequence[str]], Result]) -> str:
        return ""
