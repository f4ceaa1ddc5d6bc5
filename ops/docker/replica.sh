#!/bin/sh
# Copies the primary when there are no data yet, then runs as its replica. After a failover, empty the volume and start it again
# with PRIMARY_HOST naming the new primary.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  until PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup --host="$PRIMARY_HOST" --username="$POSTGRES_USER" \
    --pgdata="$PGDATA" --wal-method=stream --checkpoint=fast --write-recovery-conf; do
    rm -rf "${PGDATA:?}"/*
    sleep 2
  done
  chown -R postgres:postgres "$PGDATA"
  chmod 0700 "$PGDATA"
fi
exec docker-entrypoint.sh postgres -c config_file=/etc/tidemark/postgres.conf
