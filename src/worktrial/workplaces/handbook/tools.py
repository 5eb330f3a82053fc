"""The tools by which an agent searches and reads a handbook, at a desk and in any other workplace that has one."""

from collections.abc import Callable, Mapping
from typing import Any

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.executable.declare import Declaration, Function, ToolError, marked
from worktrial.workplaces.executable.paging import list_rows
from worktrial.workplaces.handbook.handbook import Handbook, Paper

_HITS = 8


def handbook_functions(
    handbook: Handbook, state_type: Any, figures: Callable[[Any], Mapping[str, JsonValue]] = lambda state: {}
) -> list[Function]:
    """`search_handbook` and `read_section`, as tools that only look.

    Args:
        handbook: The papers.
        state_type: Type of the state of the workplace's other tools.
        figures: Function from the state to what fills in the papers; nothing by default.
    """

    def search_handbook(state: Any, query: str, page: int = 1) -> JsonObject:
        """Search the handbook's sections and circulars for words: number, date and one line of each, best first.

        With an empty query, the table of contents: number, title and date of every section, in order.

        Args:
            query: Words to look for; "" lists all sections.
            page: Number of the page, from 1.
        """
        if not query.strip(" *"):
            return list_rows("hits", handbook.contents(figures(state)), page, _entry)
        found = handbook.search(query, figures(state))
        return list_rows("hits", found, page, lambda hit: {**_entry(hit[0]), "line": hit[1]}, _HITS)

    def read_section(state: Any, section: str) -> JsonObject:
        """Read one section or circular of the handbook.

        Args:
            section: Its number, for example 4.2.
        """
        found = handbook.section(section, figures(state))
        if found is None:
            raise ToolError("unknown_section", f"The handbook has no section {section!r}.")
        return {**_entry(found), "text": found.text}

    functions: list[Function] = [search_handbook, read_section]
    for function in functions:
        function.__annotations__["state"] = state_type
    return [marked(function, Declaration(writes=False, example=None)) for function in functions]


def _entry(paper: Paper) -> JsonObject:
    return {"section": paper.section, "title": paper.title, "issued": paper.issued, "kind": paper.kind}
