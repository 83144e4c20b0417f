#!/bin/sh
# A pipeline: one process validates a stream of NDJSON lines, and answers each with a line.
set -eu
schema=$(mktemp)
trap 'rm -f "$schema"' EXIT
cat >"$schema" <<'JSON'
{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"], "additionalProperties": false}
JSON
printf '%s\n' '{"id": 1}' '{"id": "two"}' '{"id": 3}' |
    ffgrammar validate --type json-schema "$schema" --ndjson || echo "exit code $?"
