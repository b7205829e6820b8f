"""policy: what a task's scopes come to, and what was lost on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Policy:
    """One policy for one role of a task. `gaps`: why it cannot stand for the scopes; `notes`: what to know of it."""

    network_mode: str
    allowed_hosts: tuple[str, ...] = ()
    blocked_urls: tuple[str, ...] = ()
    model_endpoints: tuple[str, ...] = ()
    allow_model_endpoint: bool = True
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    # With gaps, what could be read nevertheless: for preflight to look at, and for nobody to put up.
    readable: Policy | None = None

    def document(self, *users: str | int) -> dict[str, Any]:
        """The policy as egressfw(8) reads it, for these users."""
        document: dict[str, Any] = {"network_mode": self.network_mode}
        if users:
            document["users"] = list(users)
        if self.allowed_hosts:
            document["allowed_hosts"] = list(self.allowed_hosts)
        if self.blocked_urls:
            document["blocked_urls"] = list(self.blocked_urls)
        if self.model_endpoints:
            document["model_endpoints"] = list(self.model_endpoints)
        document["allow_model_endpoint"] = self.allow_model_endpoint
        return document

    @property
    def lanes(self) -> tuple[str, ...]:
        """The model endpoints that are open."""
        return self.model_endpoints if self.allow_model_endpoint else ()
