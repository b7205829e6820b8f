"""test_session: install, lock, agent, and a snapshot in between, with walls that hold, lie and break."""

from __future__ import annotations

import json
import threading
import unittest
from typing import Any, Sequence

from egressfw_harness import (
    Egressfw,
    ListWall,
    LockError,
    NotLockedError,
    Policy,
    Result,
    RulesWall,
    Session,
    Step,
    TooLateError,
)


class Wall:
    """Records what is asked of it. `wrong` has what verify is to say or raise, from call to call, at last ""."""

    def __init__(
        self, wrong: Sequence[str | Exception] = (), broken: Exception | None = None, loose: str = ""
    ) -> None:
        self.asked: list[str] = []
        self.wrong = list(wrong)
        self.broken = broken
        self.loose = loose

    def apply(self) -> None:
        self.asked.append("apply")
        if self.broken:
            raise self.broken

    def verify(self) -> str:
        self.asked.append("verify")
        said = self.wrong.pop(0) if self.wrong else ""
        if isinstance(said, Exception):
            raise said
        return said

    def binds(self, run_as_agent: Any) -> str:
        return self.loose


class Order(unittest.TestCase):
    def setUp(self) -> None:
        self.ran: list[str] = []

    def session(self, wall: Any) -> Session:
        def run(who: str) -> Any:
            def command(words: Sequence[str]) -> Result:
                self.ran.append(f"{who}: {' '.join(words)}")
                return Result(1 if "fail" in words else 0, "", "it failed")

            return command

        return Session(wall, run("root"), run("agent"))

    def test_the_right_order(self) -> None:
        wall = Wall()
        session = self.session(wall)
        session.install(Step(["apt", "install", "git"]), Step(["pip", "install", "x"]))
        session.lock()
        session.agent(["work"])
        session.install(Step(["ls"], needs_network=False))
        self.assertEqual(wall.asked, ["apply", "verify"])
        self.assertEqual(self.ran, ["root: apt install git", "root: pip install x", "agent: work", "root: ls"])

    def test_no_agent_before_the_lock(self) -> None:
        with self.assertRaises(NotLockedError):
            self.session(Wall()).agent(["work"])
        self.assertEqual(self.ran, [])

    def test_too_late(self) -> None:
        session = self.session(Wall())
        session.lock()
        with self.assertRaises(TooLateError) as caught:
            session.install(Step(["pip", "install", "x"]))
        self.assertIn('"pip install x" needs the network, and the sandbox is locked', str(caught.exception))
        self.assertEqual(self.ran, [])

    def test_a_failed_step_ends_it(self) -> None:
        with self.assertRaises(RuntimeError):
            self.session(Wall()).install(Step(["fail"]), Step(["next"]))
        self.assertEqual(self.ran, ["root: fail"])

    def test_a_lock_that_fails_lets_nobody_run(self) -> None:
        for wall in (
            Wall(broken=RuntimeError("no nf_tables")),
            Wall(broken=OSError("no sandbox")),
            Wall(wrong=["a rule is missing"]),
            Wall(wrong=[KeyError("findings")]),
            Wall(loose="the agent is root"),
        ):
            session = self.session(wall)
            with self.assertRaises(LockError):
                session.lock()
            with self.assertRaises(NotLockedError):
                session.agent(["work"])
            with self.assertRaises(TooLateError):
                session.install(Step(["pip", "install", "x"]))
        self.assertEqual(self.ran, [])

    def test_restored(self) -> None:
        wall = Wall()
        session = self.session(wall)
        session.lock()
        wall.asked.clear()
        wall.wrong = ["the table is missing"]
        with session.restoring() as found:
            self.assertEqual(wall.asked, [])
            with self.assertRaises(NotLockedError):
                session.agent(["work"])
        self.assertEqual(wall.asked, ["verify", "apply", "verify"])
        self.assertEqual(found, ["the table is missing"])
        session.agent(["work"])

    def test_restored_and_not_to_be_seen(self) -> None:
        wall = Wall()
        session = self.session(wall)
        session.lock()
        wall.wrong = [OSError("no program in the snapshot")]
        with session.restoring() as found:
            pass
        self.assertEqual(found, ["no program in the snapshot"])
        self.assertEqual(session.state, "locked")

    def test_a_restore_that_fails_lets_nobody_run(self) -> None:
        session = self.session(Wall())
        session.lock()
        with self.assertRaises(KeyError):
            with session.restoring():
                raise KeyError("no such snapshot")
        with self.assertRaises(NotLockedError):
            session.agent(["work"])
        session.lock()
        session.agent(["work"])

    def test_a_lock_that_fails_after_a_restore_lets_nobody_run(self) -> None:
        wall = Wall()
        session = self.session(wall)
        session.lock()
        wall.wrong = ["gone", "still gone"]
        with self.assertRaises(LockError):
            with session.restoring():
                pass
        with self.assertRaises(NotLockedError):
            session.agent(["work"])

    def test_the_agent_waits_while_a_snapshot_comes_back(self) -> None:
        wall = Wall()
        session = self.session(wall)
        session.lock()
        other = threading.Thread(target=lambda: session.agent(["work"]))
        with session.restoring():
            other.start()
            other.join(0.05)
            self.assertEqual(self.ran, [])
        other.join(10)
        self.assertEqual(self.ran, ["agent: work"])
        self.assertEqual(wall.asked, ["apply", "verify", "verify", "apply", "verify"])


class Rules(unittest.TestCase):
    def wall(self, answers: dict[str, Result], policy: Policy = Policy("no-network")) -> tuple[RulesWall, list[Any]]:
        calls: list[Any] = []

        def run(command: Sequence[str], text: str) -> Result:
            calls.append((list(command), text))
            return answers.get(command[1], Result(0))

        return RulesWall(policy, Egressfw("/egressfw", run), 1500, "--name", "a"), calls

    def test_calls(self) -> None:
        wall, calls = self.wall({})
        wall.apply()
        self.assertEqual(wall.verify(), "")
        self.assertEqual(calls[0][0], ["/egressfw", "apply", "--json", "--name", "a", "-"])
        self.assertEqual(json.loads(calls[0][1])["users"], [1500])
        self.assertEqual(calls[1][0], ["/egressfw", "verify", "--json", "--name", "a"])
        # Of what is public no plan is kept: it is held against the policy.
        wall, calls = self.wall({}, Policy("public"))
        self.assertEqual(wall.verify(), "")
        self.assertEqual(calls[0][0], ["/egressfw", "verify", "--json", "--name", "a", "-"])
        self.assertEqual(json.loads(calls[0][1])["network_mode"], "public")

    def test_every_status_but_0_is_none(self) -> None:
        for status in (1, 2, 3, 4, 5, 6, 125, -9):
            wall, _ = self.wall({"apply": Result(status, "", "why"), "verify": Result(status, "", "why")})
            with self.assertRaises(RuntimeError):
                wall.apply()
            self.assertEqual(wall.verify(), "why")

    def test_findings(self) -> None:
        report = {"findings": [{"warning": True, "object": "x", "detail": "y"}, {"object": "chain output", "detail": "is gone"}]}
        wall, _ = self.wall({"verify": Result(1, json.dumps(report))})
        self.assertEqual(wall.verify(), "chain output: is gone")

    def test_who_is_held(self) -> None:
        """The rules know uids: a runner that starts the agent as another one, or with rights, is refused."""
        confined = [{"first": 1500, "last": 1500}, {"first": 100000, "last": 165535}]
        none = "0" * 16
        some = "0000000000001000"
        # uids, CapPrm, CapEff, CapAmb, how it ended
        rows: list[tuple[str, str, str, str, int, bool]] = [
            ("1500 1500 1500 1500", none, none, none, 0, True),
            ("165535 165535 165535 165535", none, none, none, 0, True),
            ("0 0 0 0", none, none, none, 0, False),
            ("1501 1501 1501 1501", none, none, none, 0, False),
            ("1500 1500 0 1500", none, none, none, 0, False),
            ("0 1500 1500 1500", none, none, none, 0, False),
            ("1500 1500 1500 x", none, none, none, 0, False),
            ("1500 1500 1500 1500", some, none, none, 0, False),
            ("1500 1500 1500 1500", none, some, none, 0, False),
            ("1500 1500 1500 1500", none, none, some, 0, False),
            ("1500 1500 1500 1500", none, none, none, 1, False),
            ("", none, none, none, 0, False),
        ]
        for uids, permitted, effective, ambient, ended, held in rows:
            with self.subTest(uids=uids, permitted=permitted, effective=effective, ambient=ambient, ended=ended):
                wall, _ = self.wall({"apply": Result(0, json.dumps({"confined": confined}))})
                said = f"Name:\tcat\nUid:\t{uids}\nCapPrm:\t{permitted}\nCapEff:\t{effective}\nCapAmb:\t{ambient}\n"
                wall.apply()
                self.assertEqual(wall.binds(lambda words: Result(ended, said)) == "", held)
                unapplied, _ = self.wall({})
                self.assertNotEqual(unapplied.binds(lambda words: Result(ended, said)), "")
        wall, _ = self.wall({}, Policy("public"))
        self.assertEqual(wall.binds(lambda words: Result(1)), "")

    def test_a_policy_with_gaps_is_not_applied(self) -> None:
        wall, calls = self.wall({}, Policy("public", gaps=("something",)))
        with self.assertRaises(ValueError):
            wall.apply()
        self.assertEqual(calls, [])


class FakePlatform:
    def __init__(self, deaf: bool = False) -> None:
        self.network: str | None = None
        self.hosts = ""
        self.deaf = deaf

    def set_network(self, allow: str | None) -> None:
        if not self.deaf:
            self.network = allow

    def get_network(self) -> str | None:
        return self.network

    def write_hosts(self, lines: str) -> None:
        self.hosts = lines


class Lists(unittest.TestCase):
    REPORT = {"prefixes": ["203.0.113.5/32", "198.51.100.0/24"], "hosts": "203.0.113.5 a.test\n", "notes": ["wider"]}

    def program(self, status: int = 0) -> Egressfw:
        return Egressfw("egressfw", lambda command, text: Result(status, json.dumps(self.REPORT) if not status else ""))

    def test_list(self) -> None:
        platform = FakePlatform()
        wall = ListWall(Policy("allowlist", allowed_hosts=("a.test",)), platform, self.program())
        wall.apply()
        self.assertEqual(platform.network, "203.0.113.5/32,198.51.100.0/24")
        self.assertEqual(platform.hosts, "203.0.113.5 a.test\n")
        self.assertEqual(wall.verify(), "")
        platform.network = None
        self.assertNotEqual(wall.verify(), "")

    def test_nothing_and_everything(self) -> None:
        for mode, wanted in (("no-network", ""), ("public", None)):
            platform = FakePlatform()
            platform.network = "something"
            wall = ListWall(Policy(mode), platform, self.program(3))
            wall.apply()
            self.assertEqual(platform.network, wanted)

    def test_lanes_alone_are_a_list(self) -> None:
        platform = FakePlatform()
        ListWall(Policy("no-network", model_endpoints=("https://a.test",)), platform, self.program()).apply()
        self.assertEqual(platform.network, "203.0.113.5/32,198.51.100.0/24")

    def test_what_cannot_be_said_changes_nothing(self) -> None:
        for policy in (Policy("allowlist", allowed_hosts=("*.a.test",)), Policy("public", gaps=("something",))):
            platform = FakePlatform()
            platform.network = "as before"
            with self.assertRaises(ValueError):
                ListWall(policy, platform, self.program(3)).apply()
            self.assertEqual(platform.network, "as before")

    def test_a_platform_that_does_not_listen_locks_nothing(self) -> None:
        wall = ListWall(Policy("no-network"), FakePlatform(deaf=True), self.program())
        session = Session(wall, lambda words: Result(0), lambda words: Result(0))
        with self.assertRaises(LockError):
            session.lock()
        with self.assertRaises(NotLockedError):
            session.agent(["work"])


if __name__ == "__main__":
    unittest.main()
