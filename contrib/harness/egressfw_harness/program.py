"""program: calls of egressfw, which is the one that reads policies; nothing here does it a second time."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

# Exit statuses of egressfw(8).
DONE, NO, USAGE, CANNOT, UNRESOLVED, CLOSED, INCONCLUSIVE = range(7)


@dataclass(frozen=True)
class Result:
    """What a command ended with."""

    status: int
    output: str = ""
    errors: str = ""

    @property
    def ran(self) -> bool:
        """Whether it can have been egressfw that ended so, and not what should have started it."""
        return DONE <= self.status <= INCONCLUSIVE


# Runs a command with a text as its standard input.
Runner = Callable[[Sequence[str], str], Result]


def run_here(command: Sequence[str], text: str = "", timeout: float | None = 120) -> Result:
    """Runs a command on this machine; `timeout` None: as long as it takes. One that is not there is a failure."""
    try:
        done = subprocess.run(
            list(command), input=text, capture_output=True, encoding="utf-8", errors="replace", timeout=timeout, check=False
        )
    except OSError as error:
        return Result(125, "", f"{command[0]} cannot be run: {error.strerror}; is it there, and is its path right?")
    except subprocess.TimeoutExpired as error:
        return Result(125, "", str(error))
    return Result(done.returncode, done.stdout, done.stderr)


class ProgramError(Exception):
    """Egressfw could not be asked."""


@dataclass(frozen=True)
class Egressfw:
    """The program at a path, run by a runner: here, or inside of a sandbox."""

    path: str = "egressfw"
    runner: Runner = run_here

    def call(self, *arguments: str, policy: Mapping[str, Any] | None = None) -> Result:
        """One command. The policy goes in by standard input, where the arguments say "-"."""
        return self.runner([self.path, *arguments], json.dumps(policy) if policy is not None else "")

    def check(self, policy: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
        """The policy in its normal form; or None, and why it is none. ProgramError: nobody could be asked."""
        result = self.call("check", "--json", "-", policy=policy)
        if not result.ran:
            raise ProgramError(reason(result))
        if result.status != DONE:
            return None, reason(result)
        normal = report_of(result).get("policy")
        return (normal, "") if isinstance(normal, dict) else (None, "egressfw check printed no policy")


def report_of(result: Result) -> dict[str, Any]:
    """The object that --json printed, or an empty one."""
    try:
        report = json.loads(result.output)
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


def reason(result: Result) -> str:
    """Why a command failed, as it said it: without its name, the file's and what it left."""
    said = report_of(result).get("error")
    if not isinstance(said, str) or not said:
        lines = result.errors.strip().splitlines()
        said = lines[-1] if lines else f"it ended with status {result.status} and said nothing"
    return said.replace("standard input: ", "", 1)
