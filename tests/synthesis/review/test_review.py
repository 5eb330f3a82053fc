"""The review page, read back by the standard library's parser."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.synthesis.review.made_suite import PASSAGE, MadeSuite

from worktrial.synthesis.files import write_lines
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.review import write_review
from worktrial.synthesis.review.page import MOST_ON_ONE_PAGE

_VOID = frozenset({"meta", "br", "link", "input"})
_INLINE = frozenset({"a", "span", "strong", "code", "q", "cite"})


@dataclass
class Page(HTMLParser):
    """A page; whatever does not close, or closes what is not open, is an error."""

    html: str
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    open_tags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html.removeprefix("<!doctype html>"))
        self.close()
        assert self.open_tags == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._part(tag)
        if tag not in _VOID:
            self.open_tags.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags.pop() == tag
        self._part(tag)

    def _part(self, tag: str) -> None:
        if tag not in _INLINE:
            self.texts.append(" ")

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment: {data[:60]}")

    def handle_data(self, data: str) -> None:
        if self.open_tags and self.open_tags[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    def every(self, name: str, of: str | None = None) -> list[str]:
        """The values of an attribute."""
        return [attributes[name] for tag, attributes in self.tags if name in attributes and of in (None, tag)]


def read(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def page_of(suite: MadeSuite) -> Page:
    return read(write_review(suite.folder))


def test_an_empty_folder_has_a_page(tmp_path: Path) -> None:
    page = read(write_review(SuiteFolder(tmp_path / "new")))
    assert "Nothing has been asked for yet." in page.text
    assert "There are no slots yet." in page.text


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (lambda suite: None, "The sub-topics are not written yet."),
        (MadeSuite.listed, "0 of 4 slots are drafted; nothing has been run."),
        (MadeSuite.drafted, "4 of 4 slots are drafted; nothing has been run."),
        (
            lambda suite: suite.drafted().run(suite.slots[0], "plan", "pp"),
            "0 of 4 slots have come to their end. In runs: 1. Still without runs: 3.",
        ),
        (lambda suite: suite.drafted().finished(), "Every slot has come to its end. 2 tasks are selected."),
    ],
)
def test_it_works_at_every_stage(tmp_path: Path, stage: Callable[[MadeSuite], object], said: str) -> None:
    suite = MadeSuite(tmp_path / "suite", subtopics=2)
    stage(suite)
    page = page_of(suite)
    assert said in page.text
    assert f"worktrial synthesize -o {suite.folder.root}" in page.text


def test_the_overview_of_a_finished_suite(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite", subtopics=2, levels=(1, 2, 3)).drafted().finished()
    suite.spent()
    text = page_of(suite).text
    assert "2 selected Solvable, neither trivial" in text
    assert "4 trivial Without the plan" in text
    assert "Yield: 2 of 6 slots" in text
    assert "$0.7500, 3,000 tokens, 3 answers of models in all sessions. 1 answers have no known price" in text
    for name in ("solvable", "verifiable", "discriminative", "diverse"):
        assert re.search(rf"{name} \S", text.split("What the suite is worth")[1].split("Spend")[0])
    assert "3 of 4 0.30 to 0.90" in text
    assert "rules.md (markdown) Two pictures were left out." in text
    assert f"worktrial run {suite.folder.root} --agent MODEL" in text


def test_a_slot_shows_its_artifacts_runs_and_files(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite", levels=(2,)).drafted().finished()
    [slot] = suite.slots
    suite.repaired(slot)
    page = page_of(suite)
    for said in (
        "Ana Ruiz is here for parcel P-1.",
        "1. Parcel P-1 was looked up",
        "You play the system of a parcel counter.",
        "get_parcel only reads",
        "hand_out changes the state",
        "gone not in the state Not in the state.",
        "handed out to its holder only rules.md, Counter › Handing out, passage p1 The passage " + PASSAGE,
        "These words do not stand there.",
        "There is no such passage.",
        "(the author's own knowledge)",
        "fail With the plan, run 4 0 of 3 votes, 2 calls, 1.5 s, 1,234 tokens, $0.0100",
        "invalid Without the plan, run 5 no votes",
        "Vote 1: pass Vote 0 on plan 0.",
        "Round 1: the rubric was changed It asks too much. (runs)",
        "+2. New.",
        "---- a line of dashes",
        "writer",
        "job, document rules.md",
        str(suite.folder.task(slot)),
        str(suite.folder.workplace(slot)),
        str(suite.folder.reference(slot.subtopic)),
    ):
        assert said in page.text, said
    names = [tag for tag, _ in page.tags]
    # The second removed line begins with dashes, and still is no file's name.
    assert (names.count("ins"), names.count("del")) == (1, 2)


def test_problems_found_without_a_run_are_shown(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite", levels=(2,)).drafted()
    [slot] = suite.slots
    file = suite.folder.task(slot)
    file.write_text(file.read_text("utf-8").replace("get_parcel", "weigh_parcel"), "utf-8")
    text = page_of(suite).text
    assert "Problems found without a run" in text
    assert "weigh_parcel" in text.split("Problems found without a run")[1].split("Task To edit")[0]


def test_an_edit_shows_and_makes_the_verdict_one_of_the_past(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite", levels=(1,)).drafted().finished()
    assert "edited by hand" not in page_of(suite).text
    file = suite.folder.task(suite.slots[0])
    file.write_text(file.read_text("utf-8").replace("Ana Ruiz is here", "Ana Ruiz waits"), "utf-8")
    text = page_of(suite).text
    assert "edited by hand" in text
    assert "Changed since its last verdict, which was “kept, not selected”." in text
    assert "12 earlier runs that no longer count" in text


def test_a_run_that_was_made_again_counts_once_and_other_settings_not(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite", levels=(1,)).drafted()
    [slot] = suite.slots
    suite.run(slot, "plan", "pi")
    suite.run(slot, "plan", "p", first=1)
    suite.run(slot, "plan", "ff", content="0" * 64)
    text = page_of(suite).text
    assert "With the plan 2 of 2 so far" in text
    assert "2 earlier runs that no longer count (version 00000000)" in text


def test_what_cannot_be_read_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite").drafted().finished()
    one, other = suite.slots
    suite.folder.task(one).write_text("slot: [", "utf-8")
    with suite.folder.runs(other.id).open("a") as file:
        file.write("no json\n{torn")
    suite.folder.calibration.write_text("{}\n", "utf-8")
    text = page_of(suite).text
    assert text.count("Could not be read") == 3
    assert str(suite.folder.task(one)) in text
    assert f"{suite.folder.runs(other.id)}:13" in text
    assert f"{suite.folder.calibration}:1" in text
    assert "With the plan 3 of 4 so far" in text


def test_ids_that_lead_elsewhere_are_refused(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite").drafted()
    topics = suite.folder.subtopics
    topics.write_text(topics.read_text("utf-8").replace("parcels-1", "../../../out"), "utf-8")
    page = page_of(suite)
    assert "'../../../out' is no id" in page.text
    assert "There are no slots yet." in page.text


ATTACKS = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</pre></details></section></main></style><!-- ",
    "{{ 7 * 7 }} {% raw %} ${7*7}",
    "javascript:alert(1) \u202e \u2028 \x07 \x1b[31m é 한",
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_texts_are_texts(tmp_path: Path, attack: str) -> None:
    def made(name: str, spoil: Callable[[str], str]) -> MadeSuite:
        suite = MadeSuite(tmp_path / name, subtopics=2, spoil=spoil).drafted().finished()
        suite.repaired(suite.slots[0])
        suite.spent()
        return suite

    plain, spoilt = made("a", lambda text: text), made("b", lambda text: f"{text} {attack}")
    wanted, page = page_of(plain), page_of(spoilt)
    if "{{" not in attack:  # which the static checks take for a placeholder, and say so
        assert [tag for tag, _ in page.tags] == [tag for tag, _ in wanted.tags]
    assert not {"script", "img", "iframe", "object"} & {tag for tag, _ in page.tags}
    shown = " ".join(attack.replace("\x07", "\u2407").replace("\x1b", "\u241b").split())
    # Every kind of text: a dozen fields of a slot, its votes, runs, citations, and the overview's.
    assert page.text.count(shown) > 80
    # The folder of the test has a number in its name.
    assert "49" not in page.text.replace(str(tmp_path), "").replace("149", "")
    allowed = {"id", "class", "aria-labelledby", "aria-label", "aria-hidden", "href", "role", "tabindex", "scope"}
    allowed |= {"charset", "content", "http-equiv", "lang", "name", "open", "rel"}
    allowed |= {"viewbox", "preserveaspectratio", "x", "width", "height"}
    assert {name for _, attributes in page.tags for name in attributes} <= allowed
    assert all(re.fullmatch(r"#[\w%.-]+", href) for href in page.every("href"))


def test_structure_names_and_links(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite", subtopics=2).drafted().finished()
    page = page_of(suite)
    ids = page.every("id")
    assert len(ids) == len(set(ids))
    assert {href.removeprefix("#") for href in page.every("href", "a")} <= set(ids)
    assert set(page.every("aria-labelledby")) <= set(ids)
    regions = [a["aria-label"] for tag, a in page.tags if a.get("role") == "region"]
    assert len(regions) == len(set(regions))
    assert [tag for tag, _ in page.tags].count("h1") == 1
    assert page.every("lang") == ["en"]
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv"))
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/]+='; base-uri 'none'; form-action 'none'", policy
    )
    assert not re.search(r"(?:https?:)?//|url\(|@import", page.html.replace(str(tmp_path), ""))


def test_a_large_suite_has_a_page_for_each_slot_and_a_small_one_again_none(tmp_path: Path) -> None:
    suite = MadeSuite(tmp_path / "suite", subtopics=4, levels=(1, 2, 3)).drafted()
    for slot in suite.slots:
        suite.run(slot, "plan", "pppp", calls=40)
        suite.run(slot, "free", "pfpfpfpf", calls=40)
    index = write_review(suite.folder)
    page = read(index)
    pages = sorted(path.name for path in (index.parent / "slots").iterdir())
    assert pages == sorted(f"{slot.id}.html" for slot in suite.slots)
    assert len(index.read_bytes()) < 100_000
    assert sum((index.parent / "slots" / name).stat().st_size for name in pages) > MOST_ON_ONE_PAGE
    assert [href for href in page.every("href", "a") if href.startswith("slots/")] == [
        f"slots/{slot.id}.html" for slot in suite.slots
    ]
    second = read(index.parent / "slots" / f"{suite.slots[1].id}.html")
    assert second.every("href", "a")[1:4] == [
        "../index.html",
        f"{suite.slots[0].id}.html",
        f"{suite.slots[2].id}.html",
    ]
    assert "Vote 1: pass" in second.text
    for slot in suite.slots:
        write_lines(suite.folder.runs(slot.id), [])
    write_review(suite.folder)
    assert list((index.parent / "slots").iterdir()) == []
    assert f"#slot-{suite.slots[0].id}" in read(index).every("href", "a")
