"""session: the order in which a sandbox is used: install, lock, agent; and again after a snapshot was restored.

    open --lock()--> locked --restoring()--> torn --(verify, lock())--> locked
      |                 |                      |
    install()         agent()             neither; a relock that fails leaves it torn

Commands that need the network come before the lock; after it they are refused with the reason, before they could fail
somewhere in the middle. The agent runs only while locked: never before, never while a snapshot comes back.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Callable, Iterator, Sequence

from .program import Result
from .walls import Wall


class LockError(Exception):
    """The policy does not hold. The agent must not run."""


class NotLockedError(LockError):
    """The agent was to run where the policy does not hold (yet, or any more)."""


class TooLateError(Exception):
    """A command that needs the network came after the lock."""


@dataclass(frozen=True)
class Step:
    """A command of the harness, as root: an installation, a check."""

    command: Sequence[str]
    needs_network: bool = True


class Session:
    """One sandbox and its wall. `run_as_root` and `run_as_agent` execute commands in the sandbox."""

    def __init__(
        self,
        wall: Wall,
        run_as_root: Callable[[Sequence[str]], Result],
        run_as_agent: Callable[[Sequence[str]], Result],
    ) -> None:
        self._wall = wall
        self._run_as_root = run_as_root
        self._run_as_agent = run_as_agent
        self._state = "open"
        # The agent holds it while it runs, so that nothing is restored below it.
        self._turn = threading.RLock()

    @property
    def state(self) -> str:
        return self._state

    def install(self, *steps: Step) -> list[Result]:
        """Runs steps one after the other; the first that fails ends it (RuntimeError)."""
        results = []
        with self._turn:
            for step in steps:
                words = " ".join(step.command)
                if step.needs_network and self._state != "open":
                    raise TooLateError(
                        f'"{words}" needs the network, and the sandbox is {self._state}: run it before lock(), or '
                        f"put what it needs into the image or into allowed_hosts"
                    )
                result = self._run_as_root(step.command)
                if result.status:
                    raise RuntimeError(f'"{words}" ended with status {result.status}: {result.errors.strip()}')
                results.append(result)
        return results

    def lock(self) -> None:
        """Applies, verifies, and looks whether the agent's runner starts what is held.

        LockError: it does not hold, and the sandbox is of no use to an agent.
        """
        with self._turn:
            self._state = "torn"
            try:
                self._wall.apply()
                wrong = self._wall.verify() or self._wall.binds(self._run_as_agent)
            except Exception as error:
                raise LockError(f"the policy could not be applied: {error}") from error
            if wrong:
                raise LockError(f"the policy was applied and does not hold: {wrong}")
            self._state = "locked"

    def agent(self, command: Sequence[str]) -> Result:
        """Runs a command of the agent."""
        with self._turn:
            if self._state != "locked":
                raise NotLockedError(f"the sandbox is {self._state}: the agent does not run before lock() has succeeded")
            return self._run_as_agent(command)

    @contextmanager
    def restoring(self) -> Iterator[list[str]]:
        """Restore a snapshot inside of it. It may bring back another table, an older hosts file, or an open network.

        Yields a list that has, at the end, what verify found before the policy was applied again; for the log alone.
        """
        found: list[str] = []
        with self._turn:
            self._state = "torn"
            yield found
            try:
                wrong = self._wall.verify()
            except Exception as error:
                wrong = str(error)
            if wrong:
                found.append(wrong)
            self.lock()
