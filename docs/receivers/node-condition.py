#!/usr/bin/env python3
"""Sets a condition of a Kubernetes node while it has a critical fault: a receiver of Fleetgauge's webhook.

usage: node-condition.py [ADDRESS:]PORT SECRET_FILE

It needs webhook.py beside it, and listens on all addresses of a pod with 0.0.0.0:PORT. The pod's service account may
patch nodes/status. The condition FleetgaugeFault is True with the kind of the newest fault as its reason while any
critical fault of the node is open, and False when all are over; after a restart it knows of no faults that are open.
What is done about it (a taint, a drain) is left to whoever watches conditions. Requests without a valid signature get
401.
"""
import json, os, re, ssl, sys, time, urllib.request
from webhook import serve

FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount/"
API = os.environ.get("KUBERNETES_API", "https://kubernetes.default.svc")
TYPE = "FleetgaugeFault"

faults = {}  # host -> {episode: fault}


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


serve(sys.argv[1], sys.argv[2], on)
