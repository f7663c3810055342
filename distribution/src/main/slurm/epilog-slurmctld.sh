#!/bin/sh
# Slurm's EpilogSlurmctld: writes what a job has used of its GPUs to its AdminComment, in the form that jobstats reads. Set
# in slurm.conf, with the folder of this file, and name a query API in fleetgauge-query.conf beside it:
#
#   EpilogSlurmctld=/opt/fleetgauge/slurm/epilog-slurmctld.sh
#
#   FLEETGAUGE_QUERY=http://fleetgauge-query:9090
#   FLEETGAUGE_QUERY_TOKEN=/etc/fleetgauge/query-token
#
# Without FLEETGAUGE_QUERY it does nothing. It always ends with 0, and writes nothing that it has not read whole.
fleetgauge_folder=$(dirname "$0")
[ ! -r "$fleetgauge_folder/fleetgauge-query.conf" ] || . "$fleetgauge_folder/fleetgauge-query.conf"
[ -n "${FLEETGAUGE_QUERY-}" ] || exit 0
[ -r "$fleetgauge_folder/fleetgauge-job.sh" ] || exit 0
. "$fleetgauge_folder/fleetgauge-job.sh"

# Jobs of two ticks or less have no average.
shortest=30

job=$(fleetgauge_number "${SLURM_JOB_ID-}") || exit 0
if ! start=$(fleetgauge_number "${SLURM_JOB_START_TIME-}") || ! end=$(fleetgauge_number "${SLURM_JOB_END_TIME-}"); then
  times=$(SLURM_TIME_FORMAT=%s scontrol show job "$job" 2>/dev/null)
  start=$(fleetgauge_number "$(printf '%s' "$times" | sed -n 's/.*StartTime=\([0-9]*\).*/\1/p')") || start=
  end=$(fleetgauge_number "$(printf '%s' "$times" | sed -n 's/.*EndTime=\([0-9]*\).*/\1/p')") || end=
fi
if [ -z "$start" ] || [ -z "$end" ]; then
  fleetgauge_log "Slurm does not say when the job began and ended; no summary is written"
  exit 0
fi
length=$((end - start))

# A line "HOST GPU VALUE" for each GPU: QUERY.
ask() {
  set -- "$1" --silent --show-error --fail --max-time 20 --get "$FLEETGAUGE_QUERY/api/v1/query"
  query=$1
  shift
  if [ -n "${FLEETGAUGE_QUERY_TOKEN-}" ]; then
    set -- "$@" --header "Authorization: Bearer $(cat "$FLEETGAUGE_QUERY_TOKEN" 2>/dev/null)"
  fi
  answer=$(curl "$@" --data-urlencode "query=$query" --data-urlencode "time=$end" 2>&1) || return 1
  case $answer in
    *'"status":"success"'*) ;;
    *) return 1 ;;
  esac
  case $answer in
    *'"warnings":'*) return 1 ;; # not all hosts have been read
  esac
  lines=$(printf '%s\n' "$answer" | sed -e 's/{"metric"/\
&/g' | sed -n 's/^{"metric":{"Hostname":"\([^"]*\)","gpu":"\([0-9]*\)"},"value":\[[^,]*,"\([0-9.e+]*\)"\].*/\1 \2 \3/p')
}

none() {
  fleetgauge_log "the query API at $FLEETGAUGE_QUERY does not tell what the job has used; no summary is written: $answer"
  exit 0
}

if [ "$length" -lt "$shortest" ]; then
  summary=Short
else
  of="{hpc_job=\"$job\"}[${length}s]"
  mib=1048576
  ask "avg by (Hostname, gpu) (avg_over_time(DCGM_FI_DEV_GPU_UTIL$of)
    or 100 * avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE$of))" || none
  utilization=$lines
  ask "$mib * max by (Hostname, gpu) (max_over_time(DCGM_FI_DEV_FB_USED$of))" || none
  used=$lines
  ask "$mib * max by (Hostname, gpu) (max_over_time(DCGM_FI_DEV_FB_TOTAL$of))" || none
  total=$lines
  json=$(
    {
      printf '%s\n' "$total" | sed 's/^/gpu_total_memory /'
      printf '%s\n' "$used" | sed 's/^/gpu_used_memory /'
      printf '%s\n' "$utilization" | sed 's/^/gpu_utilization /'
    } | LC_ALL=C awk -v length_s="$length" '
      NF == 4 {
        if (!($2 in hosts)) { hosts[$2] = 1; order[++count] = $2 }
        number = $1 == "gpu_utilization" ? sprintf("%.1f", $4) : sprintf("%.0f", $4)
        key = $2 " " $1
        values[key] = values[key] (values[key] == "" ? "" : ",") "\"" $3 "\":" number
        gpus += $1 == "gpu_total_memory"
      }
      END {
        if (count == 0) exit
        split("gpu_total_memory gpu_used_memory gpu_utilization", names, " ")
        text = "{\"nodes\":{"
        for (i = 1; i <= count; i++) {
          text = text (i == 1 ? "" : ",") "\"" order[i] "\":{"
          first = 1
          for (n = 1; n <= 3; n++) {
            key = order[i] " " names[n]
            if (key in values) {
              text = text (first ? "" : ",") "\"" names[n] "\":{" values[key] "}"
              first = 0
            }
          }
          text = text "}"
        }
        printf "%s},\"total_time\":%d,\"gpus\":%d}", text, length_s, gpus
      }'
  )
  if [ -n "$json" ]; then
    summary=$(printf '%s' "$json" | gzip -c | base64 | tr -d '\n')
  else
    summary=None
  fi
fi
id=$job
if [ -n "${SLURM_ARRAY_JOB_ID-}" ] && [ "$SLURM_ARRAY_JOB_ID" = "$job" ]; then
  id=${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID-} # the number alone is of all tasks
fi
answer=$(sacctmgr -i update job where jobid="$id" set AdminComment="JS1:$summary" 2>&1) ||
  fleetgauge_log "the summary is not written: $answer"
exit 0
