# client.py: a client of the filter that does what it is told, hostile or not; for tests/filter.
#
# FUNCTION ARGUMENT...: prints what came of it.
import collections, json, socket, ssl, sys, time

PROXY = ("127.0.0.1", 3128)
TIMEOUT = 20

def dial(proxy=PROXY):
    s = socket.create_connection(proxy, TIMEOUT)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s

# A TLS client's first octets; without a name there is no server name in them.
def hello(name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    outgoing = ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name or None).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()

def read_until(s, wanted):
    got = b""
    while wanted not in got:
        piece = s.recv(65536)
        if not piece:
            return got
        got += piece
    return got

def read_all(s):
    got = b""
    try:
        while True:
            piece = s.recv(65536)
            if not piece:
                return got, "end"
            got += piece
    except ConnectionResetError:
        return got, "reset"

def read_exactly(s, length):
    got = b""
    while len(got) < length:
        piece = s.recv(length - len(got))
        if not piece:
            break
        got += piece
    return got

def request(target):
    return ("CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (target, target)).encode()

def status(head):
    words = head.split(b"\r\n")[0].split(b" ")
    return words[1].decode() if len(words) > 1 else "closed"

def name_of(target):
    host = target.rsplit(":", 1)[0]
    return None if host.startswith("[") or host.replace(".", "").isdigit() else host

# An open tunnel to an echoing server, whose hello was echoed.
def tunnel(target, name=None, proxy=PROXY):
    s = dial(proxy)
    s.sendall(request(target))
    head = read_until(s, b"\r\n\r\n")
    if status(head) != "200":
        return s, head
    first = hello(name_of(target) if name is None else name)
    s.sendall(first)
    if read_exactly(s, len(first)) != first:
        return s, b"HTTP/1.1 closed\r\n"
    return s, head

# "200 tunnel": the hello and what follows it came back. "-" for no server name.
def connect(target, name=None):
    s, head = tunnel(target, "" if name == "-" else name)
    if status(head) != "200":
        print(status(head) if status(head) != "closed" else "200 closed")
        return
    s.sendall(b"more")
    print("200 tunnel" if read_exactly(s, 4) == b"more" else "200 closed")

# Over another listening address of the filter.
def over(address, port, target):
    s, head = tunnel(target, None, (address, int(port)))
    print(status(head))

# Anything at all; "\r" and such are written as in Python. Prints the status, or all with "whole".
def raw(text, what="status"):
    s = dial()
    s.sendall(text.encode("latin-1").decode("unicode_escape").encode("latin-1"))
    got, how = read_all(s)
    print(status(got) if what == "status" else got.decode("latin-1") + how)

# What is sent behind the 200 instead of a hello; prints what comes back.
def behind(target, text):
    s = dial()
    s.sendall(request(target))
    head = read_until(s, b"\r\n\r\n")
    s.sendall(text.encode("latin-1").decode("unicode_escape").encode("latin-1"))
    got, how = read_all(s)
    print(status(head), got.decode("latin-1") + how)

def fields(event, *names):
    for line in sys.stdin:
        one = json.loads(line)
        if one["event"] == event:
            print(*("-" if one[name] is None or one[name] == "" else one[name] for name in names))

# Several CONNECT requests at the same time; the answers, counted.
def many(count, target):
    clients = [dial() for _ in range(int(count))]
    for s in clients:
        s.sendall(request(target))
    found = collections.Counter(status(read_until(s, b"\r\n\r\n")) for s in clients)
    print(*("%s x %d" % one for one in sorted(found.items())))

if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
