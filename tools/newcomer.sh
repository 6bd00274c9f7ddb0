#!/usr/bin/env bash
# Clones HEAD into an empty folder, runs the two commands of README there as a newcomer would, and prints how long each took.
set -euo pipefail

tools=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet "$tools/.." "$folder/suffice"
cd "$folder/suffice"
echo "==> $(git log -1 --format='%h %s')"

times=()
for target in demo test; do
    begin=$SECONDS
    "$tools/as_newcomer.sh" make "$target" "${@}"
    times+=("make $target: $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s, installing included")
done
printf '==> %s\n' "${times[@]}"
