"""The HTTP side of a receiver of Fleetgauge's webhook: checks signatures and reads faults."""
import hashlib, hmac, json, re, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

OLDEST = 300  # seconds that a signature is valid
LONGEST = 1 << 20


def is_signed(secret, header, body):
    found = re.fullmatch(r"t=(\d{1,12}),v1=([0-9a-f]{64})", header or "")
    if not found or abs(time.time() - int(found.group(1))) > OLDEST:
        return False
    expected = hmac.new(secret, found.group(1).encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, found.group(2))


def serve(listen, secret_file, on):
    """Calls on(state, fault) for each fault, one at a time. listen is PORT, on this machine only, or ADDRESS:PORT."""
    address, _, port = listen.rpartition(":")
    secret = open(secret_file, "rb").read().strip()
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers.get("Content-Length") or 0)
            if length > LONGEST:
                return self.answer(413, "the body is too long")
            body = self.rfile.read(length)
            if not is_signed(secret, self.headers.get("X-Fleetgauge-Signature"), body):
                return self.answer(401, "the signature is missing, wrong or too old")
            try:
                with lock:
                    request = json.loads(body)
                    on(request["state"], request["fault"])
            except (ValueError, KeyError, TypeError) as e:
                return self.answer(400, "not a fault: %r" % e)
            except Exception as e:  # it is sent again
                return self.answer(503, str(e))
            self.answer(204, "")

        def answer(self, status, text):
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

    ThreadingHTTPServer((address or "127.0.0.1", int(port)), Handler).serve_forever()
