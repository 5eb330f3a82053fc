"""Picture of the house, drawn from its imports: `python -m scripts.rooms > rooms.svg`.

A room is a package or module right below `worktrial`. Rooms lie in floors, so that every arrow, an import, runs
downwards; arrows that follow from others are left out.
"""

from html import escape
from pathlib import Path

import grimp
import networkx as nx

_WIDTH, _BOX, _HEIGHT, _GAP = 920, 138, 46, 40


def draw() -> str:
    """SVG of the rooms of `worktrial` and who imports whom."""
    graph = rooms()
    floors = _floors(graph)
    place = {
        room: (
            (_WIDTH - len(floor) * (_BOX + 24) + 24) / 2 + column * (_BOX + 24),
            10 + row * (_HEIGHT + _GAP),
        )
        for row, floor in enumerate(floors)
        for column, room in enumerate(floor)
    }
    height = 10 + len(floors) * (_HEIGHT + _GAP)
    arrows = [_arrow(*place[above], *place[below]) for above, below in nx.transitive_reduction(graph).edges]
    boxes = [_box(room, *place[room], graph.nodes[room]["lines"]) for room in graph]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="Rooms of Worktrial and their imports" font-family="sans-serif" font-size="13">'
        f"{''.join(arrows)}{''.join(boxes)}</svg>"
    )


def rooms() -> "nx.DiGraph[str]":
    """Rooms with their `lines`, and an edge from each to every room that it imports when it is loaded."""
    imports = grimp.build_graph("worktrial", exclude_type_checking_imports=True)
    found: nx.DiGraph[str] = nx.DiGraph()
    source = Path(__file__).parents[1] / "src" / "worktrial"
    for child in sorted(imports.find_children("worktrial")):
        name = child.removeprefix("worktrial.")
        files = [source / f"{name}.py"] if (source / f"{name}.py").exists() else (source / name).rglob("*.py")
        found.add_node(name, lines=sum(len(file.read_text("utf-8").splitlines()) for file in files))
    for module in imports.modules:
        for other in imports.find_modules_directly_imported_by(module):
            above, below = _room(module), _room(other)
            if above != below and above in found and below in found:
                found.add_edge(above, below)
    if not nx.is_directed_acyclic_graph(found):
        raise SystemExit(f"rooms import each other in a circle: {nx.find_cycle(found)}")
    return found


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _floors(graph: "nx.DiGraph[str]") -> list[list[str]]:
    """Rooms by floor, the top one first: each lies right above the highest room that it imports."""
    floor: dict[str, int] = {}
    for room in reversed(list(nx.topological_sort(graph))):
        floor[room] = 1 + max((floor[below] for below in graph.successors(room)), default=-1)
    return [sorted(room for room in floor if floor[room] == n) for n in range(max(floor.values()), -1, -1)]


def _box(room: str, x: float, y: float, lines: int) -> str:
    middle = x + _BOX / 2
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{_BOX}" height="{_HEIGHT}" rx="6" fill="#eef3f8" stroke="#5b7083"/>'
        f'<text x="{middle:.0f}" y="{y + 20:.0f}" text-anchor="middle" font-weight="bold" fill="#17212b">'
        f"{escape(room)}</text>"
        f'<text x="{middle:.0f}" y="{y + 37:.0f}" text-anchor="middle" fill="#46586a">{lines:,} lines</text>'
    )


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    top, bottom = y1 + _HEIGHT, y2
    left, right = x1 + _BOX / 2, x2 + _BOX / 2
    bend = (bottom - top) / 2
    return (
        f'<path d="M{left:.0f},{top:.0f} C{left:.0f},{top + bend:.0f} {right:.0f},{bottom - bend:.0f} '
        f'{right:.0f},{bottom:.0f}" fill="none" stroke="#9aa9b7" stroke-width="1.2"/>'
    )


if __name__ == "__main__":
    print(draw())
