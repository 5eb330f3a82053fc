"""Libraries that we stand on: a list of them (`make sbom`), and what is known against them (`make audit`).

Both look at `requirements/runtime.txt`, which names every version and its hashes. The list is CycloneDX, and holds
the libraries in the viewer's pages, too. Exit codes of an audit: 0 nothing is known against any of them, 1 it is
against some, 2 it could not look at some or at all.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from scripts.environments import ROOT, environment

from worktrial import __version__

LOCKED = ROOT / "requirements" / "runtime.txt"
NOTICE = ROOT / "src" / "worktrial" / "reports" / "NOTICE"
_SHOWN = 5
_BUNDLED = (
    # `TanStack Virtual (@tanstack/virtual-core) 3.19.11`, or the name on npm alone.
    re.compile(r"^(?:[^(\n]+ \()?(?P<name>[@\w./-]+)\)? (?P<version>\d+\.\d+\.\d+)$", re.MULTILINE),
    re.compile(r"^(?P<name>[\w.-]+), part of [\w.-]+$", re.MULTILINE),
)


class Audit(NamedTuple):
    """Outcome of a look at what is known against libraries."""

    code: int
    said: str


def main() -> int:
    """Do what was asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.supply", description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    listing = what.add_parser("sbom", help="list the libraries")
    listing.add_argument("-o", "--output", type=Path, default=ROOT / "dist" / "sbom.json", metavar="FILE")
    what.add_parser("audit", help="ask what is known against them")
    chosen = parser.parse_args()
    tools = environment("supply", ROOT / "requirements" / "supply.txt", sys.executable).parent
    if chosen.what == "sbom":
        chosen.output.parent.mkdir(parents=True, exist_ok=True)
        chosen.output.write_text(json.dumps(_listed(tools), indent=2, ensure_ascii=False) + "\n", "utf-8")
        print(f"-> {chosen.output}")
        return 0
    words = ["-r", LOCKED, "--require-hashes", "--disable-pip", "--progress-spinner", "off", "-f", "json"]
    ran = subprocess.run([tools / "pip-audit", *words], capture_output=True, text=True, check=False)
    audit = judged(ran.returncode, ran.stdout, ran.stderr)
    print(f"audit: {audit.said}")
    return audit.code


def _listed(tools: Path) -> dict[str, Any]:
    words = [tools / "cyclonedx-py", "requirements", LOCKED, "--pyproject", ROOT / "pyproject.toml"]
    how = ["--output-reproducible", "--of", "JSON", "-o", "-"]
    ran = subprocess.run(
        [*words, *how], stdout=subprocess.PIPE, text=True, check=True, env={"PYTHONWARNINGS": "ignore"}
    )
    return with_bundled(json.loads(ran.stdout))


def with_bundled(listed: dict[str, Any]) -> dict[str, Any]:
    """A list with our version, and with the libraries that the viewer's pages hold."""
    listed["metadata"]["component"]["version"] = __version__
    text = NOTICE.read_text("utf-8")
    for found in (match.groupdict() for pattern in _BUNDLED for match in pattern.finditer(text)):
        name = found["name"]
        component = {"type": "library", "bom-ref": f"viewer-{name}", "name": name}
        if version := found.get("version"):
            component |= {"version": version, "purl": f"pkg:npm/{name.replace('@', '%40')}@{version}"}
        listed["components"].append(component)
    return listed


def judged(code: int, out: str, err: str) -> Audit:
    """What a run of `pip-audit` means; its own exit code is 0, too, where its service knew no library at all.

    Args:
        code: Its exit code.
        out: JSON that it printed.
        err: What it said beside it.
    """
    try:
        libraries = json.loads(out)["dependencies"]
    except (ValueError, KeyError, TypeError):
        why = (err.strip().splitlines() or [f"pip-audit ended with {code} and without a word"])[-1]
        return Audit(2, f"could not look: {why}")
    against = [
        f"{one['name']} {one['version']}: {', '.join(hole['id'] for hole in one['vulns'])}"
        for one in libraries
        if one.get("vulns")
    ]
    unseen = [one["skip_reason"] for one in libraries if "skip_reason" in one]
    parts = []
    if against:
        parts.append(
            f"something is known against {len(against)} of {len(libraries)} libraries: {'; '.join(against)}"
        )
    if unseen or not libraries:
        more = f"; and {len(unseen) - _SHOWN} more" if len(unseen) > _SHOWN else ""
        told = "; ".join(unseen[:_SHOWN]) or "no library was named"
        parts.append(f"could not look at {len(unseen)} of {len(libraries)} libraries: {told}{more}")
    if not parts:
        parts.append(f"nothing is known against {len(libraries)} libraries")
    return Audit(1 if against else 2 if unseen or not libraries else 0, ". ".join(parts))


if __name__ == "__main__":
    sys.exit(main())
