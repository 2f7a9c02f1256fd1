#!/bin/sh
# Starts nats-server with the arguments given: `start.sh -c single.conf`.
#
# A server that is killed while it makes a block of a stream leaves an empty file without its key. At the next start it takes
# the whole stream for corrupt and removes it (seen with 2.14.0, encrypted, once in some 30 kills under load; not without a
# key). Nothing is in an empty block, so it goes first. Only below jetstream: a disk of its own has a lost+found beside it.
#
# A server of a cluster that starts alone finds none of its streams, and takes messages into new ones as soon as somebody makes them.
# Back among the others it drops those messages, which were acknowledged.
set -eu
case "$*" in
  *single.conf*)
    if [ -d "$NATS_STORE_DIR/jetstream/\$SYS/_js_/_meta_" ]; then
      echo "start.sh: $NATS_STORE_DIR is of a server of three: start it with cluster-node.conf (in Compose: cat cluster.env >>.env)" >&2
      exit 1
    fi ;;
esac
if [ -d "$NATS_STORE_DIR/jetstream" ]; then
  find "$NATS_STORE_DIR/jetstream" -name '*.blk' -size 0 -delete
fi
exec nats-server "$@"
