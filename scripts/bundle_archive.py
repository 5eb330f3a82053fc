"""Make the bundled archive anew: `python scripts/bundle_archive.py`. Needs the recogniser, for its scans.

To be run whenever the generator changes, or the code that reads pages has become better.
"""

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from lab.generate import Difficulty, Plan, generate
from worktrial.archive.building.build import build
from worktrial.archive.producers.pdf import ocr_available
from worktrial.archive.store.parts import PARTS, RECORD
from worktrial.archive.store.record import DocumentRecord, read_manifest, write_manifest
from worktrial.suites.documents.example import ARCHIVE, example_folder

PLAN = Plan(pages=30, seed=1, difficulty=Difficulty.MIXED, questions=20)
MOST_BYTES = 3_000_000
QUESTIONS = "questions.jsonl"


def main() -> None:
    """Generate, build, put in place."""
    if not ocr_available():
        sys.exit("the recogniser is missing: pip install worktrial[ocr]")
    target = example_folder()
    with TemporaryDirectory() as temporary:
        made, built = Path(temporary) / "made", Path(temporary) / "built"
        generate(made, PLAN)
        report = build([made / "pdfs"], built, workers=1)
        for record in report.documents:
            print(
                f"{record.name}: {record.pages} pages, {record.tables} tables, confidence {record.confidence:.2f}"
            )
        manifest = read_manifest(built)
        # No place on the maker's machine, and nothing that differs from one making to the next.
        manifest.documents = [_anywhere(record) for record in manifest.documents]
        bundle = Path(temporary) / ARCHIVE
        shutil.copytree(built / PARTS, bundle / PARTS)
        for path in bundle.glob(f"{PARTS}/*/{RECORD}"):
            record = msgspec.json.decode(path.read_bytes(), type=DocumentRecord)
            path.write_bytes(msgspec.json.encode(_anywhere(record)))
        write_manifest(bundle, manifest)
        for name in ("pdfs", "truth", ARCHIVE):
            shutil.rmtree(target / name, ignore_errors=True)
        for source in (made / "pdfs", made / "truth", bundle):
            shutil.copytree(source, target / source.name)
        for name in ("questions.csv", "archive.json"):
            shutil.copyfile(made / name, target / name)
        _with_plans(made / QUESTIONS, target / QUESTIONS)
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    print(f"{target}: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"more than {MOST_BYTES:,} bytes")


def _with_plans(made: Path, target: Path) -> None:
    """Write the questions with the plans that are stored for them; names those that need a new one."""
    stored = [json.loads(line) for line in target.read_text("utf-8").splitlines()] if target.is_file() else []
    plans = {row["question"]: row["plan"] for row in stored if "plan" in row}
    rows = [json.loads(line) for line in made.read_text("utf-8").splitlines()]
    for row in rows:
        if row["question"] in plans:
            row["plan"] = plans[row["question"]]
        else:
            print(f"{row['id']}: has no plan; write one")
    target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _anywhere(record: DocumentRecord) -> DocumentRecord:
    return msgspec.structs.replace(record, source=Path(record.source).name, seconds=0.0)


if __name__ == "__main__":
    main()
