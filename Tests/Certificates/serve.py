"""A server for TLSTests: serve.py CERTIFICATE [CA of clients]. It prints its port, and ends with its standard input.

/away redirects to the same server as 'localhost', /token gives a token, /lines gives lines without a length and announces
the end of the connection, /cut does not announce it, and all else says who the client is.
"""
import http.server, json, os, socket, ssl, sys, threading


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.split("?")[0] in ("/lines", "/cut"):
            return self.send_lines()
        peer = self.connection.getpeercert() or {}
        names = [value for part in peer.get("subject", ()) for name, value in part if name == "commonName"]
        body = json.dumps([{"client": names[0] if names else None, "path": self.path}]).encode()
        if self.path == "/token":
            body = json.dumps({"access_token": "token-for-" + (names[0] if names else "nobody").replace(" ", "-")}).encode()
        self.send_response(302 if self.path == "/away" else 200)
        if self.path == "/away":
            self.send_header("Location", "https://localhost:%d/there" % self.server.server_port)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_lines(self):
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b'{"n":1}\n{"n":2}\n' if self.path != "/cut?json" else b'[{"n":1}]')
        self.wfile.flush()
        self.close_connection = True
        if self.path == "/lines":
            try:
                self.connection.unwrap()
            except OSError:
                pass
        else:
            socket.socket.shutdown(self.connection, socket.SHUT_WR)
            while socket.socket.recv(self.connection, 65536):
                pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def finish_request(self, request, address):
        connection = context.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
        try:
            connection.do_handshake()
            super().finish_request(connection, address)
        except OSError:
            # A close with unread data would be a reset, which may overtake the alert.
            raw = socket.socket(fileno=connection.detach())
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(65536):
                pass
            raw.close()

    def handle_error(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
if len(sys.argv) > 2:
    context.load_verify_locations(sys.argv[2])
    context.verify_mode = ssl.CERT_OPTIONAL if sys.argv[3:] == ["optional"] else ssl.CERT_REQUIRED
server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
os._exit(0)
