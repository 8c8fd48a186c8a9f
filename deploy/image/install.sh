#!/bin/sh
# Installs kmirror from a checkout into FOLDER, which nothing else needs then but Python and Java.
#
#     deploy/image/install.sh FOLDER
#
# PYTHON names another Python than python3. A JDK is needed here, only a JRE where it runs. What is
# downloaded is checked against the SHA-256 of the lock files; `KMIRROR_HOME=FOLDER/cache` has the
# jars, so that nothing is downloaded when it runs.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
folder=$1
python=${PYTHON:-python3}
cd "$(dirname "$0")/../.."
draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT

# PySpark comes as sources: what builds it stays here.
"$python" -m venv "$draft/venv"
build="$draft/venv/bin/python"
"$build" -m pip install --quiet --no-cache-dir --no-deps --require-hashes --requirement requirements-build.lock
"$build" -m pip wheel --quiet --no-cache-dir --no-deps --require-hashes --no-build-isolation \
    --wheel-dir "$draft/wheels" --requirement requirements-run.lock

"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --no-index --no-deps "$draft"/wheels/*.whl

# The wheel carries the connector, compiled with the jars that will run it.
export KMIRROR_HOME="$folder/cache"
PYTHONPATH=src PYTHONDONTWRITEBYTECODE=1 "$folder/bin/python" -m kmirror.jvm --pack
"$build" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$draft/own" .
"$folder/bin/python" -m pip install --quiet --no-index --no-deps "$draft"/own/*.whl
"$folder/bin/python" -m pip check
rm -rf "$KMIRROR_HOME/connector"

# The archive of Spark's classes belongs to jars of one time. Layers of an image keep no parts of a
# second, and a jar whose time has changed would make every start slow.
find "$folder" -name '*.jar' -exec touch --date="@${SOURCE_DATE_EPOCH:-0}" {} +
