# strict_tool.py: ways by which a packet leaves that has no owner, or another one than the user; for strict.sh.
#
# FUNCTION ARGUMENT...: prints "sent", or why not.
import fcntl, os, socket, struct, sys, time

def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET

def unspecified(address):
    return "::" if ":" in address else "0.0.0.0"

IPV6_FREEBIND, IPV6_RTHDR, MCAST_JOIN_SOURCE_GROUP = 78, 57, 46

# From an address that is not this host's, to loopback: the kernel, or a service, answers to that address.
def spoof(kind, source, destination, port):
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM, socket.IPPROTO_ICMPV6 if kind == "ping" else 0)
    s.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
    s.bind((source, 0))
    s.sendto((b"\x80\0\0\0\0\1\0\1" if kind == "ping" else b"") + b"secret" * 40, (destination, int(port)))

# A group whose report is sent for neighbours' sake; the sources that are wanted are a user's word too.
def join_sources(group, index):
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    pack = lambda address: struct.pack("=HHI16sI", socket.AF_INET6, 0, 0, socket.inet_pton(socket.AF_INET6, address),
                                       0).ljust(128, b"\0")
    s.setsockopt(socket.IPPROTO_IPV6, MCAST_JOIN_SOURCE_GROUP,
                 struct.pack("=I4x", int(index)) + pack(group) + pack("2001:db8:5ec:2e7::1"))
    time.sleep(1)

# A segment routing header: first to an address of this host, from there outside.
def segments(source, first, last, port):
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.bind((source, 0))
    header = struct.pack("BBBBBBH", 0, 4, 4, 1, 1, 0, 0) + bytes(16) + socket.inet_pton(socket.AF_INET6, first)
    s.setsockopt(socket.IPPROTO_IPV6, IPV6_RTHDR, header)
    s.sendto(b"secret", (last, int(port)))

def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff

# By a device that was made for the user: it writes whole packets.
def tunnel(device, name, source, destination):
    tun = os.open(device, os.O_RDWR)
    fcntl.ioctl(tun, 0x400454ca, struct.pack("16sH22x", name.encode(), 0x1001))
    time.sleep(.2)
    a, b = (socket.inet_pton(family(source), x) for x in (source, destination))
    payload = struct.pack("!HHHH", 4000, 443, 14, 0) + b"secret"
    if ":" in source:
        packet = struct.pack("!IHBB", 6 << 28, len(payload), 17, 64) + a + b + payload
    else:
        header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 1, 0, 64, 17, 0) + a + b
        packet = header[:10] + struct.pack("!H", checksum(header)) + header[12:] + payload
    os.write(tun, packet)
    time.sleep(.2)

# Asks, and does not wait: the kernel itself says so to what comes later.
def too_late(address, port):
    s = socket.socket(family(address), socket.SOCK_DGRAM)
    s.sendto(b"question", (address, int(port)))
    s.close()
    time.sleep(.8)

def answer_late(address, port):
    s = socket.socket(family(address), socket.SOCK_DGRAM)
    if ":" in address:
        s.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
    s.bind((address, int(port)))
    s.settimeout(5)
    print("ready", flush=True)
    peer = s.recvfrom(100)[1]
    time.sleep(.4)
    s.sendto(b"answer", peer)

# Writes as much as waits behind a closed window, and is gone.
def abandon(address, port):
    s = socket.socket(family(address), socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 400000)
    s.settimeout(5)
    s.connect((address, int(port)))
    s.settimeout(0)
    try:
        while True:
            s.send(b"x" * 65536)
    except BlockingIOError:
        pass

# Takes one connection and reads it when it is told to; says how much came after that.
def hoard(address, port):
    s = socket.socket(family(address), socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    s.bind((address, int(port)))
    s.listen(5)
    print("ready", flush=True)
    c = s.accept()[0]
    sys.stdin.readline()
    # What is here already.
    c.settimeout(.1)
    held = total = 0
    try:
        held = len(c.recv(1 << 20))
        c.settimeout(3)
        while True:
            piece = c.recv(1 << 20)
            if not piece:
                break
            total += len(piece)
    except OSError:
        pass
    print("held", held, "later", total, flush=True)

def connect(address, port):
    s = socket.socket(family(address), socket.SOCK_STREAM)
    s.settimeout(3)
    s.connect((address, int(port)))

try:
    globals()[sys.argv[1]](*sys.argv[2:])
    print("sent")
except OSError as e:
    print(e)
    sys.exit(1)
