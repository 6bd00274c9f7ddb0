#!/bin/sh
# Prints the first Python that can build Suffice and make an environment, found by running it: the shim of a version
# manager answers `command -v` and may still fail. With an argument, tries that one alone. Says on stderr what it passed over.
# Try 3.11 to 3.13 before others: what is tested comes first.
check='
import os, sys, sysconfig
if sys.version_info < (3, 11):
    sys.exit("is Python %d.%d" % sys.version_info[:2])
try:
    import ensurepip, venv
except ImportError:
    sys.exit("has no venv (on Debian: apt install python3-venv)")
if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    sys.exit("has no headers to compile with (on Debian: apt install python3-dev)")
'
found=
for python in ${1:-python3.11 python3.12 python3.13 python3}; do
    command -v "$python" > /dev/null 2>&1 || { [ -n "$1" ] && echo "$python: not found" >&2; continue; }
    if why=$("$python" -c "$check" 2>&1); then found=$python; break; fi
    echo "passing over $python: $(printf '%s\n' "$why" | grep -v '^$' | head -n 1)" >&2
done
if [ -z "$found" ]; then
    echo "Suffice needs Python 3.11 or newer, with headers and venv: make PYTHON=/path/to/python3.11 ..." >&2
    exit 1
fi
echo "$found"
