from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab.scoring.adjacency import Relation, relations
from tests.archive.tables import table
from tests.support.data import real_data_dir

from lab.scoring import F1, Region, adjacency_score, read_regions, region_of, spans_of
from worktrial.errors import DataError


def test_relations_skip_blanks_and_count_twins() -> None:
    found = relations(spans_of([["a", "", "b"], ["a", "c", "b"]]))
    assert found == {
        Relation("a", "b", False): 1,
        Relation("a", "c", False): 1,
        Relation("c", "b", False): 1,
        Relation("a", "a", True): 1,
        Relation("b", "b", True): 1,
    }


def test_a_heading_over_two_columns_is_one_cell() -> None:
    spans = spans_of([["", "Total", "Total"], ["x", "1", "2"]], header_rows=1)
    assert relations(spans) == {
        Relation("total", "1", True): 1,
        Relation("total", "2", True): 1,
        Relation("x", "1", False): 1,
        Relation("1", "2", False): 1,
    }
    # Equal numbers in the body are two cells.
    assert relations(spans_of([["5", "5"]])) == {Relation("5", "5", False): 1}


texts = st.sampled_from(["", "a", "b", "1", "2"])
grids = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(texts, min_size=n, max_size=n), max_size=4))


@given(grids, st.integers(0, 2))
def test_a_table_against_itself_is_right_and_blank_lines_change_nothing(grid: list[list[str]], heads: int) -> None:
    region = region_of(table(grid, header_rows=min(heads, len(grid))))
    score = adjacency_score([region], [region])
    assert score.right == score.true == score.found
    spread = [
        line
        for row in spans_of(grid)
        for line in [row._replace(first_row=2 * row.first_row, last_row=2 * row.last_row)]
    ]
    assert relations(spread) == relations(spans_of(grid))


def test_tables_are_paired_by_page_and_by_what_they_share() -> None:
    one, two = Region(1, spans_of([["a", "b"], ["c", "d"]])), Region(1, spans_of([["e", "f"], ["g", "h"]]))
    assert adjacency_score([one, two], [two, one]) == F1(8, 8, 8)
    assert adjacency_score([one], [one._replace(page=2)]) == F1(0, 4, 4)
    # A second copy is false, and so is what stands for no table.
    assert adjacency_score([one], [one, one, two]) == F1(4, 4, 12)
    # A found table stands for one true table, though it is like two.
    assert adjacency_score([one, one], [one]) == F1(4, 8, 4)
    assert adjacency_score([], []).value == 1


def test_case_space_and_dashes_do_not_count() -> None:
    assert (
        adjacency_score([Region(1, spans_of([["A  b", "1–2"]]))], [Region(1, spans_of([["a b", "1 - 2"]]))]).value
        == 1
    )


def test_says_what_is_wrong_with_truth(tmp_path: Path) -> None:
    path = tmp_path / "x-str.xml"
    path.write_text("<document><table>", "utf-8")
    with pytest.raises(DataError, match="cannot be read as XML"):
        read_regions(path)
    path.write_text("<document/>", "utf-8")
    with pytest.raises(DataError, match="holds no table"):
        read_regions(path)
    cell = '<document><table><region page="1"><cell start-row="{}" start-col="0"/></region></table></document>'
    path.write_text(cell.format("x"), "utf-8")
    with pytest.raises(DataError, match="start-row: must be a whole number"):
        read_regions(path)
    path.write_text(cell.format("99999999"), "utf-8")
    with pytest.raises(DataError, match="does not span a place"):
        read_regions(path)


@pytest.mark.real_data
def test_real_truth_against_itself_is_right_everywhere() -> None:
    files = sorted((real_data_dir() / "icdar2013").glob("*-str.xml"))
    scores = [adjacency_score(regions, regions) for regions in map(read_regions, files)]
    assert len(scores) > 20
    assert all(score.value == 1 and score.true for score in scores)
