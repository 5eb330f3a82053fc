import json
from pathlib import Path

import pytest
from lab.panels.layouts import KINDS, TYPESETTERS, make_pages, page_score, set_pages
from tests.archive.tables import table

from worktrial.errors import DataError


def test_a_seed_makes_one_page_of_each_kind_for_each_typesetter_and_always_the_same() -> None:
    pages = make_pages(1)
    assert len({page.name for page in pages}) == len(KINDS) * len(TYPESETTERS) == 30
    assert pages == make_pages(1) != make_pages(2)
    assert {page.language for page in pages if page.kind == "korean"} == {"ko"}
    for page in pages:
        assert json.loads(json.dumps(page.as_json()))["name"] == page.name
        assert len(page.truth) or page.kind == "charts"
        assert all(len(set(map(len, true.grid))) == 1 and true.header_rows for true in page.truth)


def test_what_is_found_where_nothing_is_counts_against_a_page() -> None:
    true = make_pages(1)[0].truth
    right = table(true[0].grid)
    assert page_score(true[:1], [right]).value == 1.0
    assert page_score(true[:1], [right, table([["10", "20"], ["30", "40"]])]).value < 1.0
    # One found table stands for one true table only.
    assert page_score([true[0], true[0]], [right]).value == pytest.approx(2 / 3)
    assert page_score([], []).value == 1.0 and page_score([], [right]).value == 0.0


def test_without_the_typesetters_the_error_says_how_to_have_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("WORKTRIAL_TYPESETTERS", raising=False)
    with pytest.raises(DataError, match=r"WORKTRIAL_TYPESETTERS.*requirements/typesetters\.txt"):
        set_pages(make_pages(1)[:1], tmp_path)
    monkeypatch.setenv("WORKTRIAL_TYPESETTERS", str(tmp_path / "python"))
    with pytest.raises(DataError, match="cannot be started"):
        set_pages(make_pages(1)[:1], tmp_path)
