#!/bin/sh
# Creates the secrets of deploy/compose.yaml in deploy/secrets, once: existing files stay as they are.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
chmod 700 secrets
# The containers read the files as another user; the directory keeps other users of this machine out.
put() {
  [ -e "secrets/$1" ] || printf '%s' "$2" > "secrets/$1"
  chmod 444 "secrets/$1"
}
put postgres_password "$(openssl rand -hex 24)"
put database_url "postgres://schoolgate:$(cat secrets/postgres_password)@postgres:5432/schoolgate"
put platform_key "$(openssl rand -base64 48)"
put secret_key "$(openssl rand -base64 48)"
