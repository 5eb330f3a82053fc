"""SQL over an archive: what is answered, what is refused, what is stopped."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.archive.tools.shelf import DOCUMENT, Shelf, shelf

from worktrial.archive.tools.queries import Queries
from worktrial.archive.tools.source import ToolLimits, ToolProblem
from worktrial.archive.tools.toolbox import ToolBox
from worktrial.errors import DataError


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    yield shelf(tmp_path_factory.mktemp("shelf"))


def sql(archive: Shelf, *queries: str, limits: ToolLimits | None = None) -> list[Any]:
    """What the tool answers to queries, one after the other."""

    async def run() -> list[Any]:
        box = ToolBox(archive, limits=limits)
        try:
            return [await box.call("sql", {"query": query}) for query in queries]
        finally:
            await box.aclose()

    return asyncio.run(run())


def test_cells_are_found_by_what_they_mean(archive: Shelf) -> None:
    found, described, none = sql(
        archive,
        "SELECT value, unit FROM cells WHERE label = 'January' AND header = 'Outlays'",
        "DESCRIBE pages",
        "FROM cells WHERE false",
    )
    assert found == {"columns": ["value", "unit"], "rows": [[1300.0, "millions of dollars"]]}
    assert [row[0] for row in described["rows"]] == ["document", "page", "text"]
    assert none["rows"] == []


def test_values_of_every_type_come_exactly(archive: Shelf) -> None:
    query = (
        "SELECT 1.5::DECIMAL(9,2), 12345678901234567890.12::DECIMAL(38,2), 'nan'::DOUBLE, DATE '1939-02-01',"
        " [1, 2], {'a': 1}, NULL, true, 170141183460469231731687303715884105727::HUGEINT, 'é\u2028'"
    )
    assert sql(archive, query)[0]["rows"] == [
        [1.5, "12345678901234567890.12", "nan", "1939-02-01", [1, 2], {"a": 1}, None, True, 2**127 - 1, "é\u2028"]
    ]


def test_long_answers_are_cut_with_the_way_to_the_rest(archive: Shelf) -> None:
    rows, wide, text = sql(
        archive,
        "FROM range(1000)",
        "SELECT repeat('x', 900) FROM range(100)",
        "SELECT repeat('x', 100000)",
        limits=ToolLimits(rows=50, characters=10_000),
    )
    assert len(rows["rows"]) == 50 and "OFFSET 50" in rows["note"]
    assert 5 < len(wide["rows"]) <= 11 and "there are more" in wide["note"]
    assert "characters" in text["rows"][0][0] and len(text["rows"][0][0]) < 5000


REFUSED = [
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE cells",
    "",
    "-- nothing",
    "DROP TABLE cells",
    "DELETE FROM cells",
    "WITH x AS (DELETE FROM cells RETURNING *) SELECT * FROM x",
    "CREATE TABLE x AS SELECT 1",
    "INSERT INTO documents VALUES ('x', '', 1)",
    "PRAGMA version",
    "CALL pragma_version()",
    "SET memory_limit = '100GB'",
    "RESET memory_limit",
    "ATTACH '/tmp/x.duckdb'",
    "DETACH shelf",
    "USE memory",
    "COPY cells TO '/tmp/x.csv'",
    "COPY (SELECT 1) TO '/tmp/x.csv'",
    "EXPORT DATABASE '/tmp/x'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CHECKPOINT",
    "EXPLAIN ANALYZE SELECT 1",
    "PREPARE p AS SELECT 1",
    "BEGIN",
    "VACUUM",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM 'https://example.com/x.parquet'",
    "SELECT getenv('HOME')",
    "SELECT * FROM request",
    "SELEC 1",
    "SELECT nothing FROM cells",
    "SELECT 1 WHERE 1 = ?",
]


def test_everything_but_one_select_is_refused(archive: Shelf) -> None:
    *answers, after = sql(archive, *REFUSED, "SELECT count(*) FROM cells")
    for query, refused in zip(REFUSED, answers, strict=True):
        assert refused.get("error", {}).get("field") == "query", query
    assert after["rows"][0][0] > 5
    assert not Path("/tmp/x.csv").exists()


def test_the_error_of_a_query_tells_what_to_mend(archive: Shelf) -> None:
    told = sql(archive, "SELECT valeu FROM cells")[0]["error"]
    assert told["type"] == "invalid_query"
    assert "valeu" in told["message"] and "value" in told["message"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT sum(a.range * b.range) FROM range(100000000) a, range(100000000) b",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
    ],
)
def test_a_query_that_goes_on_is_stopped(archive: Shelf, query: str) -> None:
    stopped, after = sql(archive, query, "SELECT 1", limits=ToolLimits(seconds=1))
    assert stopped["error"]["type"] in ("time_limit", "invalid_query")
    assert after.get("rows") == [[1]], after


@pytest.mark.parametrize(
    "query",
    [
        "SELECT length(repeat('a', 4000000000))",
        "SELECT length(lpad('a', 2000000000, 'b'))",
        "SELECT list_sum(range(2000000000))",
        "SELECT list(range) FROM range(1000000000)",
        "SELECT count(*) FROM (SELECT DISTINCT range % 999999937 FROM range(1000000000))",
    ],
)
def test_a_query_that_fills_the_memory_is_stopped(archive: Shelf, query: str) -> None:
    stopped, after = sql(archive, query, "SELECT 1", limits=ToolLimits(seconds=5, memory=600 << 20))
    assert "error" in stopped
    assert after.get("rows") == [[1]], after


def test_processes_are_used_again_and_ended(archive: Shelf) -> None:
    async def run() -> list[psutil.Process]:
        queries = Queries(archive, processes=2)
        me = psutil.Process()
        before = {p.pid for p in me.children()}
        await asyncio.gather(*(queries.select("SELECT 1", rows=1) for _ in range(6)))
        mine = [p for p in me.children() if p.pid not in before]
        assert 1 <= len(mine) <= 2
        await queries.aclose()
        return mine

    _, alive = psutil.wait_procs(asyncio.run(run()), timeout=5)
    assert alive == []


def test_a_cancelled_query_leaves_nothing_behind(archive: Shelf) -> None:
    async def run() -> bool:
        queries = Queries(archive, processes=1)
        before = psutil.Process().children()
        await queries.select("SELECT 1", rows=1)
        mine = [child for child in psutil.Process().children() if child not in before]
        slow = asyncio.ensure_future(
            queries.select("SELECT sum(a.range * b.range) FROM range(100000000) a, range(100000000) b", rows=1)
        )
        await asyncio.sleep(0.3)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert (await queries.select("SELECT 2", rows=1)).rows == [[2]]
        gone = all(not p.is_running() or p.status() == psutil.STATUS_ZOMBIE for p in mine)
        await queries.aclose()
        return gone

    assert asyncio.run(run())


def test_no_key_of_ours_reaches_the_process(archive: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-7391")

    async def run() -> list[dict[str, str]]:
        queries = Queries(archive)
        before = psutil.Process().children()
        await queries.select("SELECT 1", rows=1)
        environments = [p.environ() for p in psutil.Process().children() if p not in before]
        await queries.aclose()
        return environments

    assert all("OPENAI_API_KEY" not in environment for environment in asyncio.run(run()))


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    broken = shelf(tmp_path)
    broken.connection().close()

    async def run() -> None:
        queries = Queries(broken)
        queries._path = tmp_path / "shelf.duckdb"
        queries._path.write_bytes(b"nonsense" * 1000)
        await queries.select("SELECT 1", rows=1)

    with pytest.raises(DataError, match=r"shelf\.duckdb"):
        asyncio.run(run())


def test_lines_are_found_across_documents(archive: Shelf) -> None:
    async def run() -> Any:
        queries = Queries(archive)
        try:
            found = await queries.lines("^budget results", document=None, limit=10, ignore_case=True)
            with pytest.raises(ToolProblem):
                await queries.lines("(", document=None, limit=10, ignore_case=True)
            return found
        finally:
            await queries.aclose()

    assert [row[0] for row in asyncio.run(run()).rows] == [DOCUMENT, "bulletin_1940_02"]
