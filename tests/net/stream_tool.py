# stream_tool.py: one end of a TCP connection, step by step, for the tests of published ports and strict rules.
#
# FUNCTION ARGUMENT...: says "ready" when it has come to a halt, and goes on with a line on standard input.
import errno, socket, struct, sys, time

def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET

def sock(address, port):
    s = socket.socket(family(address), socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    s.settimeout(10)
    return s

def ready():
    print("ready", flush=True)

def wait():
    sys.stdin.readline()

# One connection: everything is written, then the process is gone; the kernel sends the rest.
def dump(address, port, size):
    s = sock(address, int(port))
    s.listen(5)
    ready()
    c = s.accept()[0]
    c.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    c.settimeout(0)
    sent = 0
    try:
        while sent < int(size):
            sent += c.send(b"x" * min(65536, int(size) - sent))
    except BlockingIOError:
        pass
    print("wrote", sent, flush=True)

# Reads slowly, so that most of it is still to be sent when the server is gone.
def drain(address, port):
    s = socket.socket(family(address), socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(10)
    s.connect((address, int(port)))
    time.sleep(1)
    total = 0
    while True:
        piece = s.recv(65536)
        if not piece:
            break
        total += len(piece)
    print("read", total)

# A connection that says something, waits, and says something once more.
def talk(address, port):
    s = socket.socket(family(address), socket.SOCK_STREAM)
    s.settimeout(10)
    s.connect((address, int(port)))
    s.sendall(b"one")
    assert s.recv(10) == b"one"
    ready()
    wait()
    try:
        s.sendall(b"two")
        print("heard" if s.recv(10) == b"two" else "ended")
    except OSError as e:
        print("cut", e)

# The user is the client, by a published port as its own; the other side listens.
def client(source, port, address, there):
    s = sock(source, int(port))
    try:
        s.connect((address, int(there)))
        print("connected", flush=True)
    except OSError as e:
        print("refused", e)
        return
    ready()
    wait()
    try:
        s.sendall(b"smuggled")
        time.sleep(.3)
        print("sent")
    except OSError as e:
        print("not sent", e)

# Sends an acknowledgement that needs no answer, and a pure SYN behind it: so connection tracking, which has not seen
# the beginning, takes the connection for one that began here. Then says what arrives.
def pretend(address, port):
    s = sock(address, int(port))
    s.listen(5)
    ready()
    c, peer = s.accept()
    wait()
    mine, theirs = (sequence(c, queue) for queue in (2, 1))
    c.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, -1)
    segment(address, port, peer[0], peer[1], 0x10, mine, theirs)
    syn(address, port, peer[0], peer[1])
    wait()
    c.settimeout(1)
    try:
        print("got", c.recv(100))
    except OSError as e:
        print("nothing", e)

# The number of the next octet of a queue: 1 what is received, 2 what is sent.
TCP_REPAIR, TCP_REPAIR_QUEUE, TCP_QUEUE_SEQ = 19, 20, 21
def sequence(s, queue):
    s.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
    s.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_QUEUE, queue)
    return s.getsockopt(socket.IPPROTO_TCP, TCP_QUEUE_SEQ) & 0xffffffff

def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff

# A segment that no socket sends.
def segment(address, port, to, there, flags, sequence, acknowledged):
    raw = socket.socket(family(to), socket.SOCK_RAW, socket.IPPROTO_TCP)
    raw.bind((address, 0))
    header = struct.pack("!HHIIBBHHH", int(port), int(there), sequence, acknowledged, 5 << 4, flags, 65535, 0, 0)
    a, b = (socket.inet_pton(family(to), x) for x in (address, to))
    pseudo = a + b + (struct.pack("!II", 20, 6) if ":" in to else struct.pack("!HH", 6, 20))
    header = header[:16] + struct.pack("!H", checksum(pseudo + header)) + header[18:]
    raw.sendto(header, (to, 0))

def syn(address, port, to, there):
    segment(address, port, to, there, 2, 1, 0)

# A SYN from outside is on its way when the user begins to the same place: both are beginnings.
def simultaneous(source, port, address, there):
    s = sock(source, int(port))
    s.settimeout(.5)
    try:
        s.connect((address, int(there)))
        print("connected")
    except OSError as e:
        print(errno.errorcode.get(e.errno, "E %s" % e))

globals()[sys.argv[1]](*sys.argv[2:])
