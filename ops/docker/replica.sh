#!/bin/sh
# Copies the primary when there are no data yet, then runs as its replica. Never empty the volume of a server that was promoted. To
# make a replica after a failover, give another service this script and an empty volume, with PRIMARY_HOST naming the new primary.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # Copied beside the final place, and moved there when complete: half a copy, after a stop in the middle, would look like data.
  copy="$PGDATA.copy"
  rm -rf "$copy"
  mkdir -p "$(dirname "$PGDATA")"
  until PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup --host="$PRIMARY_HOST" --username="$POSTGRES_USER" \
    --pgdata="$copy" --wal-method=stream --checkpoint=fast --write-recovery-conf; do
    rm -rf "$copy"
    sleep 2
  done
  chown -R postgres:postgres "$copy"
  chmod 0700 "$copy"
  rm -rf "$PGDATA"
  mv "$copy" "$PGDATA"
fi
exec docker-entrypoint.sh postgres -c config_file=/etc/tidemark/postgres.conf
