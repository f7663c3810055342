#!/usr/bin/env python3
"""Stops Slurm jobs whose GPUs all do nothing: a receiver of Fleetgauge's webhook.

usage: slurm-idle.py [ADDRESS:]PORT SECRET_FILE GRACE_MINUTES [--stop]

It needs webhook.py beside it, and runs where scancel may stop the jobs of all users; its receiver needs severity: info
and kinds: [idle_allocation]. Without --stop it stops nothing, and prints what it would do. A job is stopped when each
of its GPUs has been told to be idle, and still is so GRACE_MINUTES later. Jobs whose number of GPUs Slurm does not
tell are left alone, and after a restart those that were told before. Requests without a valid signature get 401.
"""
import re, subprocess, sys, threading, time
from webhook import serve

grace, stops = float(sys.argv[3]) * 60, "--stop" in sys.argv[4:]
lock = threading.Lock()
idle = {}  # job -> {episode: when it was told}


def slurm(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "%s exits with %d" % (command[0], done.returncode))
    return done.stdout


def gpus(job):
    found = re.search(r"\bAllocTRES=\S*?gres/gpu=(\d+)", slurm("scontrol", "show", "job", "-o", job))
    return int(found.group(1)) if found else 0


def on(state, fault):
    job = fault["labels"].get("hpc_job", "")
    if fault["kind"] != "idle_allocation" or not re.fullmatch(r"\d+(_\d+)?", job):
        return
    with lock:
        if state == "open":
            idle.setdefault(job, {}).setdefault(fault["episode"], time.monotonic())
        else:
            idle.get(job, {}).pop(fault["episode"], None)
            if not idle.get(job):
                idle.pop(job, None)


def look(job):
    with lock:
        due = sum(time.monotonic() - since >= grace for since in idle.get(job, {}).values())
        if due and due >= (gpus(job) or due + 1):
            print("job %s: %d idle GPUs%s" % (job, due, "" if stops else "; it would be stopped"), flush=True)
            if stops:
                slurm("scancel", job)
            del idle[job]


def watch():
    while True:
        for job in list(idle):
            try:
                look(job)
            except Exception as e:  # it is looked at again
                print(e, flush=True)
        time.sleep(min(10, max(0.1, grace / 10)))


threading.Thread(target=watch, daemon=True).start()
serve(sys.argv[1], sys.argv[2], on)
