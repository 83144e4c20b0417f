#!/bin/sh
# Builds CPython without the GIL: free_threaded.sh SOURCE FOLDER. SOURCE is CPython's source, a folder or a tarball. The Python is
# then FOLDER/bin/python3. It takes a C compiler, and the headers of zlib, OpenSSL, SQLite and libffi.
set -eu
source=$1
[ -e "$source" ] || { echo "no such source of CPython: PYTHON_SOURCE='$source'" >&2; exit 2; }
mkdir -p "$2/build"
folder=$(cd "$2" && pwd)
if [ -d "$source" ]; then
    source=$(cd "$source" && pwd)
else
    mkdir -p "$folder/source"
    tar -xf "$source" -C "$folder/source" --strip-components=1
    source=$folder/source
fi
cd "$folder/build"
"$source/configure" --quiet --prefix="$folder" --disable-gil --disable-test-modules
make --silent -j "$(getconf _NPROCESSORS_ONLN)"
# (no module is compiled to bytecode ahead of time: that would take minutes)
make --silent install COMPILEALL_OPTS='-x .'
"$folder/bin/python3" -c 'import sys; sys.exit(sys._is_gil_enabled())'
