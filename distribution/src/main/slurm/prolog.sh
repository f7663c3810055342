#!/bin/sh
# Slurm's Prolog: reports the GPUs of a job to the probe of this node. Set in slurm.conf, with the folder of this file:
#
#   Prolog=/opt/fleetgauge/slurm/prolog.sh
#   Epilog=/opt/fleetgauge/slurm/epilog.sh
#   PrologFlags=Alloc,Contain
#
# Or call it from your own prolog. It always ends with 0.
fleetgauge_folder=$(dirname "$0")
[ -r "$fleetgauge_folder/fleetgauge-job.sh" ] || exit 0
. "$fleetgauge_folder/fleetgauge-job.sh"

job=$(fleetgauge_number "${SLURM_JOB_ID-}") || exit 0
gpus=$(fleetgauge_gpus)
[ -n "$gpus" ] || exit 0
fleetgauge_send POST /v1/allocations "$(fleetgauge_allocation "$job" "$gpus")"
exit 0
