"""Definitions of a module: what they rest on, and what becomes of a module in which some are exchanged."""

from worktrial.synthesis.definitions import code_of_tools, exchanged, whole_hashes, words_in

SOURCE = '''"""A desk."""

LIMIT = 20
"""Crowns."""
NAMES = ("a", "b")


class State(Struct):
    fees: "Fees"


class Fees(Struct):
    sum: float


def owes(state: State) -> bool:
    return over(state.fees)


def over(fees):
    # Not at the limit.
    return fees.sum > LIMIT


@reads()
def look(state: State) -> dict[str, object]:
    return {"fees": state.fees}


@writes()
def refuse(state: State) -> dict[str, object]:
    return {"why": owes(state)}


def alone() -> int:
    return 1
'''


def test_a_definition_rests_on_what_it_uses_and_on_what_that_uses() -> None:
    before, now = whole_hashes(SOURCE), whole_hashes(SOURCE.replace("LIMIT = 20", "LIMIT = 30"))
    assert {name for name in before if before[name] != now[name]} == {"LIMIT", "over", "owes", "refuse"}
    assert whole_hashes(SOURCE.replace("# Not at the limit.", "# Never at it.")) == before
    assert "Fees" in words_in(SOURCE) and words_in("def (") == frozenset()


def test_code_of_tools_is_what_a_call_may_meet() -> None:
    met = code_of_tools(SOURCE)
    assert code_of_tools(SOURCE.replace("return 1", "return 2").replace('("a", "b")', '("c",)')) == met
    assert code_of_tools(SOURCE.replace("sum: float", "sum: int")) != met
    assert code_of_tools(SOURCE.replace("LIMIT = 20", "LIMIT = 30")) != met
    assert code_of_tools("x = 1\n") == ["x = 1\n"], "no tool is marked"


def test_a_module_keeps_everything_but_what_is_exchanged() -> None:
    over = '@cites("C-01")\ndef over(fees):\n    return fees.sum >= MORE'
    given = f"LIMIT = 30\nMORE = 2\n\n\n{over}\n\n\ndef new():\n    return LIMIT"
    found = exchanged(SOURCE, given, ["alone"])
    names: dict[str, object] = {}
    exec(f"Struct = object\nreads = writes = cites = lambda *ids: lambda made: made\n{found}", names)
    assert (names["LIMIT"], names["MORE"], names["NAMES"]) == (30, 2, ("a", "b"))
    assert "alone" not in names and "new" in names
    assert found.count("def over") == 1 and '@cites("C-01")\ndef over(fees):' in found
    assert found.index("def over") < found.index("def look"), "it stands where it stood"
    assert found.index("MORE = 2") < found.index("class State")
    assert exchanged(SOURCE, "# NOTHING CHANGES") == SOURCE.replace("def over(fees):", "def over(fees):")
