#!/usr/bin/env bash
# Resolve the dependencies of pyproject.toml anew into hashed, host-free requirement files.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${UV:-.venv/bin/uv}
compile() {
  "$uv" pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
    --python-version "${floor:-3.11}" --custom-compile-command "make lock" "$@"
}
# Programs that know nothing of us: environments of their own, with the Python that some of them need.
for reader in requirements/interop/*.in; do
  floor=3.12 compile "$reader" -o "${reader%.in}.txt"
done
compile requirements/uv.in -o requirements/uv.txt
compile requirements/supply.in -o requirements/supply.txt
compile requirements/fuzz.in -o requirements/fuzz.txt
compile requirements/typesetters.in -o requirements/typesetters.txt
compile pyproject.toml --extra documents --extra office --extra analysis --extra local --extra serve --extra view --extra otlp --extra store -o requirements/runtime.txt
compile pyproject.toml --extra documents --extra office --extra ocr --extra analysis --extra local --extra serve --extra view --extra otlp --extra store \
  --group dev -c requirements/runtime.txt -o requirements/dev.txt
# Programs that run beside us, and do not go together with the rest or with each other.
for extra in openenv verifiers; do
  compile pyproject.toml requirements/beside-us.in --extra "$extra" -o "requirements/interop/$extra.txt"
done
compile pyproject.toml requirements/beside-us.in --extra ray --extra store --extra documents \
  -o requirements/interop/ray.txt
# Inspect is met as a reader of exports, too, with its data frames.
compile pyproject.toml requirements/beside-us.in requirements/data-frames.in --extra inspect \
  -o requirements/interop/inspect.txt
