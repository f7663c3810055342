#!/bin/sh
exec /usr/lib/fleetgauge/@PROCESS@/bin/fleetgauge @PROCESS@ "$@"
