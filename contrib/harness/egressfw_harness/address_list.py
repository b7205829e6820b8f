"""address_list: a policy for platforms that take IPv4 prefixes instead of rules, by egressfw plan --format cidr-list."""

from __future__ import annotations

from dataclasses import dataclass

from .policy import Policy
from .program import DONE, Egressfw, reason, report_of


@dataclass(frozen=True)
class AddressList:
    """Prefixes, the lines that the sandbox's hosts file needs, and every difference from the policy."""

    prefixes: tuple[str, ...]
    hosts: str
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """With commas, as platforms take it."""
        return ",".join(self.prefixes)


def address_list(policy: Policy, program: Egressfw) -> AddressList:
    """The list, with the addresses that the names have now. ValueError says why there can be none."""
    result = program.call("plan", "--format", "cidr-list", "--json", "-", policy=policy.document())
    report = report_of(result)
    if result.status != DONE:
        raise ValueError(reason(result))
    # An empty list would be no limit to some platforms; egressfw prints none.
    if not report.get("prefixes"):
        raise ValueError("egressfw plan printed no list")
    return AddressList(tuple(report["prefixes"]), str(report["hosts"]), tuple(report["notes"]))
