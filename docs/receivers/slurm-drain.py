#!/usr/bin/env python3
"""Drains a Slurm node while it has a critical fault: a receiver of Fleetgauge's webhook.

usage: slurm-drain.py [ADDRESS:]PORT SECRET_FILE

It needs webhook.py beside it, and runs where scontrol may change nodes. A node is drained with a reason that begins
with "fleetgauge:" when a fault of it opens, and resumed when all faults that drained it are over. A node that
somebody else drained is left as it is. Shadow faults are never sent. Requests without a valid signature get 401.
After a restart it knows of no faults but the one in the reason of the drain: a node is resumed when that one is over.
"""
import re, subprocess, sys
from webhook import serve

DRAINING = {"gpu_lost", "gpu_missing", "driver_hang", "xid", "recovery_action", "ecc_uncorrected", "row_remap_failed",
            "nvlink_down", "fabric", "nic_down"}
faults = {}  # host -> the faults that drained it


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
        now = "" if of - {fault["episode"]} else reason(host)
        if now.startswith("fleetgauge:") and (fault["episode"] in of or fault["episode"] in now):
            scontrol("update", "NodeName=" + host, "State=RESUME")
        of.discard(fault["episode"])


serve(sys.argv[1], sys.argv[2], on)
