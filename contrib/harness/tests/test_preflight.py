"""test_preflight: every gap at once, and the address list. EGRESSFW names the program, which is asked for real."""

from __future__ import annotations

import json
import os
import unittest
from typing import Any, Sequence

from egressfw_harness import Egressfw, Policy, PreflightError, Result, address_list, merge, preflight, run_here

PROGRAM = Egressfw(os.environ.get("EGRESSFW", "egressfw"))


def lists(*entries: str, **more: Any) -> Policy:
    return Policy("allowlist", allowed_hosts=entries, **more)


def doctor(*checks: tuple[str, str]) -> Egressfw:
    """A sandbox whose doctor finds these."""

    def run(command: Sequence[str], text: str) -> Result:
        found = [{"name": name, "status": status, "finding": "it is so", "advice": "change it"} for name, status in checks]
        return Result(1, json.dumps({"checks": found}))

    return Egressfw("/egressfw", run)


class Preflight(unittest.TestCase):
    def test_nothing_stands_against_it(self) -> None:
        good = lists("203.0.113.5", "198.51.100.0/24:443")
        for platform in ("rules", "address-list"):
            self.assertEqual(preflight(good, platform, PROGRAM), ())
        self.assertEqual(preflight(Policy("no-network"), "switch", PROGRAM), ())
        self.assertEqual(preflight(Policy("no-network"), "address-list", PROGRAM), ())
        self.assertEqual(preflight(Policy("public"), "switch", PROGRAM), ())

    def test_every_gap_at_once(self) -> None:
        policy = lists("203.0.113.5", "*.a.test", "2001:db8::1", "*.b.test", model_endpoints=("https://[2001:db8::2]",))
        gaps = preflight(policy, "address-list", PROGRAM)
        self.assertEqual([gap.where for gap in gaps], ["*.a.test", "2001:db8::1", "*.b.test", "https://[2001:db8::2]"])
        error = PreflightError(gaps)
        self.assertEqual(len(str(error).splitlines()), 4)
        # Rules hold IPv6; names below a wildcard are the filter's, which is not brought along.
        self.assertEqual([gap.where for gap in preflight(policy, "rules", PROGRAM)], ["*.a.test", "*.b.test"])

    def test_a_closed_lane_is_no_gap(self) -> None:
        policy = lists("203.0.113.5", model_endpoints=("https://[2001:db8::2]",), allow_model_endpoint=False)
        self.assertEqual(preflight(policy, "address-list", PROGRAM), ())

    def test_too_many_beside_a_bad_one(self) -> None:
        policy = lists("*.a.test", *(f"203.0.113.{2 * i + 1}" for i in range(11)))
        gaps = preflight(policy, "address-list", PROGRAM)
        self.assertEqual([gap.where for gap in gaps], ["*.a.test", "network_mode allowlist"])
        self.assertIn("11 prefixes are needed", gaps[1].why)

    def test_lanes_beside_bad_entries(self) -> None:
        """The list that is left without them is no fault of its own, and the lanes are looked at all the same."""
        bad = ("https://[2001:db8::2]",)
        many = tuple(f"https://203.0.113.{2 * i + 1}" for i in range(11))
        rows: list[tuple[Policy, list[str]]] = [
            (lists("*.a.test", model_endpoints=many[:1]), ["*.a.test"]),
            (lists("*.a.test", model_endpoints=many), ["*.a.test", "network_mode allowlist"]),
            (lists("*.a.test", model_endpoints=bad), ["*.a.test", *bad]),
            (lists("203.0.113.5", model_endpoints=bad), [*bad]),
            (Policy("no-network", model_endpoints=bad), [*bad]),
            (Policy("no-network", model_endpoints=many), ["network_mode no-network"]),
            (Policy("blocklist", blocked_urls=("a.test",), model_endpoints=bad), [*bad, "network_mode blocklist"]),
        ]
        for policy, where in rows:
            with self.subTest(policy=policy):
                self.assertEqual([gap.where for gap in preflight(policy, "address-list", PROGRAM)], where)

    def test_no_network_is_asked_about(self) -> None:
        gaps = preflight(Policy("no-network"), "rules", Egressfw("/nonexistent/egressfw"))
        self.assertEqual([gap.where for gap in gaps], ["egressfw"])

    def test_entries_beside_one_that_cannot_be_read(self) -> None:
        """What can be read is looked at, although the scope as a whole opens nothing."""
        bad = {"network_mode": "allowlist", "allowed_hosts": ["x y", "*.a.test", "203.0.113.5"]}
        good = {"network_mode": "allowlist", "allowed_hosts": ["*.a.test", "*.b.test", "203.0.113.5"]}
        lane = "https://[2001:db8::2]"
        rows: list[tuple[dict[str, Any], list[str]]] = [
            ({"sandbox": bad}, ["*.a.test", lane]),
            ({"sandbox": {**bad, "unknown": 1}}, ["*.a.test", lane]),
            ({"sandbox": {**bad, "blocked_urls": "a.test"}}, ["*.a.test", lane]),
            ({"sandbox": bad, "agent": good}, ["*.a.test", lane]),
            ({"sandbox": good, "agent": {"unknown": 1}}, ["*.a.test", "*.b.test", lane]),
            ({"sandbox": bad, "agent": {"network_mode": "no-network"}}, [lane]),
            ({"sandbox": bad, "agent": {"allow_model_endpoint": False}}, ["*.a.test"]),
        ]
        for scopes, where in rows:
            with self.subTest(scopes=scopes):
                policy = merge(scopes, [lane], PROGRAM)
                found = [gap.where for gap in preflight(policy, "address-list", PROGRAM)]
                self.assertEqual(found, ["scopes"] * len(policy.gaps) + where)
                self.assertEqual(policy.document(), {"network_mode": "no-network", "allow_model_endpoint": False})

    def test_a_program_that_is_not_there_is_named_once(self) -> None:
        missing = Egressfw("/nonexistent/egressfw")
        scopes = {"sandbox": {"network_mode": "allowlist", "allowed_hosts": ["a.test", "b.test"]}}
        for policy in (merge(scopes, [], missing), lists("a.test", "b.test")):
            gaps = preflight(policy, "rules", missing)
            self.assertEqual([gap.why for gap in gaps], [
                "/nonexistent/egressfw cannot be run: No such file or directory; is it there, and is its path right?"
            ])

    def test_a_command_that_takes_too_long_has_failed(self) -> None:
        result = run_here(["sleep", "20"], timeout=0.05)
        self.assertEqual(result.status, 125)
        self.assertIn("timed out", result.errors)

    def test_blocklist(self) -> None:
        policy = Policy("blocklist", blocked_urls=("a.test",))
        for platform in ("address-list", "switch"):
            self.assertEqual(len(preflight(policy, platform, PROGRAM)), 1)
        self.assertEqual(len(preflight(policy, "rules", PROGRAM)), 1)

    def test_a_switch_has_no_lists_and_no_lanes(self) -> None:
        self.assertEqual(len(preflight(lists("203.0.113.5"), "switch", PROGRAM)), 1)
        lane = Policy("no-network", model_endpoints=("https://203.0.113.5",))
        self.assertEqual(len(preflight(lane, "switch", PROGRAM)), 1)
        self.assertEqual(preflight(lane, "rules", PROGRAM), ())

    def test_gaps_of_the_scopes_come_along(self) -> None:
        for platform in ("rules", "address-list", "switch"):
            self.assertEqual(len(preflight(Policy("no-network", gaps=("one", "two")), platform, PROGRAM)), 2)
        self.assertEqual(len(preflight(Policy("public", gaps=("one",)), "rules", PROGRAM)), 1)

    def test_what_the_sandbox_cannot(self) -> None:
        inside = doctor(
            ("enforcement.nf-tables", "fail"),
            ("enforcement.ipv6", "unknown"),
            ("enforcement.caller", "warn"),
            ("enforcement.capabilities", "pass"),
            ("channel.sudo", "fail"),
        )
        gaps = preflight(lists("203.0.113.5"), "rules", PROGRAM, inside, "agent")
        self.assertEqual(
            [gap.where for gap in gaps], ["sandbox: enforcement.nf-tables", "sandbox: enforcement.ipv6"]
        )

    def test_a_doctor_that_says_nothing_is_a_gap(self) -> None:
        for found in ("{}", '{"checks": []}', '{"checks": ["x"]}', '{"checks": [{"name": "channel.sudo", "status": "pass"}]}',
                      '{"checks": [{"name": "enforcement.ipv6"}]}', '{"checks": [{"name": "enforcement.ipv6", "status": "?"}]}'):
            inside = Egressfw("/egressfw", lambda command, text, said=found: Result(0, said))  # type: ignore[misc]
            self.assertEqual(len(preflight(lists("203.0.113.5"), "rules", PROGRAM, inside, "agent")), 1, found)

    def test_a_sandbox_without_the_program_is_a_gap(self) -> None:
        gaps = preflight(lists("203.0.113.5"), "rules", PROGRAM, Egressfw("/nonexistent/egressfw"), "agent")
        self.assertEqual([gap.where for gap in gaps], ["sandbox"])

    def test_another_platform(self) -> None:
        with self.assertRaises(ValueError):
            preflight(Policy("public"), "rule", PROGRAM)


class Lists(unittest.TestCase):
    def test_list(self) -> None:
        found = address_list(lists("203.0.113.4", "203.0.113.5:8080"), PROGRAM)
        self.assertEqual((found.text, found.prefixes, found.hosts), ("203.0.113.4/31", ("203.0.113.4/31",), ""))
        self.assertIn("wider", found.notes[0])

    def test_no_list(self) -> None:
        for policy in (lists("*.a.test"), Policy("no-network"), Policy("public"), lists("2001:db8::1")):
            with self.assertRaises(ValueError):
                address_list(policy, PROGRAM)

    def test_a_program_that_says_nothing(self) -> None:
        for output in ("", "[]", "{}", '{"prefixes": [], "hosts": "", "notes": []}'):
            silent = Egressfw("x", lambda command, text: Result(0, output))
            with self.assertRaises(ValueError):
                address_list(lists("203.0.113.4"), silent)

    def test_a_list_of_a_program_that_failed(self) -> None:
        output = '{"prefixes": ["203.0.113.4/32"], "hosts": "", "notes": [], "error": "why"}'
        failed = Egressfw("x", lambda command, text: Result(3, output))
        with self.assertRaisesRegex(ValueError, "^why$"):
            address_list(lists("203.0.113.4"), failed)


if __name__ == "__main__":
    unittest.main()
