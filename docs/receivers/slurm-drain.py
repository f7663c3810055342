#!/usr/bin/env python3
"""Drains a Slurm node while it has a critical fault: a receiver of Fleetgauge's webhook.

usage: slurm-drain.py PORT SECRET_FILE

It runs where scontrol may change nodes. A node is drained with a reason that begins with "fleetgauge:" when a fault of
it opens, and resumed when all faults that drained it are over. A node that somebody else drained is left as it is.
Shadow faults are never sent. Requests without a valid signature get 401.
"""
import hashlib, hmac, json, re, subprocess, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

DRAINING = {"gpu_lost", "gpu_missing", "driver_hang", "xid", "recovery_action", "ecc_uncorrected", "row_remap_failed",
            "nvlink_down", "fabric", "nic_down"}
OLDEST = 300  # seconds that a signature is valid
LONGEST = 1 << 20

secret = open(sys.argv[2], "rb").read().strip()
faults = {}  # host -> the faults that drained it
lock = Lock()


def scontrol(*arguments):
    done = subprocess.run(("scontrol",) + arguments, capture_output=True, text=True, timeout=30)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "scontrol exits with %d" % done.returncode)
    return done.stdout


def reason(host):
    found = re.search(r"Reason=(.*)", scontrol("show", "node", host))
    return found.group(1) if found else ""


def on(state, fault):
    host, kind = fault["host"], fault["kind"]
    if kind not in DRAINING or fault["severity"] != "critical" or not re.fullmatch(r"[A-Za-z0-9._-]+", host):
        return
    of = faults.setdefault(host, set())
    if state == "open":
        of.add(fault["episode"])
        if not reason(host):
            text = "fleetgauge: %s %s" % (kind, fault["episode"])
            scontrol("update", "NodeName=" + host, "State=DRAIN", "Reason=" + text)
    else:
        of.discard(fault["episode"])
        if not of and reason(host).startswith("fleetgauge:"):
            scontrol("update", "NodeName=" + host, "State=RESUME")


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


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
