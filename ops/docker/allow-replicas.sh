#!/bin/sh
# Runs once, when the primary's data are made: replicas of the same network may follow it.
set -eu
echo "host replication all samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"
