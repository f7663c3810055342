#!/bin/sh
exec /usr/lib/fleetgauge/query/bin/fleetgauge "$@"
