#!/bin/sh
# Makes the passwords and keys that compose.yaml names, in secrets/ beside this file. What is there is kept, so it can be
# run again; to change a password, remove its file in secrets/passwords and run it again, then change it in the server
# (docs/operations/secrets.md).
#
#   ./make-secrets.sh [--nats-servers 1|3] [--host <name of the front door>]
#
# The certificates are of an authority of its own, secrets/authority.pem: callers are given it, or the front door gets another
# certificate (certificate, chain and key in secrets/front.pem). One with less than 30 days left is replaced.
#
# The folder is for its owner only. The files in it are readable, because Compose hands them to containers as they are,
# and those run as other users: on this machine no other user comes that far.
set -eu
umask 077
# As before, where it was run before: a cluster stays one.
servers=1
! grep -q '@nats-3:' "$(dirname "$0")/secrets/edge-nats-url" 2>/dev/null || servers=3
host=
while [ $# -gt 0 ]; do
  case "$1" in
    --nats-servers) servers=${2-} ;;
    --host) host=${2-} ;;
    *) echo "make-secrets: unknown argument $1" >&2; exit 2 ;;
  esac
  shift
  [ $# -eq 0 ] || shift
done
case "$servers" in 1|3) ;; *) echo "make-secrets: --nats-servers is 1 or 3" >&2; exit 2 ;; esac

cd "$(dirname "$0")"
mkdir -p secrets/passwords
chmod 700 secrets secrets/passwords

# 192 bits. It begins with a letter: NATS' configuration reads what begins with a digit as a number.
password() {
  file=secrets/passwords/$1
  if [ ! -s "$file" ]; then
    printf 'p%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')" >"$file.new"
    mv "$file.new" "$file"
  fi
  cat "$file"
}

# write <name> <content>: whole or not at all.
write() {
  printf '%s\n' "$2" >"secrets/$1.new"
  chmod 444 "secrets/$1.new"
  mv -f "secrets/$1.new" "secrets/$1"
}

nats_url() {
  secret=$(password "nats-$1")
  urls="tls://$1:$secret@nats:4222"
  [ "$servers" = 1 ] || urls="$urls,tls://$1:$secret@nats-2:4222,tls://$1:$secret@nats-3:4222"
  printf '%s' "$urls"
}

database_url() { printf 'postgres://%s:%s@postgres:5432/stampede?sslmode=verify-full' "$1" "$(password "database-$1")"; }

write postgres-password "$(password database-postgres)"
write grafana-admin-password "$(password grafana-admin)"

roles="-- The roles of a new database; stampede migrate says what they may do."
for service in owner edge ingest platform rewards webhooks console; do
  role=stampede_$service
  write "$service-database-url" "$(database_url "$role")"
  roles="$roles
create role $role login noinherit password '$(password "database-$role")';"
done
write create-roles.sql "$roles"

routes=
environment=
for server in nats nats-2 nats-3; do
  routes="$routes${routes:+, }\"nats-route://routes:$(password nats-routes)@$server:6222\""
done
for user in operator edge ingest platform rewards webhooks console; do
  write "$user-nats-url" "$(nats_url "$user")"
  name=$(printf '%s' "$user" | tr '[:lower:]' '[:upper:]')
  environment="${environment}STAMPEDE_NATS_${name}_PASSWORD=$(password "nats-$user")
"
done
# Do not replace NATS_STORE_KEY by removing its file: with another key NATS finds none of its streams.
write nats.env "${environment}STAMPEDE_NATS_ROUTES_PASSWORD=$(password nats-routes)
NATS_STORE_KEY=$(password nats-store)
NATS_ROUTES=[$routes]"

# API tokens of the organisations that the console shows, one a line. There is none before there is an installation: put them
# here with `docker compose run --rm cli token create`.
if [ ! -s secrets/console-tokens ]; then
  write console-tokens "no-token-yet"
fi

# Not a password: what is sealed with a lost key cannot be read again. Keep a copy elsewhere.
if [ ! -s secrets/encryption-keys ]; then
  write encryption-keys "k1:$(head -c 32 /dev/urandom | base64 | tr -d '\n')"
fi
# --- Certificates: an authority, and what it signs.
command -v openssl >/dev/null || { echo "make-secrets: install openssl, for the certificates" >&2; exit 1; }
authority_key=secrets/authority-key.pem

# lasts <file>: whether it is there and has 30 days left.
lasts() { [ -s "$1" ] && openssl x509 -in "$1" -noout -checkend 2592000 >/dev/null; }

new_key() { openssl ecparam -genkey -name prime256v1 -noout; }

# The names of the front door, also when it is certified again: as before, where it was run before.
names=DNS:localhost,IP:127.0.0.1
if [ -n "$host" ]; then
  names=DNS:$host,$names
elif [ -s secrets/front.pem ]; then
  before=$(openssl x509 -in secrets/front.pem -noout -text | sed -n '/Subject Alternative Name/{n;s/ //g;s/IPAddress:/IP:/g;p;}')
  names=${before:-$names}
fi

if ! lasts secrets/authority.pem; then
  new_key >"$authority_key"
  # Certificates of the previous authority are no longer trusted.
  rm -f secrets/postgres.pem secrets/nats.pem secrets/front.pem
  write authority.pem "$(openssl req -x509 -new -key "$authority_key" -sha256 -days 3650 -subj "/CN=Stampede of this machine" \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign")"
fi

# certify <name> <subjectAltName>: $certificate and $key, of the authority, for a server and, of NATS' routes, a client.
certify() {
  work=$(mktemp -d)
  new_key >"$work/key"
  openssl req -new -key "$work/key" -subj "/CN=$1" -out "$work/request"
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\nkeyUsage=critical,digitalSignature\nbasicConstraints=critical,CA:FALSE\n' "$2" >"$work/extensions"
  certificate=$(openssl x509 -req -in "$work/request" -CA secrets/authority.pem -CAkey "$authority_key" -sha256 -days 397 \
    -set_serial "0x$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" -extfile "$work/extensions" 2>/dev/null)
  key=$(cat "$work/key")
  rm -r "$work"
}

if ! lasts secrets/postgres.pem; then
  certify postgres "DNS:postgres,DNS:localhost,IP:127.0.0.1"
  write postgres.pem "$certificate"
  write postgres-key.pem "$key"
fi
if ! lasts secrets/nats.pem; then
  certify nats "DNS:nats,DNS:nats-2,DNS:nats-3,DNS:localhost,IP:127.0.0.1"
  write nats.pem "$certificate"
  write nats-key.pem "$key"
fi
if ! lasts secrets/front.pem || [ -n "$host" ]; then
  certify front "$names"
  write front.pem "$certificate
$key"
fi

echo "make-secrets: secrets/ is complete; keep a copy of secrets/encryption-keys elsewhere"
