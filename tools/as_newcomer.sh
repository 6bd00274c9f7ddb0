#!/usr/bin/env bash
# Runs a command as on a machine that has never seen the project: an empty HOME, no package cache, and of the environment
# only PATH and what pip needs to find its index. pip's own configuration stays in force.
#
#     tools/as_newcomer.sh make test
set -euo pipefail

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

kept=(PATH="$PATH" HOME="$home" PIP_NO_CACHE_DIR=1)
for name in PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_TRUSTED_HOST PIP_CERT PIP_PROXY PIP_DEFAULT_TIMEOUT \
    http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE; do
    if [ -n "${!name:-}" ]; then kept+=("$name=${!name}"); fi
done
for file in "${PIP_CONFIG_FILE:-}" "${XDG_CONFIG_HOME:-${HOME:-}/.config}/pip/pip.conf" "${HOME:-}/.pip/pip.conf"; do
    if [ -f "$file" ]; then
        kept+=(PIP_CONFIG_FILE="$file")
        break
    fi
done
env -i "${kept[@]}" "$@"
