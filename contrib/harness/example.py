#!/usr/bin/env python3
"""example: one task in one sandbox, from preflight to the agent's end.

    example.py TASK.json COMMAND...

COMMAND enters the sandbox as root: "docker exec -i NAME", for instance. egressfw is in the sandbox, at
/usr/local/sbin/egressfw or where EGRESSFW_INSIDE says, and here, as egressfw or where EGRESSFW says.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent))

from egressfw_harness import (  # noqa: E402
    Egressfw,
    Gap,
    PreflightError,
    Result,
    RulesWall,
    Session,
    Step,
    merge,
    preflight,
    run_here,
)


def prepare(task: dict[str, Any], enter: Sequence[str]) -> Session:
    """Merges, looks ahead, and gives a session that is still open; PreflightError has every gap."""

    def run_as_root(command: Sequence[str], text: str = "") -> Result:
        return run_here([*enter, *command], text)

    def run_as_agent(command: Sequence[str]) -> Result:
        # No capability and none to be gained, as egressfw(8) has it.
        become = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--no-new-privs"]
        return run_as_root([*become, "--inh-caps=-all", "--bounding-set=-all", "--", *command])

    uid = int(task["uid"])
    here = Egressfw(os.environ.get("EGRESSFW", "egressfw"))
    inside = Egressfw(os.environ.get("EGRESSFW_INSIDE", "/usr/local/sbin/egressfw"), run_as_root)
    scopes = {name: task[name] for name in ("sandbox", "agent") if name in task}
    policy = merge(scopes, task.get("model_endpoints", ()), here)
    gaps: Sequence[Gap] = preflight(policy, "rules", here, inside, uid)
    if gaps:
        raise PreflightError(gaps)
    for note in policy.notes:
        print(f"note: {note}", file=sys.stderr)
    return Session(RulesWall(policy, inside, uid), run_as_root, run_as_agent)


def read_task(path: str) -> dict[str, Any]:
    """The task; ValueError says what is wrong with it."""
    try:
        task = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from error
    if not isinstance(task, dict):
        raise ValueError(f"{path}: is not an object")
    if not isinstance(task.get("uid"), int):
        raise ValueError(f'{path}: "uid", the number of the agent\'s user, is missing')
    if not isinstance(task.get("command"), list):
        raise ValueError(f'{path}: "command", the agent\'s as an array, is missing')
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
    session.install(*(Step(command) for command in task.get("install", ())))
    session.lock()
    result = session.agent(task["command"])
    sys.stdout.write(result.output)
    sys.stderr.write(result.errors)
    return result.status


if __name__ == "__main__":
    sys.exit(main())
