#!/usr/bin/env python3
"""example: one task in one sandbox, from preflight to the agent's end.

    example.py TASK.json COMMAND...

COMMAND enters the sandbox as root: "docker exec -i NAME", for instance. egressfw is in the sandbox, at
/usr/local/sbin/egressfw or where EGRESSFW_INSIDE says, and here, as egressfw or where EGRESSFW says.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from pathlib import Path
from typing import Any, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent))

from egressfw_harness import (  # noqa: E402
    Egressfw,
    Gap,
    LockError,
    PreflightError,
    Result,
    RulesWall,
    Session,
    Step,
    merge,
    preflight,
    run_here,
)


FIELDS = ("uid", "sandbox", "agent", "model_endpoints", "install", "command")


def prepare(task: dict[str, Any], enter: Sequence[str]) -> Session:
    """Merges, looks ahead, and gives a session that is still open; PreflightError has every gap."""

    def run_as_root(command: Sequence[str], text: str = "", timeout: float | None = None) -> Result:
        return run_here([*enter, *command], text, timeout)

    def run_as_agent(command: Sequence[str]) -> Result:
        # No capability and none to be gained, as egressfw(8) has it.
        become = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--no-new-privs"]
        return run_as_root([*become, "--inh-caps=-all", "--bounding-set=-all", "--", *command])

    uid = int(task["uid"])
    here = Egressfw(os.environ.get("EGRESSFW", "egressfw"))
    inside = Egressfw(
        os.environ.get("EGRESSFW_INSIDE", "/usr/local/sbin/egressfw"), functools.partial(run_as_root, timeout=120)
    )
    scopes = {name: task[name] for name in ("sandbox", "agent") if name in task}
    policy = merge(scopes, task.get("model_endpoints", ()), here)
    gaps: Sequence[Gap] = preflight(policy, "rules", here, inside, uid)
    if gaps:
        raise PreflightError(gaps)
    for note in policy.notes:
        print(f"note: {note}", file=sys.stderr)
    return Session(RulesWall(policy, inside, uid), run_as_root, run_as_agent)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: of two, Python would take the last, which may be the wider."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is there twice")
    return fields


def _is_command(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)


def read_task(path: str) -> dict[str, Any]:
    """The task; ValueError says what is wrong with it. A field that is not known could be the one that narrows."""
    try:
        task = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from error
    if not isinstance(task, dict):
        raise ValueError(f"{path}: is not an object")
    unknown = [name for name in task if name not in FIELDS]
    if unknown:
        raise ValueError(f"{path}: unknown field {unknown[0]!r}; there are {', '.join(FIELDS)}")
    if type(task.get("uid")) is not int or task["uid"] <= 0:
        raise ValueError(f'{path}: "uid", the number of the agent\'s user, is missing, or is none')
    if not _is_command(task.get("command")):
        raise ValueError(f'{path}: "command", the agent\'s as an array of words, is missing, or is none')
    install = task.get("install", [])
    if not isinstance(install, list) or not all(map(_is_command, install)):
        raise ValueError(f'{path}: "install" is no array of commands')
    return task


def main() -> int:
    if len(sys.argv) < 3:
        print("usage: example.py TASK.json COMMAND...\nsee its first lines, and example.json", file=sys.stderr)
        return 2
    try:
        task = read_task(sys.argv[1])
    except ValueError as error:
        print(f"example.py: {error}", file=sys.stderr)
        return 2
    try:
        session = prepare(task, sys.argv[2:])
    except PreflightError as error:
        print(f"this task cannot run here:\n{error}", file=sys.stderr)
        return 1
    try:
        session.install(*(Step(command) for command in task.get("install", ())))
        session.lock()
    except (LockError, RuntimeError) as error:
        print(f"example.py: {error}; the agent was not started", file=sys.stderr)
        return 1
    result = session.agent(task["command"])
    sys.stdout.write(result.output)
    sys.stderr.write(result.errors)
    return result.status


if __name__ == "__main__":
    sys.exit(main())
