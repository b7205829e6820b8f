"""destinations: entries of allowed_hosts and blocked_urls in the normal form of egressfw, and what two of them share."""

from __future__ import annotations

import functools
import ipaddress
from dataclasses import dataclass
from typing import Iterable, Union

Ports = tuple[tuple[int, int], ...]
Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]
DEFAULT_PORTS: Ports = ((80, 80), (443, 443))
ALL_PORTS: Ports = ((1, 65535),)


# What egressfw takes for special-purpose (src/base/address.c): a blocklist closes it, and no name may lead there.
SPECIAL = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 "
        "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4 "
        # All but 2000::/3, and in there what is reserved, or stands for addresses of IPv4 (as 64:ff9b::/96 does).
        "::/3 4000::/2 8000::/1 2001::/23 2002::/16"
    ).split()
)


@functools.lru_cache(maxsize=65536)
def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None


def _split(text: str) -> tuple[str, str]:
    """Host and port of "host", "host:port", "[address]:port" or an address alone."""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host, rest[1:]
    if text.count(":") > 1:
        return text, ""
    host, _, ports = text.partition(":")
    return host, ports


def _ports(text: str) -> Ports:
    if not text:
        return DEFAULT_PORTS
    if text == "*":
        return ALL_PORTS
    first, _, last = text.partition("-")
    return ((int(first), int(last or first)),)


def _shared_ports(one: Ports, other: Ports) -> Ports:
    shared = ((max(a, c), min(b, d)) for a, b in one for c, d in other)
    return tuple(sorted((first, last) for first, last in shared if first <= last))


@dataclass(frozen=True)
class Destination:
    """A name, a wildcard ("*.parent") or a prefix, with TCP ports."""

    host: str
    ports: Ports

    @classmethod
    def parse(cls, text: str) -> Destination:
        host, ports = _split(text)
        return cls(host, _ports(ports))

    @property
    def network(self) -> Network | None:
        return None if self.is_wildcard else _network(self.host)

    @property
    def is_wildcard(self) -> bool:
        return self.host.startswith("*.")

    @property
    def is_special(self) -> bool:
        """Whether some of its addresses are special-purpose, or stand for others."""
        network = self.network
        return network is not None and any(
            network.version == special.version and network.overlaps(special) for special in SPECIAL
        )

    def covers(self, other: Destination) -> bool:
        """Whether all that the other's host stands for is what this one's does, whatever the ports."""
        mine, theirs = self.network, other.network
        if mine is not None or theirs is not None:
            if mine is None or theirs is None or mine.version != theirs.version:
                return False
            return theirs.subnet_of(mine)  # type: ignore[arg-type]
        if self.is_wildcard:
            # "*.a" covers "b.a" and "*.b.a", and itself; not "a".
            return other.host.endswith(self.host[1:])
        return self.host == other.host

    def shared_with(self, other: Destination) -> Destination | None:
        """What both open, or None. Two hosts are either one inside the other, or have nothing in common."""
        if self.covers(other):
            host = other.host
        elif other.covers(self):
            host = self.host
        else:
            return None
        ports = _shared_ports(self.ports, other.ports)
        return Destination(host, ports) if ports else None

    def spellings(self) -> list[str]:
        """The entries of allowed_hosts that mean this: one, or one for each range of ports."""
        if self.ports == DEFAULT_PORTS:
            return [self.host]
        host = f"[{self.host}]" if ":" in self.host else self.host
        return [
            f"{host}:*" if (first, last) == ALL_PORTS[0] else f"{host}:{first}" + (f"-{last}" if last > first else "")
            for first, last in self.ports
        ]


def intersection(one: Iterable[str], other: Iterable[str]) -> list[str]:
    """The entries that say what both lists open."""
    theirs = [Destination.parse(text) for text in other]
    shared = {}
    for mine in [Destination.parse(text) for text in one]:
        for destination in theirs:
            both = mine.shared_with(destination)
            if both:
                shared.update(dict.fromkeys(both.spellings()))
    return list(shared)


@dataclass(frozen=True)
class Blocked:
    """An entry of blocked_urls: a host with what is below it; a port and a path where it names them."""

    host: str
    port: int | None
    whole_host: bool

    @classmethod
    def parse(cls, text: str) -> Blocked:
        bare = text.split("://", 1)[-1]
        authority, slash, path = bare.partition("/")
        authority, query, _ = authority.partition("?")
        # Without brackets an address of IPv6 has no port, and its colons are no separators.
        host, port = _split(authority)
        return cls(host, int(port) if port else None, not (slash and path) and not query)

    def touches(self, destination: Destination) -> bool:
        """Whether anything that the destination opens is blocked, or may be: names lead to addresses."""
        if self.port is not None and not _shared_ports(((self.port, self.port),), destination.ports):
            return False
        mine = Destination(self.host, ALL_PORTS)
        if mine.network is not None and destination.network is None:
            return not mine.is_special
        return self._covers_host(destination) or destination.covers(mine)

    @property
    def is_name(self) -> bool:
        return _network(self.host) is None

    def swallows(self, destination: Destination) -> bool:
        """Whether all that the destination opens is blocked."""
        if not self.whole_host or (self.port is not None and destination.ports != ((self.port, self.port),)):
            return False
        return self._covers_host(destination)

    def _covers_host(self, destination: Destination) -> bool:
        network = _network(self.host)
        if network is not None:
            return Destination(self.host, ALL_PORTS).covers(destination)
        # "*.a" is below "a" as "b.a" is.
        host = destination.host
        return destination.network is None and (host == self.host or host.endswith("." + self.host))
