"""test_scope: what scopes come to. egressfw reads every entry, so these tests need it: EGRESSFW names it."""

from __future__ import annotations

import ipaddress
import os
import unittest
from typing import Any

from egressfw_harness import Egressfw, Policy, merge
from egressfw_harness.destinations import DEFAULT_PORTS, SPECIAL, Blocked, Destination, intersection
from egressfw_harness.program import report_of

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


def decided(policy: dict[str, Any], urls: list[str]) -> list[bool]:
    """What egressfw opens of these."""
    result = PROGRAM.call("check", "--json", "-", *urls, policy=policy)
    decisions = report_of(result)["decisions"]
    assert [decision["target"] for decision in decisions] == urls
    return [decision["decision"] != "block" for decision in decisions]


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

    def test_the_same_host_at_no_common_port(self) -> None:
        self.assertIsNone(Destination.parse("a.test:22").shared_with(Destination.parse("a.test")))

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
        # A name may lead to an address that is blocked; not to one that is special-purpose, which is never pinned.
        ("198.51.100.7", "a.test", True, False),
        ("198.51.100.7", "*.a.test", True, False),
        ("2001:db8::7", "a.test", True, False),
        ("https://198.51.100.7:8443", "a.test", False, False),
        ("169.254.169.254", "a.test", False, False),
        ("a.test", "198.51.100.7", False, False),
        # An address is below nobody.
        ("100.7", "198.51.100.7", False, False),
    ]

    def test_rows(self) -> None:
        for blocked, allowed, touches, swallows in self.ROWS:
            with self.subTest(blocked=blocked, allowed=allowed):
                entry, destination = Blocked.parse(blocked), Destination.parse(allowed)
                self.assertEqual(entry.touches(destination), touches)
                self.assertEqual(entry.swallows(destination), swallows)


class SpecialPurpose(unittest.TestCase):
    """What egressfw takes for special-purpose is what this module does: at both ends of each prefix, and beside it."""

    def test_as_egressfw_says(self) -> None:
        numbers = {ipaddress.ip_network(text)[end] for text in ("2001:db8::/32", "198.51.100.0/24") for end in (0, -1)}
        for network in SPECIAL:
            for end, step in ((0, -1), (-1, 1)):
                numbers.add(network[end])
                if 0 <= int(network[end]) + step < 2**network.max_prefixlen:
                    numbers.add(network[end] + step)
        # Loopback is not decided by lists, and the program takes no URL with a v4-mapped address.
        asked = [number for number in numbers if not number.is_loopback and getattr(number, "ipv4_mapped", None) is None]
        said = decided(block("b.test"), [f"http://[{number}]/" if number.version == 6 else f"http://{number}/" for number in asked])
        for number, allowed in zip(asked, said):
            # Those that stand for an address of IPv4 are refused here whatever that one is.
            stands = number in ipaddress.ip_network("64:ff9b::/96") or number in ipaddress.ip_network("2002::/16")
            self.assertEqual(Destination(str(number), DEFAULT_PORTS).is_special, stands or not allowed, number)

    def test_prefixes(self) -> None:
        for text, special in (("0.0.0.0/1", True), ("11.0.0.0/8", False), ("::/1", True), ("2001:db8::/32", False),
                              ("2000::/3", True), ("64:ff9b::c633:6407", True), ("2002:c633:6407::/48", True)):
            self.assertEqual(Destination.parse(text).is_special, special, text)


class Oracle(unittest.TestCase):
    """Whatever two scopes come to opens nothing that egressfw, asked about each of them alone, does not open."""

    HOSTS = ["a.test", "b.a.test", "c.b.a.test", "xa.test", "test.a", "198.51.100.7", "198.51.100.8", "10.0.0.7",
             "169.254.169.254", "[2001:db8::7]", "[64:ff9b::c633:6407]", "[2002:c633:6407::1]", "[fd00::7]"]
    URLS = [f"http://{host}:{port}/" for host in HOSTS for port in (80, 443, 8080)]
    SCOPES: list[dict[str, Any]] = [
        {},
        {"network_mode": "public"},
        {"network_mode": "no-network"},
        allow("a.test"),
        allow("A.test.:443", "*.B.a.test", "198.51.100.7:*"),
        allow("*.a.test", "10.0.0.0/8"),
        allow("198.51.100.0/24", "10.0.0.7:8080", "2001:db8::/32"),
        allow("*.a.test:8080", "a.test:1-100", "64:ff9b::/96"),
        allow("0.0.0.0/1", "128.0.0.0/1", "::/1", "8000::/1"),
        allow("xa.test", "2002:c633:6407::1"),
        block("A.test."),
        block("b.a.test", "198.51.100.7"),
        block("https://a.test:443", "http://198.51.100.8:8080/"),
        block("http://[2001:db8::7]:443/", "xa.test/x"),
    ]

    def test_never_wider(self) -> None:
        alone = [decided(scope, self.URLS) if scope else [True] * len(self.URLS) for scope in self.SCOPES]
        some = 0
        for i, one in enumerate(self.SCOPES):
            for k, other in enumerate(self.SCOPES):
                policy = merged(one, other)
                together = decided(policy.document(), self.URLS)
                if policy.gaps:
                    self.assertFalse(any(together), (one, other))
                some += any(together)
                for url, both, first, second in zip(self.URLS, together, alone[i], alone[k]):
                    self.assertFalse(both and not (first and second), (url, one, other, policy))
        self.assertGreater(some, 50)


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

    def test_what_a_blocklist_closes_besides_is_a_gap(self) -> None:
        for entry in ("10.0.0.7", "0.0.0.0/1", "fd00::/8", "64:ff9b::c633:6407"):
            self.assertEqual(merged(allow(entry), PUBLIC).allowed_hosts, (entry,))
            self.assertEqual(len(merged(block("b.test"), allow(entry, "a.test")).gaps), 1, entry)
        self.assertEqual(len(merged(block("198.51.100.7"), allow("a.test")).gaps), 1)
        self.assertEqual(merged(block("169.254.169.254"), allow("a.test")).allowed_hosts, ("a.test",))

    def test_a_name_that_is_blocked_beside_addresses_is_noted(self) -> None:
        self.assertEqual(len(merged(block("b.test"), allow("a.test")).notes), 1)
        self.assertEqual(merged(block("198.51.100.7"), allow("198.51.100.8")).notes, ())

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
        for lanes in (("ftp://m.test/",), "https://m.test", None, {"https://m.test": 1}, (None,)):
            policy = merge({"sandbox": NONE}, lanes, PROGRAM)  # type: ignore[arg-type]
            self.assertEqual((len(policy.gaps), policy.lanes), (1, ()), lanes)
            self.assertFalse(policy.document()["allow_model_endpoint"], lanes)
        self.assertEqual(merge({"sandbox": NONE}, "", PROGRAM).gaps, ("model_endpoints: '' is no list",))

    def test_public_needs_no_lane(self) -> None:
        self.assertEqual(merged(PUBLIC, lanes=self.LANE).document(), {"network_mode": "public", "allow_model_endpoint": True})


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
        both = merged({"network_mode": "allowlist", "allowed_hosts": [], "blocked_urls": ["a b"]})
        self.assertEqual(len(both.gaps), 2, both.gaps)

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
            {"network_mode": "No-Network"},
            {"network_mode": ["no-network"]},
            {"network_mode": "allowlist", "allowed_hosts": "a.test"},
            {"network_mode": "allowlist", "allowed_hosts": {"a.test": 443}},
            {"network_mode": "allowlist", "allowed_hosts": None},
            {"network_mode": "allowlist", "allowed_hosts": ["a.test"], "blocked_urls": ["b.test"]},
            {"network_mode": "public", "allowed_hosts": []},
            {"Network_mode": "no-network"},
            {"network_mode": "public", "roles": {"agent": {"network_mode": "no-network"}}},
            None,  # type: ignore[list-item]
            [],  # type: ignore[list-item]
            "no-network",  # type: ignore[list-item]
            False,  # type: ignore[list-item]
        ]
        for scope in faults:
            with self.subTest(scope=scope):
                for one, other in ((scope, NONE), (scope, PUBLIC), (PUBLIC, scope)):
                    policy = merge({"sandbox": one, "agent": other}, (), PROGRAM)
                    self.assertTrue(policy.gaps)
                    self.assertEqual((policy.network_mode, policy.lanes), ("no-network", ()))

    def test_without_the_program_nothing_is_open(self) -> None:
        policy = merge({"sandbox": allow("a.test")}, (), Egressfw("/nonexistent/egressfw"))
        self.assertTrue(policy.gaps)
        self.assertEqual(policy.network_mode, "no-network")


if __name__ == "__main__":
    unittest.main()
