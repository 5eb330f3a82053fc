"""The kit of the cases: written once before them, shown to all of them, made again only where it must be."""

import shutil
from pathlib import Path

import msgspec
import pytest
from tests.synthesis.authoring.writing import CLAUSES, LIBRARY, Writing

from worktrial.synthesis.clauses import clause_numbers

SAID = "In these terms a member is whoever holds a card."
DEFINITION = msgspec.structs.replace(
    CLAUSES[0], id="C-90", section="0", quote=SAID, numbers=clause_numbers(SAID), kind="definition"
)
SHOWN = "Helpers that are there already"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Writing:
    writing = Writing(tmp_path_factory.mktemp("library"), clauses=[DEFINITION, *CLAUSES])
    assert writing.write().failed == {}
    return writing


def prompts(writing: Writing, step: str) -> list[str]:
    return [prompt for asked, prompt in zip(writing.asked, writing.prompts, strict=True) if asked == step]


def test_a_first_group_without_cases_leaves_the_others_their_helpers(library: Writing) -> None:
    definitions, *others = prompts(library, "atoms")
    assert "Write cases for these clauses now: C-90\n" in definitions and len(others) == 2
    for prompt in (definitions, *others):
        assert "def _quiet(" in prompt.partition(SHOWN)[2]
    for number in (1, 2):
        text = (library.root / "work" / "authoring" / f"atoms-{number}-1.py").read_text("utf-8")
        assert "@atom(" in text and "def _quiet(" not in text
    assert (library.place / "atoms.py").read_text("utf-8").count("def _quiet(") == 1


def test_the_author_of_the_kit_sees_what_a_case_is_and_what_it_has_to_work_with(library: Writing) -> None:
    (prompt,) = prompts(library, "kit")
    for part in (SAID, CLAUSES[-1].quote, "A case looks like this", "state_items (at, matching", "# NO HELPERS"):
        assert part in prompt
    assert "Situation(*, records: list[str]" in prompt and '"L-1001"' in prompt
    assert SHOWN not in prompt and "Write cases for these clauses" not in prompt


def added(text: str) -> str:
    return f"{LIBRARY.kit()}\n\n{text}\n"


SLIPS = {
    "case": (
        added('@atom("C-01")\ndef early(state: State, random: Random) -> Situation | None:\n    return None'),
        "early is a case, and the kit has none: take it out, or its @atom",
    ),
    "nothing": ("# There is none.", "write `# NO HELPERS: why`"),
    "import": (added("import os"), "imports os"),
    "clause": (added('@cites("C-77")\ndef _kit_due() -> int:\n    return 0'), "cites C-77, which is no clause"),
    "value": (
        added('def _kit_fee() -> dict[str, object]:\n    return {"check": "state_number", "value": 178.4}'),
        "_kit_fee: a check asks for 178.4, which stands in no clause",
    ),
    "name": (added("KIT_DAYS = some_name"), "name 'some_name' is not defined (that line is: KIT_DAYS"),
}


@pytest.mark.parametrize(("wrong", "why"), SLIPS.values(), ids=SLIPS)
def test_a_slip_in_the_kit_is_told_in_words_and_mended(tmp_path: Path, wrong: str, why: str) -> None:
    def slip(asked: str, right: str, count: int) -> str | None:
        return f"```python\n{wrong}\n```" if asked == "kit" and count == 1 else None

    writing = Writing(tmp_path, slip)
    assert writing.write().failed == {}
    (record,) = [record for record in writing.steps if record.rounds == 2]
    assert record.step == "kit" and why in record.problems[0]


@pytest.mark.parametrize("said", ["# NO HELPERS: each case is another", "def _kit_look(:"], ids=["none", "broken"])
def test_without_a_kit_each_group_brings_what_it_needs(tmp_path: Path, said: str) -> None:
    writing = Writing(tmp_path, lambda asked, right, count: said if asked == "kit" else None)
    made = writing.write()
    assert set(made.failed) == ({"kit"} if "def" in said else set())
    assert all(SHOWN not in prompt for prompt in prompts(writing, "atoms"))
    assert "plain_extension" in made.modules["atoms"] and made.modules["atoms"].count("def _quiet(") == 1


def test_a_group_that_makes_a_helper_of_the_kit_another_one_is_told(tmp_path: Path) -> None:
    other = "\n\ndef _look(loan_id: str, loan: Loan) -> list[dict[str, object]]:\n    return []\n"

    def slip(asked: str, right: str, count: int) -> str | None:
        return right.replace("```\n", f"{other}```\n") if asked == "atoms" and count == 1 else None

    writing = Writing(tmp_path, slip)
    assert writing.write().failed == {}
    (record,) = [record for record in writing.steps if record.rounds == 2]
    assert record.problems == ["_look is defined in the kit already; leave it out, or call yours otherwise"]


def test_a_kit_that_a_person_changed_makes_again_what_uses_a_changed_head_alone(
    library: Writing, tmp_path: Path
) -> None:
    shutil.copytree(library.root, tmp_path / "again")
    kit = tmp_path / "again" / "work" / "authoring" / "kit.py"
    text = kit.read_text("utf-8")
    body = text.replace("refusal=True", "refusal=bool(1)")
    assert body != text
    writing = Writing(tmp_path / "again", clauses=[DEFINITION, *CLAUSES])
    kit.write_text(body)
    writing.write()
    assert writing.asked == []
    kit.write_text(body.replace("outcome: str, **more", 'outcome: str, why: str = "", **more'))
    writing.write()
    # Only the cases of the first section refuse anything.
    assert writing.asked == ["atoms"] and "C-01" in writing.prompts[-1].partition("now: ")[2].splitlines()[0]
