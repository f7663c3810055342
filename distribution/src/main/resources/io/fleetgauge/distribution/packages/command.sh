#!/bin/sh
command=/usr/lib/fleetgauge/@PROCESS@/bin/fleetgauge
if [ "${1-}" = doctor ]; then
  shift
  exec "$command" doctor @PROCESS@ "$@"
fi
exec "$command" @PROCESS@ "$@"
