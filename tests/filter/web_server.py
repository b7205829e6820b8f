# web_server.py: a web server on the far side with files and git repositories, in clear and over TLS; for tests/filter.
#
# web_server.py ROOT PORT [CERTIFICATE-AND-KEY [GROUP]]: files below ROOT/files, repositories below ROOT/git.
import http.server, os, socket, ssl, subprocess, sys

root, port = sys.argv[1], int(sys.argv[2])

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            body += self.rfile.read(size)
            while self.rfile.readline() not in (b"\r\n", b""):
                pass
            if not size:
                return body

    def answer(self, status, fields, body):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def git(self, path, query):
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": root + "/git", "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "agent", "REQUEST_METHOD": self.command, "PATH_INFO": path[4:], "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        made = subprocess.run(["git", "http-backend"], env=environment, input=self.body(), capture_output=True).stdout
        head, body = made.split(b"\r\n\r\n", 1)
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = [int(value.split()[0]) for name, value in fields if name == "Status"] or [200]
        self.answer(status[0], [field for field in fields if field[0] != "Status"], body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path.startswith("/git/"):
            self.git(path, query)
            return
        try:
            with open(root + "/files/" + os.path.basename(path), "rb") as file:
                self.answer(200, [], file.read())
        except OSError:
            self.answer(404, [], b"no such file\n")

    do_HEAD = do_POST = do_GET

class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    daemon_threads = True

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

server = Server(("::", port), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    if len(sys.argv) > 4:
        context.set_ecdh_curve(sys.argv[4])
    # The handshake belongs to the connection's thread: whoever is silent in it delays nobody.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("ready", flush=True)
server.serve_forever()
