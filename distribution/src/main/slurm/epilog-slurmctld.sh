#!/bin/sh
# Slurm's EpilogSlurmctld: writes what a job has used of its GPUs to its AdminComment, in the form that jobstats reads. Set
# in slurm.conf, with the folder of this file, and name a query API in fleetgauge-query.conf beside it:
#
#   EpilogSlurmctld=/opt/fleetgauge/slurm/epilog-slurmctld.sh
#
#   FLEETGAUGE_QUERY=http://fleetgauge-query:9090
#   FLEETGAUGE_QUERY_TOKEN=/etc/fleetgauge/query-token
#
# Without FLEETGAUGE_QUERY it does nothing. slurmctld runs it without a PATH: if Slurm's programs are not in /usr/bin or
# /usr/local/bin, set PATH in that file too. It always ends with 0, and writes nothing that it has not read whole.
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

# A line "HOST GPU VALUE" for each GPU, or "HOST - VALUE" for each host: QUERY.
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
&/g' | sed -n -e 's/^\({"metric":{"Hostname":"[^"]*"\)}/\1,"gpu":"-"}/' \
    -e 's/^{"metric":{"Hostname":"\([^"]*\)","gpu":"\([0-9-]*\)"},"value":\[[^,]*,"\([0-9.e+]*\)"\].*/\1 \2 \3/p')
}

# A line "NODE - CPUS MEMORY" for each node of the job, as Slurm has allocated it; memory in MiB, 0 without a limit.
nodes() {
  scontrol show -d job "$job" 2>/dev/null |
    sed -n 's/^ *Nodes=\([^ ]*\) CPU_IDs=\([^ ]*\) Mem=\([0-9]*\).*/\1 \2 \3/p' |
    while read -r names ids memory; do
      count=$(printf '%s\n' "$ids" | awk -F, '{
        for (i = 1; i <= NF; i++) count += split($i, part, "-") == 2 ? part[2] - part[1] + 1 : 1
        print count
      }')
      scontrol show hostnames "$names" 2>/dev/null | sed "s/\$/ - $count $memory/"
    done
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
  ask "sum by (Hostname) (increase(gpu_owner_cpu_seconds_total$of))" || none
  time=$lines
  step=$((length / 1000))
  [ "$step" -ge 15 ] || step=15
  memory="gpu_owner_host_memory_bytes{hpc_job=\"$job\"}"
  ask "max_over_time(sum by (Hostname) ($memory)[${length}s:${step}s])" || none
  memory=$lines
  allocated=$(nodes)
  # Jobstats fails on a node without CPUs or memory, and on a GPU without both figures of its memory. It shows 0 bytes of
  # 0, and a missing CPU time, as unknown.
  json=$(
    {
      printf '%s\n' "$allocated" | sed 's/^/allocated /'
      printf '%s\n' "$time" | sed 's/^/total_time /'
      printf '%s\n' "$memory" | sed 's/^/used_memory /'
      printf '%s\n' "$total" | sed 's/^/gpu_total_memory /'
      printf '%s\n' "$used" | sed 's/^/gpu_used_memory /'
      printf '%s\n' "$utilization" | sed 's/^/gpu_utilization /'
    } | LC_ALL=C awk -v length_s="$length" '
      $1 == "allocated" && NF == 5 { cpus[$2] = $4; limit[$2] = sprintf("%.0f", $5 * 1048576); next }
      NF != 4 { next }
      $3 == "-" { of_host[$2, $1] = $4; next }
      $1 == "gpu_total_memory" { total[$2, $3] = 1 }
      $1 == "gpu_used_memory" && ($2, $3) in total { gpu[++gpus] = $2 " " $3 }
      { of_gpu[$2, $3, $1] = $1 == "gpu_utilization" ? sprintf("%.1f", $4) : sprintf("%.0f", $4) }
      END {
        for (i = 1; i <= gpus; i++) {
          split(gpu[i], at, " ")
          host = at[1]
          if (!(host in known)) { known[host] = 1; hosts[++count] = host }
          for (n = split("gpu_total_memory gpu_used_memory gpu_utilization", names, " "); n > 0; n--) {
            if ((host, at[2], names[n]) in of_gpu) {
              key = host " " names[n]
              values[key] = values[key] (values[key] == "" ? "" : ",") "\"" at[2] "\":" of_gpu[host, at[2], names[n]]
            }
          }
        }
        if (count == 0) exit
        for (i = 1; i <= count; i++) {
          host = hosts[i]
          node = host
          if (!(node in cpus)) sub(/\..*/, "", node)
          if (!(node in cpus)) { print "Slurm has no node " host " in this job"; exit }
          text = text (i == 1 ? "" : ",") "\"" node "\":{\"cpus\":" cpus[node]
          if ((host, "total_time") in of_host) {
            most = cpus[node] * length_s
            time = of_host[host, "total_time"]
            text = text sprintf(",\"total_time\":%.1f", time > most ? most : time)
          }
          is_known = (host, "used_memory") in of_host
          text = text sprintf(",\"used_memory\":%.0f", is_known ? of_host[host, "used_memory"] : 0)
          text = text ",\"total_memory\":" (is_known ? limit[node] : 0)
          for (n = 1; n <= 3; n++) {
            key = host " " names[n]
            if (key in values) text = text ",\"" names[n] "\":{" values[key] "}"
          }
          text = text "}"
        }
        printf "{\"nodes\":{%s},\"total_time\":%d,\"gpus\":%d}", text, length_s, gpus
      }'
  )
  case $json in
    '' | '{'*) ;;
    *)
      fleetgauge_log "$json; no summary is written"
      exit 0
      ;;
  esac
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
# The database may not know the job yet. Slurm 22.05 stores small letters, which no reader understands.
try=1
while :; do
  answer=$(sacctmgr -i update job where jobid="$id" set AdminComment="JS1:$summary" 2>&1)
  stored=$(sacct --noheader --parsable2 --allocations --jobs="$id" --format=AdminComment 2>&1)
  case $stored in
    "JS1:$summary") exit 0 ;;
    js1:*)
      fleetgauge_log "this version of sacctmgr changes the summary to small letters; see docs/attribution.md"
      exit 0
      ;;
  esac
  if [ "$try" -ge 3 ]; then
    fleetgauge_log "the summary is not written: $answer"
    exit 0
  fi
  try=$((try + 1))
  sleep 5
done
