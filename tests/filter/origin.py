# origin.py: servers on the far side whose answers depend on the path; for tests/filter.
#
# origin.py RECORD PORT...: HTTP/1.1 on each port of every address. Each request is one line of RECORD: method, path,
# Host, octets of the body and their digest, and the fields as they came, as JSON.
import hashlib, json, socket, sys, threading, time

record = open(sys.argv[1], "a", buffering=1)
lock = threading.Lock()

class Gone(Exception):
    pass

class Stream:
    def __init__(self, connection):
        self.connection, self.octets = connection, b""

    def more(self):
        piece = self.connection.recv(65536)
        if not piece:
            raise Gone
        self.octets += piece

    def until(self, end):
        while end not in self.octets:
            self.more()
        taken, self.octets = self.octets.split(end, 1)
        return taken

    def exactly(self, length):
        while len(self.octets) < length:
            self.more()
        taken, self.octets = self.octets[:length], self.octets[length:]
        return taken

def read_body(stream, fields):
    coding = [value for name, value in fields if name.lower() == "transfer-encoding"]
    length = [value for name, value in fields if name.lower() == "content-length"]
    if coding == ["chunked"] and not length:
        body, trailers = b"", []
        while True:
            size = int(stream.until(b"\r\n"), 16)
            if size == 0:
                break
            body += stream.exactly(size)
            assert stream.exactly(2) == b"\r\n"
        while True:
            line = stream.until(b"\r\n")
            if not line:
                return body, trailers
            trailers.append(line.decode("latin-1"))
    assert not coding and len(length) <= 1
    return stream.exactly(int(length[0])) if length else b"", []

def answer(status, fields, body=b"", minor=1, bare=False):
    lines = ["HTTP/1.%d %s" % (minor, status)] + fields
    if not bare:
        lines.append("Content-Length: %d" % len(body))
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body

def websocket(stream, connection, path):
    connection.sendall(answer("101 Switching Protocols", ["Upgrade: websocket", "Connection: Upgrade"], bare=True)
                       + b"\x81\x02hi\x81\x02ho")
    if path == "/websocket-late":
        time.sleep(3)
        connection.sendall(b"late")
    if path != "/websocket":
        time.sleep(60)
    while True:
        if stream.octets:
            connection.sendall(stream.octets)
            stream.octets = b""
        stream.more()

# False: the connection ends behind the answer.
def respond(method, path, fields, body, trailers, connection):
    def send(*arguments, **named):
        text = answer(*arguments, **named)
        connection.sendall(text.split(b"\r\n\r\n", 1)[0] + b"\r\n\r\n" if method == "HEAD" else text)
    if path == "/chunks":
        connection.sendall(answer("200 OK", ["Transfer-Encoding: chunked", "Trailer: X-Sum"], bare=True) +
                           b"5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 11\r\n\r\n")
    elif path == "/close":
        connection.sendall(answer("200 OK", [], bare=True) + b"until the close")
        return False
    elif path == "/old":
        send("200 OK", [], b"old\n", minor=0)
        return False
    elif path == "/hints":
        connection.sendall(answer("103 Early Hints", ["Link: </x>"], bare=True))
        send("200 OK", [], b"hinted\n")
    elif path == "/cookies":
        send("200 OK", ["Set-Cookie: a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT", "X-Hop: 1", "Set-Cookie: b=2",
                        "Connection: X-Hop", "Keep-Alive: timeout=5"], b"cookies\n")
    elif path == "/redirect":
        send("302 Found", ["Location: http://denied.test/signed?token=s3"])
    elif path.startswith("/status/"):
        send(path.split("/")[2] + " X", [], bare=path.split("/")[2] in ("204", "304"))
    elif path.startswith("/large/"):
        send("200 OK", [], b"x" * int(path.split("/")[2]))
    elif path == "/two-lengths":
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
    elif path == "/short":
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        return False
    elif path == "/unasked":
        connection.sendall(answer("200 OK", [], b"asked\n") + answer("200 OK", [], b"unasked\n"))
    elif path == "/unasked-late":
        send("200 OK", [], b"asked\n")
        time.sleep(0.1)
        connection.sendall(answer("200 OK", [], b"unasked\n"))
    elif path == "/leave":
        return False
    elif path == "/quit":
        send("200 OK", [], b"quitting\n")
        return False
    elif path == "/babble":
        while True:
            connection.sendall(answer("103 Early Hints", ["Link: </x>"], bare=True) * 100)
    elif path == "/late":
        time.sleep(3)
        send("200 OK", [], b"late\n")
    elif path in ("/silent", "/mute"):
        time.sleep(60)
    else:
        send("200 OK", [], ("%s %s %d %s\n" % (method, path, len(body), ",".join(trailers))).encode())
    return not any(name.lower() == "connection" and value.lower() == "close" for name, value in fields)

# Where the client has come to: "ADDRESS:PORT".
def place(connection):
    address, port = connection.getsockname()[:2]
    return "%s:%d" % (address.replace("::ffff:", ""), port)

def serve_one(stream, connection, number):
    head = stream.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
    method, path, version = head[0].split(" ")
    fields = [tuple(part.strip() for part in line.split(":", 1)) for line in head[1:]]
    expects = any(name.lower() == "expect" for name, value in fields)
    def write(body, trailers):
        with lock:
            record.write(json.dumps({"method": method, "path": path, "number": number, "place": place(connection), "length": len(body),
                                     "digest": hashlib.sha256(body).hexdigest(), "trailers": trailers,
                                     "fields": fields}) + "\n")
    if path == "/early":
        write(b"", [])
        connection.sendall(answer("401 Unauthorized", ["Connection: close"], b"early\n"))
        connection.shutdown(socket.SHUT_WR)
        return False
    if path.startswith("/websocket"):
        write(b"", [])
        websocket(stream, connection, path)
    if expects and path != "/no-continue":
        connection.sendall(answer("100 Continue", [], bare=True))
    body, trailers = read_body(stream, fields)
    write(body, trailers)
    return respond(method, path, fields, body, trailers, connection)

def serve(connection, number):
    stream = Stream(connection)
    try:
        while serve_one(stream, connection, number):
            pass
    except (Gone, ConnectionError, BrokenPipeError):
        pass
    connection.close()

def listen(listener):
    number = 0
    while True:
        connection, _ = listener.accept()
        number += 1
        threading.Thread(target=serve, args=(connection, number), daemon=True).start()

for port in sys.argv[2:]:
    listener = socket.create_server(("::", int(port)), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1024)
    threading.Thread(target=listen, args=(listener,), daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
