# Functions of the scripts that report Slurm jobs to Fleetgauge's probe; POSIX sh. Sourced, not run.
#
# FLEETGAUGE_SOCKET names the probe's socket (attribution.allocations.socket). Requests to which the probe does
# not respond are repeated twice. All of it together takes at most 8 seconds, and no failure reaches Slurm: a prolog that
# failed would drain the node.

: "${FLEETGAUGE_SOCKET:=/run/fleetgauge/probe.sock}"
PATH=$PATH:/usr/local/bin:/usr/bin:/bin

fleetgauge_log() {
  # The log of the system; slurmd does not keep what a prolog prints.
  logger -t fleetgauge "job ${SLURM_JOB_ID:-?}: $*" 2>/dev/null || :
}

# Text as the content of a JSON string.
fleetgauge_escape() {
  printf '%s' "$1" | LC_ALL=C tr -d '\000-\037\177' | LC_ALL=C sed -e 's/\\/\\\\/g' -e 's/"/\\"/g'
}

# The argument, if it is a job's number.
fleetgauge_number() {
  case $1 in
    '' | *[!0-9]*) return 1 ;;
  esac
  printf '%s' "$1"
}

# The GPUs of the job as a JSON list: MIG devices by UUID, others by the number of the device file, which is how Slurm
# counts them. Empty if it has none.
fleetgauge_gpus() {
  case ${CUDA_VISIBLE_DEVICES-} in
    *MIG-* | *GPU-*) fleetgauge_devices=$CUDA_VISIBLE_DEVICES ;;
    *) fleetgauge_devices=${SLURM_JOB_GPUS-} ;;
  esac
  fleetgauge_list=
  fleetgauge_ifs=$IFS
  IFS=,
  set -f
  for fleetgauge_device in $fleetgauge_devices; do
    case $fleetgauge_device in
      '') continue ;;
      *[!0-9-]*) fleetgauge_one=\"$(fleetgauge_escape "$fleetgauge_device")\" ;;
      *-*) # a range, such as 0-3
        fleetgauge_one=
        fleetgauge_from=$(fleetgauge_number "${fleetgauge_device%%-*}") || continue
        fleetgauge_to=$(fleetgauge_number "${fleetgauge_device##*-}") || continue
        [ "${#fleetgauge_to}" -le 3 ] || continue
        while [ "$fleetgauge_from" -le "$fleetgauge_to" ]; do
          fleetgauge_one=${fleetgauge_one:+$fleetgauge_one,}$fleetgauge_from
          fleetgauge_from=$((fleetgauge_from + 1))
        done
        [ -n "$fleetgauge_one" ] || continue
        ;;
      *) fleetgauge_one=$fleetgauge_device ;;
    esac
    fleetgauge_list=${fleetgauge_list:+$fleetgauge_list,}$fleetgauge_one
  done
  set +f
  IFS=$fleetgauge_ifs
  printf '%s' "$fleetgauge_list"
}

# A label of the owner, if it has a value.
fleetgauge_label() {
  [ -z "$2" ] || printf ',"%s":"%s"' "$1" "$(fleetgauge_escape "$2")"
}

# The allocation as JSON.
fleetgauge_allocation() {
  printf '{"id":"slurm-%s","gpus":[%s],"owner":{"hpc_job":"%s"' "$1" "$2" "$1"
  fleetgauge_label user "${SLURM_JOB_USER-}"
  fleetgauge_label account "${SLURM_JOB_ACCOUNT-}"
  fleetgauge_label partition "${SLURM_JOB_PARTITION-}"
  if [ -n "${SLURM_ARRAY_JOB_ID-}" ] && [ "${SLURM_ARRAY_JOB_ID}" != 0 ]; then
    fleetgauge_label array_job "${SLURM_ARRAY_JOB_ID}"
    fleetgauge_label array_task "${SLURM_ARRAY_TASK_ID-}"
  fi
  printf '}}'
}

# Sends a request: METHOD PATH BODY.
fleetgauge_send() {
  # Without the folder, this node has no probe that listens.
  [ -d "${FLEETGAUGE_SOCKET%/*}" ] || return 0
  fleetgauge_try=1
  while :; do
    fleetgauge_answer=$(printf '%s' "$3" | curl --silent --show-error --noproxy '*' --connect-timeout 1 --max-time 2 \
      --unix-socket "$FLEETGAUGE_SOCKET" --request "$1" --header 'Content-Type: application/json' \
      --data-binary @- --output - --write-out '\n%{http_code}' "http://localhost$2" 2>&1) && break
    if [ "$fleetgauge_try" -ge 3 ]; then
      fleetgauge_log "the probe cannot be notified: $fleetgauge_answer"
      return 0
    fi
    fleetgauge_try=$((fleetgauge_try + 1))
    sleep 1
  done
  case $fleetgauge_answer in
    *200) ;;
    *) fleetgauge_log "the probe refused: $fleetgauge_answer" ;;
  esac
  return 0
}
