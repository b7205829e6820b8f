"""test_scope: what scopes come to. egressfw reads every entry, so these tests need it: EGRESSFW names it."""

from __future__ import annotations

import os
import unittest
from typing import Any

from egressfw_harness import Egressfw, Policy, merge
from egressfw_harness.destinations import Blocked, Destination, intersection

PROGRAM = Egressfw(os.environ.get("EGRESSFW", "egressfw"))


def merged(sandbox: dict[str, Any], agent: dict[str, Any] | None = None, lanes: tuple[str, ...] = ()) -> Policy:
    scopes = {"sandbox": sandbox}
    if agent is not None:
        scopes["agent"] = agent
    return merge(scopes, lanes, PROGRAM)


def allow(*entries: str, **more: Any) -> dict[str, Any]:
    return {"network_mode": "allowlist", "allowed_hosts": list(entries), **more}


def block(*entries: str) -> dict[str, Any]:
    return {"network_mode": "blocklist", "blocked_urls": list(entries)}


NONE: dict[str, Any] = {"network_mode": "no-network"}
PUBLIC: dict[str, Any] = {"network_mode": "public"}


class Intersection(unittest.TestCase):
    ROWS: list[tuple[list[str], list[str], list[str]]] = [
        (["a.test"], ["a.test"], ["a.test"]),
        (["a.test"], ["b.test"], []),
        (["a.test:443"], ["a.test"], ["a.test:443"]),
        (["a.test"], ["a.test:443-500"], ["a.test:443"]),
        (["a.test:*"], ["a.test:8000-8010"], ["a.test:8000-8010"]),
        (["a.test"], ["a.test:*"], ["a.test"]),
        (["a.test:22"], ["a.test"], []),
        (["a.test:1-100"], ["a.test:100-200"], ["a.test:100"]),
        (["a.test"], ["a.test:79-8443"], ["a.test"]),
        # A wildcard does not cover its own parent, nor what only ends alike.
        (["*.a.test"], ["b.a.test:443", "c.b.a.test", "a.test", "xa.test"], ["b.a.test:443", "c.b.a.test"]),
        (["*.a.test"], ["*.b.a.test:*"], ["*.b.a.test"]),
        (["*.b.a.test"], ["*.a.test"], ["*.b.a.test"]),
        (["*.a.test"], ["*.a.test:443"], ["*.a.test:443"]),
        (["*.a.test"], ["*.b.test"], []),
        (["198.51.100.0/24"], ["198.51.100.7", "198.51.101.7"], ["198.51.100.7"]),
        (["198.51.100.128/25:443"], ["198.51.100.0/24:*"], ["198.51.100.128/25:443"]),
        (["2001:db8::/32"], ["[2001:db8:1::/48]:443"], ["[2001:db8:1::/48]:443"]),
        (["2001:db8::/32"], ["2001:db8::7"], ["2001:db8::7"]),
        (["0.0.0.0/1"], ["2001:db8::7"], []),
        # What a name stands for is not known: it has nothing in common with an address.
        (["a.test"], ["0.0.0.0/1"], []),
        (["*.a.test"], ["198.51.100.7"], []),
        (["a.test", "a.test:22"], ["a.test:*"], ["a.test", "a.test:22"]),
        (["[2001:db8::7]:1-65535"], ["2001:db8::7"], ["2001:db8::7"]),
    ]

    def test_rows(self) -> None:
        for one, other, shared in self.ROWS:
            with self.subTest(one=one, other=other):
                self.assertEqual(intersection(one, other), shared)
                self.assertEqual(sorted(intersection(other, one)), sorted(shared))

    def test_never_wider(self) -> None:
        """Whatever is shared is covered by both sides, in every pair of rows."""
        every = sorted({entry for one, other, _ in self.ROWS for entry in one + other})
        for one in every:
            for other in every:
                for entry in intersection([one], [other]):
                    shared = Destination.parse(entry)
                    for side in (one, other):
                        whole = Destination.parse(side)
                        self.assertTrue(whole.covers(shared), (entry, side))
                        for first, last in shared.ports:
                            self.assertTrue(any(a <= first and last <= b for a, b in whole.ports), (entry, side))


class BlockedEntries(unittest.TestCase):
    ROWS = [
        # blocked, allowed, touches, swallows
        ("a.test", "a.test", True, True),
        ("a.test", "b.a.test:22", True, True),
        ("a.test", "*.a.test", True, True),
        ("a.test", "xa.test", False, False),
        ("b.a.test", "*.a.test", True, False),
        ("b.a.test", "a.test", False, False),
        ("a.test/secret", "a.test", True, False),
        ("https://a.test:8443", "a.test", False, False),
        ("https://a.test:8443", "a.test:8443", True, True),
        ("https://a.test:443/x", "a.test", True, False),
        ("https://a.test:443", "a.test", True, False),
        ("a.test?q=1", "a.test", True, False),
        ("198.51.100.7", "198.51.100.0/24", True, False),
        ("198.51.100.7", "198.51.100.7", True, True),
        ("[2001:db8::7]/x", "2001:db8::7", True, False),
        ("2001:db8::7", "[2001:db8::7]:443", True, True),
        ("198.51.100.7", "a.test", False, False),
    ]

    def test_rows(self) -> None:
        for blocked, allowed, touches, swallows in self.ROWS:
            with self.subTest(blocked=blocked, allowed=allowed):
                entry, destination = Blocked.parse(blocked), Destination.parse(allowed)
                self.assertEqual(entry.touches(destination), touches)
                self.assertEqual(entry.swallows(destination), swallows)


class Modes(unittest.TestCase):
    def test_any_no_network_wins(self) -> None:
        others: list[dict[str, Any]] = [NONE, PUBLIC, allow("a.test"), block("a.test"), {}]
        for other in others:
            for scopes in ((NONE, other), (other, NONE)):
                with self.subTest(scopes=scopes):
                    policy = merged(*scopes)
                    self.assertEqual(policy.network_mode, "no-network")
                    self.assertEqual((policy.allowed_hosts, policy.gaps), ((), ()))

    def test_a_role_never_loosens(self) -> None:
        roles: list[dict[str, Any]] = [PUBLIC, {}, allow("a.test", "b.test:*", "*.a.test")]
        for role in roles:
            policy = merged(allow("a.test:443", "c.test"), role)
            self.assertEqual(policy.network_mode, "allowlist")
            self.assertLessEqual(set(policy.allowed_hosts), {"a.test:443", "c.test"})
        self.assertEqual(merged(allow("a.test:443", "c.test"), allow("a.test")).allowed_hosts, ("a.test:443",))

    def test_nothing_in_common(self) -> None:
        policy = merged(allow("a.test"), allow("b.test"))
        self.assertEqual((policy.network_mode, policy.gaps), ("no-network", ()))
        self.assertEqual(len(policy.notes), 1)

    def test_blocklists_are_joined(self) -> None:
        policy = merged(block("a.test", "B.test/x"), block("b.test/x/", "c.test"))
        self.assertEqual(policy.network_mode, "blocklist")
        self.assertEqual(policy.blocked_urls, ("a.test", "b.test/x", "c.test"))

    def test_blocked_entries_leave_an_allowlist(self) -> None:
        policy = merged(allow("a.test", "b.a.test", "c.test"), block("a.test"))
        self.assertEqual((policy.allowed_hosts, policy.gaps), (("c.test",), ()))
        self.assertEqual(policy.blocked_urls, ())

    def test_half_blocked_entries_are_gaps(self) -> None:
        policy = merged(allow("*.a.test", "c.test"), block("b.a.test", "c.test/secret"))
        self.assertEqual(len(policy.gaps), 2)
        self.assertEqual((policy.network_mode, policy.allowed_hosts), ("no-network", ()))

    def test_public_is_public_only_where_all_say_so(self) -> None:
        self.assertEqual(merged(PUBLIC).network_mode, "public")
        self.assertEqual(merged(PUBLIC, {}).network_mode, "public")
        silent = merged({}, {})
        self.assertIn("no scope declares a network_mode", silent.gaps[0])
        self.assertEqual(silent.network_mode, "no-network")


class Lanes(unittest.TestCase):
    LANE = ("https://Models.example.net/v1",)

    def test_a_lane_is_no_entry(self) -> None:
        for sandbox in (NONE, allow("a.test")):
            policy = merged(sandbox, allow("a.test"), self.LANE)
            self.assertEqual(policy.lanes, ("https://models.example.net",))
            self.assertNotIn("models.example.net", policy.allowed_hosts)

    def test_any_scope_closes_it(self) -> None:
        closed: dict[str, Any] = {"allow_model_endpoint": False}
        pairs: list[tuple[dict[str, Any], dict[str, Any]]]
        pairs = [({**NONE, **closed}, {}), (NONE, closed), (NONE, {**NONE, **closed})]
        for sandbox, agent in pairs:
            policy = merged(sandbox, agent, self.LANE)
            self.assertEqual(policy.lanes, ())
            self.assertFalse(policy.document()["allow_model_endpoint"])
        self.assertEqual(merged({**NONE, **closed}, {"allow_model_endpoint": True}, self.LANE).lanes, ())

    def test_a_closed_lane_in_public_is_a_gap(self) -> None:
        self.assertEqual(len(merged(PUBLIC, {"allow_model_endpoint": False}).gaps), 1)

    def test_a_bad_lane_is_a_gap(self) -> None:
        self.assertEqual(len(merged(NONE, {}, ("ftp://m.test/",)).gaps), 1)


class Gaps(unittest.TestCase):
    def test_all_at_once(self) -> None:
        policy = merged(
            {"network_mode": "allowlist", "allowed_hosts": ["*", "a.test", "10.0.0.1/8", "a.test"]},
            {"network_mode": "blocklist", "blocked_urls": ["b.test/%2f", 7], "prots": [443]},
        )
        said = "\n".join(policy.gaps)
        for part in ("sandbox.allowed_hosts[0]", "sandbox.allowed_hosts[2]", "sandbox: allowed_hosts[1]", "prots"):
            self.assertIn(part, said)
        self.assertEqual((policy.network_mode, policy.lanes), ("no-network", ()))

    def test_faults(self) -> None:
        faults: list[dict[str, Any]] = [
            {"network_mode": "allow-list", "allowed_hosts": ["a.test"]},
            {"network_mode": "allowlist"},
            {"network_mode": "allowlist", "allowed_hosts": []},
            {"network_mode": "no-network", "allowed_hosts": ["a.test"]},
            {"allowed_hosts": ["a.test"]},
            {"network_mode": "no-network", "allow_model_endpoint": "no"},
            {"network_mode": "no-network", "allow_model_endpoint": None},
            {"network_mode": "no-network", "allow_internet": True},
            {"network_mode": None},
        ]
        for scope in faults:
            with self.subTest(scope=scope):
                self.assertTrue(merged(scope, NONE).gaps)

    def test_without_the_program_nothing_is_open(self) -> None:
        policy = merge({"sandbox": allow("a.test")}, (), Egressfw("/nonexistent/egressfw"))
        self.assertTrue(policy.gaps)
        self.assertEqual(policy.network_mode, "no-network")


if __name__ == "__main__":
    unittest.main()
