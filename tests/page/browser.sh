#!/bin/sh
# Installs Chromium from the system's packages, if it is missing and this user may. Otherwise it says what to do.
set -eu
if command -v chromium > /dev/null || [ -n "${FFGRAMMAR_CHROMIUM:-}" ]; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    apt-get update -q > /dev/null || true
    apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core > /dev/null
    exit 0
fi
echo "the page is tested with Chromium, which is not installed, and this user may not install it:" >&2
echo "install Debian's package chromium, or set FFGRAMMAR_CHROMIUM to the path of a Chromium" >&2
exit 1
