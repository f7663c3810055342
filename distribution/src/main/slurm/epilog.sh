#!/bin/sh
# Slurm's Epilog: reports to the probe of this node that a job has ended; see prolog.sh. It always ends with 0.
fleetgauge_folder=$(dirname "$0")
[ -r "$fleetgauge_folder/fleetgauge-job.sh" ] || exit 0
. "$fleetgauge_folder/fleetgauge-job.sh"

job=$(fleetgauge_number "${SLURM_JOB_ID-}") || exit 0
fleetgauge_send DELETE "/v1/allocations/slurm-$job" ''
exit 0
