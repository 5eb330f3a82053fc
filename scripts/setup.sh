#!/usr/bin/env bash
# Make .venv with the locked requirements and this checkout in it. Needs python3 (3.11 or newer) and a package index.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*"; }
may_install() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# Debian packages are only ever needed for native libraries, so a machine without apt is not an error.
missing_packages() {
  command -v dpkg-query >/dev/null || return 0
  while read -r package; do
    case "$package" in ''|'#'*) continue ;; esac
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done < requirements/debian.txt
}

# What each is for, so that somebody who may not install it knows what goes without.
purpose() {
  case "$1" in
    bubblewrap) echo "locks in the Python that agents run; without it those tools refuse to start" ;;
    tesseract-ocr) echo "second reader of scans; without it doubtful numbers stay marked as doubtful" ;;
    chromium) echo "tests of the reports' pages; the product does not need it" ;;
    *) echo "native library" ;;
  esac
}

install_packages() {
  if [ "$(id -u)" = 0 ]; then as=root; else as="sudo, which asks nothing here"; fi
  say "installing Debian packages with apt-get as $as:"
  for package in "$@"; do say "  $package: $(purpose "$package")"; done
  as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

missing=$(missing_packages | tr '\n' ' ')
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086 # a list of package names
  if ! { may_install && install_packages $missing; }; then
    say "these Debian packages could not be installed; everything else goes on without them:"
    for package in $missing; do say "  $package: $(purpose "$package")"; done
    say "to install them: sudo apt-get install $missing"
  fi
fi

python=${PYTHON:-python3}
"$python" - <<'PY' || { say "Worktrial needs Python 3.11 or newer; name one with: make setup PYTHON=/path/to/python3"; exit 2; }
import sys
sys.exit(sys.version_info < (3, 11))
PY

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
  rm -rf .venv
  if ! "$python" -m venv .venv 2>/dev/null; then
    rm -rf .venv
    say "python3 has no working venv module"
    if ! { command -v apt-get >/dev/null && may_install && install_packages python3-venv && "$python" -m venv .venv; }; then
      say "please install the package python3-venv and run this again"
      exit 2
    fi
  fi
fi

# uv does not read pip's settings; hand it the index that pip would use on this machine.
if [ -z "${UV_DEFAULT_INDEX:-}" ]; then
  index=${PIP_INDEX_URL:-$(.venv/bin/python -m pip config get global.index-url 2>/dev/null || true)}
  if [ -n "$index" ]; then export UV_DEFAULT_INDEX=$index; fi
fi

stamp=.venv/.worktrial-setup
want=$(cat pyproject.toml requirements/uv.txt requirements/dev.txt scripts/setup.sh src/worktrial/__init__.py | cksum)
if [ "$(cat "$stamp" 2>/dev/null || true)" = "$want" ]; then exit 0; fi

say "installing the locked requirements into .venv"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/uv.txt
.venv/bin/uv pip sync --quiet --python .venv/bin/python --require-hashes --compile-bytecode \
  requirements/dev.txt
.venv/bin/uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
echo "$want" > "$stamp"
say "ready: .venv/bin/worktrial --help"
