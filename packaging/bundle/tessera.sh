#!/bin/sh
# Starts the Tessera of this folder. The folder can lie anywhere and needs no installation.
here=$(readlink -f -- "$0")
here=${here%/*}
# shellcheck source=packaging/bundle/environment.sh
. "$here/lib/environment.sh"
exec "$here/bin/tessera" "$@"
