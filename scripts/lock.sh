#!/usr/bin/env bash
# Resolve the dependencies of pyproject.toml anew into hashed, host-free requirement files.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${UV:-.venv/bin/uv}
compile() {
  "$uv" pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
    --python-version "${floor:-3.11}" --custom-compile-command "make lock" "$@"
}
# Readers of exports: environments of their own, with the Python that some of them need.
for reader in requirements/interop/*.in; do
  floor=3.12 compile "$reader" -o "${reader%.in}.txt"
done
compile requirements/uv.in -o requirements/uv.txt
compile pyproject.toml --extra documents --extra analysis --extra local --extra providers --extra serve -o requirements/runtime.txt
compile pyproject.toml --extra documents --extra ocr --extra analysis --extra local --extra providers --extra serve \
  --group dev -c requirements/runtime.txt -o requirements/dev.txt
# What does not go together with the rest has an environment of its own.
compile pyproject.toml --extra openenv -o requirements/interop/openenv.txt
