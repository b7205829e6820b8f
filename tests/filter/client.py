# client.py: a client of the filter that does what it is told, hostile or not; for tests/filter.
#
# FUNCTION ARGUMENT...: prints what came of it.
import collections, json, os, socket, ssl, struct, sys, threading, time

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
    if what == "early":
        s.shutdown(socket.SHUT_WR)
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

# What servers say first: RFC 8446, sections 4.1.3 and 4.1.4.
def server_message(random):
    body = b"\x03\x03" + random + b"\0\x13\x01\0\0\0"
    return b"\x16\x03\x03" + struct.pack("!HI", len(body) + 4, 0x02000000 | len(body)) + body

RETRY = server_message(bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"))
SERVER_HELLO = server_message(bytes(32))

def opened(target):
    s, head = tunnel(target)
    if status(head) != "200":
        sys.exit("no tunnel: " + status(head))
    return s

# Octets there and back, both at the same time.
def echo(target, length):
    s = opened(target)
    data = os.urandom(1 << 20) * (int(length) // (1 << 20) + 1)
    data = data[:int(length)]
    sender = threading.Thread(target=s.sendall, args=(data,))
    sender.start()
    print("same" if read_exactly(s, len(data)) == data else "differs")
    sender.join()

def ask_hello(target, answer=SERVER_HELLO):
    s = dial()
    s.sendall(request(target))
    read_until(s, b"\r\n\r\n")
    s.sendall(hello(name_of(target)))
    read_exactly(s, len(answer))
    return s

def half_up(target):
    s = ask_hello(target)
    s.sendall(b"x" * 100000)
    s.shutdown(socket.SHUT_WR)
    got, how = read_all(s)
    print(got.decode() + ", then " + how)

def heard(path, wanted):
    for _ in range(1000):
        with open(path, encoding="ascii") as report:
            for line in report:
                if wanted in line:
                    return line.strip()
        time.sleep(0.02)
    return "nothing"

def half_down(target, path):
    s = ask_hello(target)
    got, how = read_all(s)
    s.sendall(b"x" * 100000)
    s.close()
    print("%s, then %s, %s" % (got.decode(), how, heard(path, "heard")))

def hears_reset(target):
    s = ask_hello(target)
    s.sendall(b"now!")
    print(read_all(s)[1])

def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()

def resets(target, path):
    s = ask_hello(target)
    read_exactly(s, 4)
    reset(s)
    print(heard(path, "reset"))

# The server asks for another hello, and gets one with another name.
def second_hello(target, name):
    s = ask_hello(target, RETRY)
    s.sendall(hello(name))
    got = read_all(s)[0]
    print("closed" if not got else "got through")

# A hello and a record of early data behind it, in one write.
def early_data(target):
    s = dial()
    s.sendall(request(target))
    read_until(s, b"\r\n\r\n")
    data = hello(name_of(target)) + b"\x17\x03\x03\x00\x01x"
    s.sendall(data)
    print("same" if read_exactly(s, len(data)) == data else "differs")

def end_half_up(s, report):
    s.sendall(b"%d octets" % len(read_all(s)[0]))

def end_half_down(s, report):
    s.sendall(b"bye")
    s.shutdown(socket.SHUT_WR)
    report.write("%d octets heard\n" % len(read_all(s)[0]))

def end_reset(s, report):
    s.recv(4)
    reset(s)

def end_heard_reset(s, report):
    s.sendall(b"more")
    report.write(read_all(s)[1] + "\n")

def end_retry(s, report):
    s.recv(65536) and s.sendall(b"got it")

def end_echo(s, report):
    while True:
        piece = s.recv(65536)
        if not piece:
            return
        s.sendall(piece)

# Servers that end in their own ways.
def serve_ends(path):
    report = open(path, "a", buffering=1, encoding="ascii")
    ways = {9011: end_half_up, 9012: end_half_down, 9013: end_reset, 9014: end_heard_reset, 9015: end_retry,
            9016: end_echo}
    def serve_one(s, way):
        with s:
            if way is not end_echo:
                s.recv(65536)
                s.sendall(RETRY if way is end_retry else SERVER_HELLO)
            way(s, report)
    def serve(listener, way):
        while True:
            s = listener.accept()[0]
            threading.Thread(target=serve_one, args=(s, way)).start()
    for port, way in ways.items():
        listener = socket.create_server(("0.0.0.0", port))
        threading.Thread(target=serve, args=(listener, way)).start()
    report.write("ready\n")

def say(path, text):
    with open(path, "w", encoding="ascii") as report:
        report.write(text)

# A third say half a request, a third one octet at a time, a third open a tunnel and do not read what comes.
def slow(count, target, path):
    os.umask(0)
    clients = []
    for i in range(int(count)):
        if i % 3 < 2:
            s = dial()
            s.sendall(b"CONNECT 203" if i % 3 else b"C")
        else:
            s = opened(target)
            s.setblocking(False)
            try:
                while True:
                    s.send(b"x" * 65536)
            except BlockingIOError:
                pass
        clients.append(s)
    say(path, "slow")
    rest = request(target)[1:]
    for i in range(1000):
        time.sleep(0.05)
        for s in clients[::3]:
            s.send(rest[i % 10:i % 10 + 1])

def idle_end(target):
    s = opened(target)
    print("200 tunnel", read_all(s)[1])

def limit(count, more, target):
    clients = [opened(target) for _ in range(int(count))]
    answers = []
    for _ in range(int(more)):
        s = dial()
        answers.append(status(read_all(s)[0]))
    clients.pop().close()
    time.sleep(0.2)
    again = tunnel(target)[1]
    print("200 x %d, %s x %d, again %s" % (len(clients) + 1, "/".join(sorted(set(answers))), len(answers), status(again)))

# Many come at once who can have no place.
def told(count, more, target):
    clients = [opened(target) for _ in range(int(count))]
    comers = [dial() for _ in range(int(more))]
    answers = collections.Counter(status(read_all(s)[0]) for s in comers)
    print("some told, some closed" if answers["503"] >= 16 and answers["closed"] else answers)

def crowd(count, path):
    clients = [dial() for _ in range(int(count))]
    say(path, "crowd")
    time.sleep(600)

# A tunnel for as long as it is let.
def hold(target, path):
    s, head = tunnel(target)
    with open(path, "w", buffering=1, encoding="ascii") as report:
        if status(head) != "200":
            print(status(head), file=report)
            return
        print("open", file=report)
        s.settimeout(None)
        read_all(s)
        print("closed", file=report)

# What systemd would hear.
def notified(path):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind(path)
    os.chmod(path, 0o666)
    s.settimeout(TIMEOUT)
    print(s.recv(100).decode())

# One after the other, until the filter is gone.
def repeat(count, target):
    found = collections.Counter()
    for _ in range(int(count)):
        try:
            s = dial()
            s.sendall(request(target))
            found[status(read_all(s)[0])] += 1
            s.close()
        except OSError:
            break
    print(*("%s x %d" % one for one in sorted(found.items())), sep=", ")

def idle(count, target, path):
    clients = [opened(target) for _ in range(int(count))]
    say(path, "open %d" % len(clients))
    time.sleep(600)

if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
