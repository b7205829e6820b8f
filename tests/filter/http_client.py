# http_client.py: raw exchanges with the filter that no ordinary client can be told to make; for tests/filter.
#
# FUNCTION ARGUMENT...: prints what came of it, one line.
import collections, os, random, re, socket, struct, sys, threading, time
from client import PROXY, dial, read_all, read_exactly, read_until, request

# The next answer on the stream: status and body; interim ones are numbers in front.
def answer(s, to_head=False):
    statuses = []
    while True:
        head = read_until_exactly(s, b"\r\n\r\n")
        if not head:
            return statuses + ["closed"], b""
        statuses.append(head.split(b" ")[1].decode())
        if not statuses[-1].startswith("1") or statuses[-1] == "101":
            break
    lower = head.lower()
    length = re.search(rb"\r\ncontent-length: (\d+)", lower)
    if to_head or statuses[-1] in ("101", "204", "304"):
        return statuses, b""
    if b"\r\ntransfer-encoding: chunked" in lower:
        body = b""
        while True:
            size = int(read_until_exactly(s, b"\r\n").strip(), 16)
            if not size:
                return statuses, body + read_until_exactly(s, b"\r\n")
            body += read_exactly(s, size)
            read_exactly(s, 2)
    return statuses, read_exactly(s, int(length.group(1))) if length else read_all(s)[0]

def read_until_exactly(s, end):
    got = b""
    while not got.endswith(end):
        seen = s.recv(4096, socket.MSG_PEEK)
        if not seen:
            return b""
        at = (got + seen).find(end)
        got += s.recv(len(seen) if at < 0 else at + len(end) - len(got))
    return got

def get(url, *fields, method="GET", version="1.1"):
    host = url.split("/")[2] if "://" in url else fields[0]
    return ("\r\n".join(["%s %s HTTP/%s" % (method, url, version), "Host: " + host] +
                        [field for field in fields if ":" in field]) + "\r\n\r\n").encode()

# All requests in one write; the answers in order.
def pipeline(*urls):
    s = dial()
    s.sendall(b"".join(get(url) for url in urls))
    print(*(" ".join(answer(s)[0]) for url in urls))

# One after the other over one connection.
def keep(*urls):
    s, said = dial(), []
    for url in urls:
        s.sendall(get(url))
        statuses, body = answer(s)
        said.append(" ".join(statuses + [body.decode().strip()]))
    print("; ".join(said))

# Chunks with a trailer field behind them.
def trailer(url):
    s = dial()
    s.sendall(get(url, "Transfer-Encoding: chunked", method="POST") + b"3;x\r\nabc\r\n0\r\nX-Sum: 1\r\nHost: x\r\n\r\n")
    statuses, body = answer(s)
    print(*statuses, body.decode().strip())

# Very many denied requests, whose answers are read only once the file is there.
def flood(count, gate):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(60)
    s.connect(PROXY)
    threading.Thread(target=s.sendall, args=(get("http://denied.test/") * int(count),), daemon=True).start()
    while not os.path.exists(gate):
        time.sleep(0.02)
    print(sum(answer(s)[0] == ["403"] for _ in range(int(count))))

# Twice over one connection, the second time once the file is there. In a tunnel once, and its beginning before that.
def again(url, gate, tunnel=None):
    s, first = dial(), gate + ".first"
    text = get(url.replace("http://" + url.split("/")[2], "") if tunnel else url, url.split("/")[2])
    begun = 0
    if tunnel:
        s.sendall(request(tunnel))
        read_until(s, b"\r\n\r\n")
        begun = 5
        s.sendall(text[:begun])
    else:
        s.sendall(text)
        with open(first, "w") as said:
            said.write(" ".join(answer(s)[0]))
    while not os.path.exists(gate):
        time.sleep(0.02)
    s.sendall(text[begun:])
    print(*answer(s)[0])

# A request that must not be made twice, over a connection that has served another one.
def once(url, leave):
    s = dial()
    s.sendall(get(url))
    first = answer(s)[0]
    s.sendall(get(leave, "Content-Length: 0", method="POST"))
    print(*first, *answer(s)[0])

def old(url):
    s = dial()
    s.sendall(get(url, version="1.0"))
    print(*answer(s)[0])

def babble(url):
    s = dial()
    s.sendall(get(url))
    statuses = answer(s)[0]
    print("103 x %d, %s" % (statuses.count("103"), statuses[-1]))

# Octet by octet.
def slowly(url):
    s = dial()
    for octet in get(url):
        s.sendall(bytes([octet]))
    print(*answer(s)[0])

def websocket(url, tunnel=None):
    s = dial()
    if tunnel:
        s.sendall(request(tunnel))
        read_until_exactly(s, b"\r\n\r\n")
    # Octets of the other protocol right behind the request, as an impatient client sends them.
    s.sendall(get(url, tunnel or "x", "Connection: keep-alive, Upgrade", "Upgrade: websocket") + b"early")
    statuses, _ = answer(s)
    if statuses != ["101"]:
        print(*statuses)
        return
    got = read_exactly(s, 8 + 5)
    s.sendall(b"\x00later\xff")
    got += read_exactly(s, 7)
    s.shutdown(socket.SHUT_WR)
    rest, how = read_all(s)
    print(*statuses, got, rest, how)

UPGRADE = "Connection: Upgrade", "Upgrade: websocket"

# Clients that ask, and leave before the server says anything, once the file is there; those that only have nothing more
# to say.
def vanish(gate, *urls):
    clients = []
    for url in urls:
        s = dial()
        upgrades = "websocket" in url
        s.sendall(get(url, *UPGRADE if upgrades else ()))
        if upgrades:
            answer(s)
            read_exactly(s, 8)
        clients.append(s)
    while not os.path.exists(gate):
        time.sleep(0.02)
    for s in clients:
        s.close()

def patient(url):
    s = dial()
    upgrades = "websocket" in url
    s.sendall(get(url, *UPGRADE if upgrades else ()))
    statuses, body = answer(s) if upgrades else ([], b"")
    s.shutdown(socket.SHUT_WR)
    if upgrades:
        print(*statuses, read_exactly(s, 8 + 4)[8:].decode())
    else:
        statuses, body = answer(s)
        print(*statuses, body.decode().strip())

# Opens a websocket, says so in the file, and waits for its end.
def held(url, said):
    s = dial()
    s.sendall(get(url, *UPGRADE))
    with open(said, "w") as file:
        print(*answer(s)[0], file=file)
    print(read_all(s)[1])

# So many clients, each with so many requests, by turns to each of the hosts, with long paths; the answers, counted.
def long_urls(clients, rounds, *hosts):
    found = collections.Counter()
    def run(number):
        s, pick = dial(), random.Random(number)
        for i in range(int(rounds)):
            s.sendall(get("http://%s/%s?%s" % (hosts[i % len(hosts)], "a" * pick.randint(8000, 17000), "b" * 3000)))
            found[answer(s)[0][-1]] += 1
    threads = [threading.Thread(target=run, args=(number,)) for number in range(int(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(*("%s x %d" % one for one in sorted(found.items())), sep=", ")

# Many requests and tunnels of several clients, to some hosts: which answers each host had.
def race(rounds, *hosts):
    seen = set()
    def one(host, s):
        s.sendall(get("http://%s%s" % (host, random.choice(("/", "/chunks", "/hints", "/large/100000")))))
        return answer(s)[0][-1]
    def run(number):
        for i in range(int(rounds)):
            host = hosts[(i + number) % len(hosts)]
            try:
                s = dial()
                if number % 2:
                    s.sendall(request(host + ":80"))
                    seen.add((host, read_until(s, b"\r\n\r\n").split(b" ")[1].decode()))
                    s.sendall(get("/", host))
                    seen.add((host, answer(s)[0][-1]))
                else:
                    for _ in range(3):
                        seen.add((host, one(host, s)))
                s.close()
            except (OSError, ValueError, IndexError):
                seen.add((host, "closed"))
    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(*("%s %s" % one for one in sorted(seen)), sep="\n")

# The body is sent only after 100; what comes instead is printed.
def expect(url, length="5", *fields, version="1.1"):
    s = dial()
    s.sendall(get(url, "Expect: 100-continue", "Content-Length: " + length, *fields, method="POST"))
    head = read_until_exactly(s, b"\r\n\r\n")
    first = head.split(b" ")[1].decode() if head else "closed"
    if first != "100":
        print(first)
        return
    s.sendall(b"x" * int(length))
    print(first, *answer(s)[0])

# A large body at a server that answers before it has read any of it.
def early(url):
    s = dial()
    s.sendall(get(url, "Content-Length: 4000000", method="POST"))
    def body():
        try:
            for _ in range(1000):
                s.sendall(b"x" * 4000)
        except OSError:
            pass
    sender = threading.Thread(target=body, daemon=True)
    sender.start()
    statuses, text = answer(s)
    print(*statuses, text.decode().strip())

# Half of a request, then nothing, or one octet a tenth of a second.
def stall(text, trickle=""):
    s = dial()
    s.sendall(text.encode().decode("unicode_escape").encode("latin-1"))
    if trickle:
        def drip():
            try:
                while True:
                    time.sleep(0.1)
                    s.sendall(b"x")
            except OSError:
                pass
        threading.Thread(target=drip, daemon=True).start()
    got, how = read_all(s)
    print(got.split(b"\r\n")[0].decode(), how)

# A client that goes away in the middle of a large answer.
def leave(url):
    s = dial()
    s.sendall(get(url))
    s.recv(1000)
    s.close()
    print("left")

# Whether the filter has accepted the connection, and read what was sent.
def is_read(s):
    ours, its = "%04X" % s.getsockname()[1], "%04X" % PROXY[1]
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table]
    return any(row[1].endswith(":" + its) and row[2].endswith(":" + ours) and row[4].endswith(":00000000") and row[9] != "0"
               for row in rows)

# Clients that break off in the middle of a request; in a tunnel, where a target stands in front.
def break_off(text, target=None):
    s = dial()
    if target:
        s.sendall(request(target))
        read_until(s, b"\r\n\r\n")
    s.sendall(text.encode().decode("unicode_escape").encode("latin-1"))
    for _ in range(500):
        if is_read(s):
            break
        time.sleep(0.02)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()

def whole(text):
    s = dial()
    s.sendall(text.encode().decode("unicode_escape").encode("latin-1"))
    s.shutdown(socket.SHUT_WR)
    got, how = read_all(s)
    sys.stdout.write(got.decode("latin-1").replace("\r\n", "\n") + how + "\n")

if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
