"""Every recorded verdict of the published program on single steps."""

import json
from typing import Any

import pytest
from tests.support.data import real_data_dir

from worktrial.suites.orchestration.planning.turns import ValueCase
from worktrial.suites.orchestration.scoring.calls.published import ConfusionCell, PublishedStepScore, score_step

pytestmark = pytest.mark.real_data

CELLS = {
    ConfusionCell.CALLED: {"tn_reject", "tp_fc"},
    ConfusionCell.REFUSED: {"tp_reject", "tn_fc"},
    ConfusionCell.OVERACTED: {"fn_reject", "fp_fc"},
    ConfusionCell.UNDERACTED: {"fp_reject", "fn_fc"},
}
METRICS = ("precision", "recall", "f1")


def schemas(language: str) -> dict[str, Any]:
    cards = (real_data_dir() / "orchestrationbench" / language / "multiagent_cards").glob("*.json")
    return {t["name"]: t["parameters"] for card in cards for t in json.loads(card.read_text("utf-8"))["tools"]}


def test_all_rows() -> None:
    tools = {language: schemas(language) for language in ("EN", "KO")}
    lines = (real_data_dir() / "oracles" / "toolcall_steps.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == 350
    kinds = set()
    for row in rows:
        score = score_step(row["step"], row["label"], tools[row["lang"]])
        assert found(score, row["ref"]) == wanted(row["ref"]), row["id"]
        kinds.add(score.cell)
    assert kinds == {*CELLS, None}


def wanted(ref: dict[str, Any]) -> dict[str, Any]:
    if ref["error"]:
        return {"error": ref["error"].split(":")[0]}
    cells = {name for name, count in ref["confusion"].items() if count and not name.startswith(("label_", "type_"))}
    want = {"cells": cells, "type_mismatch": bool(ref["confusion"]["type_mismatch"]), "judged": None}
    want |= {name: ref[name] for name in ("key_f1", "key_f1_trial", "name_f1_trial", "name_n", "scored_as_fc")}
    if ref["scored_as_fc"]:
        want["judged"] = {
            "auto": sorted(ref["auto_results"], key=lambda result: str(result["key"])),
            "open": sorted(
                (case["key"], case["confirmed_tp_count"], len(case["predicted_values"]), len(case["actual_values"]))
                for case in ref["llm_needed"]
            ),
            **{
                name: pytest.approx([ref[name][metric] for metric in METRICS], abs=1e-12)
                for name in ("value_skip", "value_match_all", "value_match_none")
            },
        }
    return want


def found(score: PublishedStepScore, ref: dict[str, Any]) -> dict[str, Any]:
    if score.cell is None:
        return {"error": score.error}
    return {
        "cells": CELLS[score.cell],
        "type_mismatch": score.type_mismatch,
        "key_f1": score.key or 0.0,
        "key_f1_trial": round(score.key or 0.0, 4),
        "name_f1_trial": round(score.name or 0.0, 4),
        "name_n": int(score.name is not None),
        "scored_as_fc": score.cell is ConfusionCell.CALLED,
        "judged": judged(score),
    }


def judged(score: PublishedStepScore) -> dict[str, Any] | None:
    if score.values is None:
        return None
    cases = [key.case for key in score.values.open]

    def metrics(verdicts: dict[ValueCase, float] | None) -> list[float]:
        assert score.values is not None
        counts = score.values.counts(verdicts)
        return [counts.precision, counts.recall, counts.f1]

    return {
        "auto": [
            {
                "key": result.key,
                "tp_count": result.counts.tp,
                "fp_count": result.counts.fp,
                "fn_count": result.counts.fn,
                "source": "auto",
                "reason": result.reason,
            }
            for result in score.values.settled
        ],
        "open": [(k.case.key, k.confirmed, len(k.case.predicted), len(k.case.gold)) for k in score.values.open],
        "value_skip": metrics(None),
        "value_match_all": metrics(dict.fromkeys(cases, 1.0)),
        "value_match_none": metrics(dict.fromkeys(cases, 0.0)),
    }
