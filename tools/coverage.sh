#!/usr/bin/env bash
# Runs the tests with branch coverage of the Python and, by gcov, of the C++, and writes the tables of docs/quality.md.
# The kernels are compiled once more, with counters and without optimisation, into an environment of their own that borrows
# every other package from the one given.
#
#     tools/coverage.sh .venv [pytest options]
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$1
shift
env=build/coverage/env
native=$PWD/build/coverage/native
if [ ! -x "$env/bin/python" ]; then
    "$venv/bin/python" -m venv "$env"
fi
site() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
site "$venv" > "$(site "$env")/borrowed.pth"
pip() { "$env/bin/python" -m pip --disable-pip-version-check install --quiet "$@"; }
# In the environment itself, not borrowed: its .pth file is what measures the processes that tests start.
"$env/bin/python" tools/requirements.py group coverage | pip --ignore-installed --no-warn-conflicts --requirement /dev/stdin
pip --no-deps --no-build-isolation --editable . \
    -C build-dir="$native" -C cmake.build-type=Debug -C cmake.define.SUFFICE_COVERAGE=ON
find "$native" -name '*.gcda' -delete
rm -f .coverage .coverage.*

export COVERAGE_FILE=$PWD/build/coverage/data
rm -f "$COVERAGE_FILE"*
status=0
"$env/bin/python" -m coverage run -m pytest -n 2 -q "$@" || status=$?
"$env/bin/python" -m coverage combine --quiet
"$env/bin/python" -m coverage json --quiet -o build/coverage/python.json
"$env/bin/python" -m gcovr --root . --filter native/ --exclude-throw-branches --merge-lines --json-summary build/coverage/native.json "$native"
"$env/bin/python" tools/coverage_table.py
exit $status
