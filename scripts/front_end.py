"""The libraries of the pages, put together into one script: `python -m scripts.front_end` writes it anew.

A page from a disk loads no modules, so each library's file becomes a function, and what they require of each other
is looked up among these. Nothing is minified or fetched: the same sources make the same bytes on any machine.
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
VENDOR = ROOT / "front" / "vendor"
BUILT = ROOT / "src" / "worktrial" / "reports" / "viewer" / "assets" / "libraries.js"

_HEAD = """"use strict";
/* Made by scripts/front_end.py of the files in front/vendor; their licences are in worktrial/reports/NOTICE. */
window.Worktrial = window.Worktrial || {};
(() => {
// Libraries ask it whether they are being developed.
const process = { env: { NODE_ENV: "production" } };
const made = {};
const parts = {};
const load = (name) => {
  const key = name.replace("./", "");
  if (!made[key]) {
    const module = { exports: {} };
    made[key] = module;
    parts[key](module, module.exports, load);
  }
  return made[key].exports;
};
"""
_TAIL = """Worktrial.Virtual = load("virtual-core");
Worktrial.markdownit = load("markdown-it");
})();
"""


def libraries() -> str:
    """Text of the script."""
    kit = sorted((VENDOR / "virtual-core").glob("*.cjs"))
    parts = [_part("virtual-core" if path.name == "index.cjs" else path.name, path) for path in kit]
    reader = _part("markdown-it", VENDOR / "markdown-it" / "markdown-it.umd.min.js")
    return "".join([_HEAD, *parts, reader, _TAIL])


def _part(name: str, path: Path) -> str:
    return f'parts["{name}"] = (module, exports, require) => {{\n{path.read_text("utf-8").strip()}\n}};\n'


if __name__ == "__main__":
    BUILT.write_text(libraries(), "utf-8")
