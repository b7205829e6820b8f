# siege.py: clients that want all of the filter for themselves; for tests/filter/siege.sh.
#
# FUNCTION ARGUMENT...: prints what came of it.
import socket, ssl, struct, sys

PROXY = ("127.0.0.1", 3128)

def dial():
    return socket.create_connection(PROXY, 20)

def ask(s, octets):
    s.sendall(octets)
    return s.recv(65536).split(b" ", 2)[1].decode()

def say(path, text):
    with open(path, "w") as told:
        told.write(text + "\n")

# One request that is answered, then, once there is a line to be read, many at once.
def many(count, path):
    one = b"GET http://many.test/ HTTP/1.1\r\nHost: x\r\n\r\n"
    s = dial()
    say(path, ask(s, one))
    sys.stdin.readline()
    s.sendall(one * int(count))
    say(path, "sent")
    while s.recv(1 << 20):
        pass

# As many names that are asked for and left, once it was seen who asks.
def names(count):
    now = struct.pack("ii", 1, 0)
    held = []
    for number in range(int(count)):
        held.append(dial())
        held[-1].sendall(b"GET http://r%d.silent.test/ HTTP/1.1\r\nHost: x\r\n\r\n" % number)
        held[-1].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
        if len(held) > 3000:
            held.pop(0).close()
    print("left")

# Clients each with many requests that need no server, and who take no answers.
def requests(count, each, path):
    octets = b"GET http://denied.test/ HTTP/1.1\r\nHost: x\r\n\r\n" * int(each)
    held = [dial() for _ in range(int(count))]
    for s in held:
        s.sendall(octets)
    say(path, "sent")
    sys.stdin.readline()

# How many lines the log has won while one request was answered: the most, of some tries.
def lines_meanwhile(tries, path):
    most = 0
    with open(path, "rb") as log:
        for _ in range(int(tries)):
            log.seek(0, 2)
            with dial() as s:
                assert ask(s, b"GET http://denied.test/ HTTP/1.1\r\nHost: x\r\n\r\n") == "403"
            most = max(most, log.read().count(b"\n"))
    print(most)

# Clients that wait for a place where nobody answers.
def wait(count, host, path):
    held = [dial() for _ in range(int(count))]
    for s in held:
        s.sendall(b"CONNECT %s:443 HTTP/1.1\r\nHost: x\r\n\r\n" % host.encode())
    say(path, "waiting")
    sys.stdin.readline()

# Clients that say no more than the beginning, and stay.
def silent(count, beginning, path):
    held = []
    for _ in range(int(count)):
        held.append(dial())
        held[-1].sendall(beginning.encode())
    say(path, "silent")
    sys.stdin.readline()

# Requests whose bodies nobody takes.
def bodies(count, path):
    octets = b"POST http://203.0.113.5:9999/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n" + b"x" * 400000
    held = [dial() for _ in range(int(count))]
    for s in held:
        s.setblocking(False)
        s.send(octets)
    say(path, "sent")
    sys.stdin.readline()

# The server that takes nothing.
def idle_server(port, path):
    listener = socket.create_server(("::", int(port)), family=socket.AF_INET6, backlog=4096)
    held = []
    say(path, "ready")
    while True:
        held.append(listener.accept()[0])

# As many tunnels as there can be to an address, in which nothing happens.
def tunnels(count, target, path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    outgoing = ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    except ssl.SSLWantReadError:
        greeting = outgoing.read()
    held = []
    answers = []
    for _ in range(int(count)):
        held.append(dial())
        try:
            answers.append(ask(held[-1], b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % target.encode()))
        except (OSError, IndexError):
            answers.append("closed")
        if answers[-1] == "200":
            held[-1].sendall(greeting)
            held[-1].recv(1)
    say(path, "open %d" % answers.count("200"))
    sys.stdin.readline()

# One whose request has two halves, the second once there is a line to be read.
def halves(target, path):
    s = dial()
    s.sendall(b"CONNECT %s HT" % target.encode())
    say(path, "begun")
    sys.stdin.readline()
    say(path, ask(s, b"TP/1.1\r\nHost: x\r\n\r\n"))

# Names that are asked for, by clients that wait.
def lookups(count, path):
    held = [dial() for _ in range(int(count))]
    for number, s in enumerate(held):
        s.sendall(b"CONNECT r%d.silent.test:443 HTTP/1.1\r\nHost: x\r\n\r\n" % number)
    say(path, "asking")
    sys.stdin.readline()

# New clients all the time, who stay for as long as they are let.
def storm(path):
    held = []
    for number in range(10 ** 9):
        if number == 2000:
            say(path, "storm")
        try:
            held.append(dial())
            held[-1].sendall(b"C")
        except OSError:
            pass
        if len(held) > 1500:
            held.pop(0).close()

globals()[sys.argv[1]](*sys.argv[2:])
