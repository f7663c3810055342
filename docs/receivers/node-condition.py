#!/usr/bin/env python3
"""Sets a condition of a Kubernetes node while it has a critical fault: a receiver of Fleetgauge's webhook.

usage: node-condition.py PORT SECRET_FILE

It runs in a pod whose service account may patch nodes/status. The condition FleetgaugeFault is True with the kind of
the newest fault as its reason while any critical fault of the node is open, and False when all are over. What is done
about it (a taint, a drain) is left to whoever watches conditions. Requests without a valid signature get 401.
"""
import hashlib, hmac, json, os, re, ssl, sys, time, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount/"
API = os.environ.get("KUBERNETES_API", "https://kubernetes.default.svc")
TYPE = "FleetgaugeFault"
OLDEST = 300  # seconds that a signature is valid
LONGEST = 1 << 20

secret = open(sys.argv[2], "rb").read().strip()
faults = {}  # host -> {episode: fault}
lock = Lock()


def patch(node, condition):
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    if os.path.exists(FOLDER + "token"):
        headers["Authorization"] = "Bearer " + open(FOLDER + "token").read().strip()
    trust = ssl.create_default_context(cafile=FOLDER + "ca.crt") if API.startswith("https") else None
    body = json.dumps({"status": {"conditions": [condition]}}).encode()
    request = urllib.request.Request(API + "/api/v1/nodes/" + node + "/status", body, headers, method="PATCH")
    with urllib.request.urlopen(request, timeout=30, context=trust):
        pass


def on(state, fault):
    node = fault["host"]
    if fault["severity"] != "critical" or not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", node):
        return
    of = faults.setdefault(node, {})
    if state == "open":
        of[fault["episode"]] = fault
    else:
        of.pop(fault["episode"], None)
    newest = max(of.values(), key=lambda each: each["since"], default=None)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    words = newest["kind"].split("_") if newest else []
    patch(node, {
        "type": TYPE,
        "status": "True" if newest else "False",
        "reason": "".join(word.capitalize() for word in words) if newest else "NoFault",
        "message": newest["text"] if newest else "no critical fault is open",
        "lastHeartbeatTime": now,
        "lastTransitionTime": newest["since"] if newest else now,
    })


def is_signed(header, body):
    found = re.fullmatch(r"t=(\d{1,12}),v1=([0-9a-f]{64})", header or "")
    if not found or abs(time.time() - int(found.group(1))) > OLDEST:
        return False
    expected = hmac.new(secret, found.group(1).encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, found.group(2))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > LONGEST:
            return self.answer(413, "the body is too long")
        body = self.rfile.read(length)
        if not is_signed(self.headers.get("X-Fleetgauge-Signature"), body):
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
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()
