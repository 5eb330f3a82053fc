"""The verdict on one turn-by-turn sample, and everything it was measured by."""

from dataclasses import dataclass

from worktrial.engine.record import SampleResult
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import Scenario
from worktrial.suites.orchestration.planning.turns import Answers, StepAnswer, gold_steps
from worktrial.suites.orchestration.run.ground import ScoringThreads
from worktrial.suites.orchestration.run.judges import JudgedValues, ValueJudges
from worktrial.suites.orchestration.scoring.both import Scored, score

# A prompt that the model has no room for is the team's own limit: it fails every time, so asking again is no use.
_OWN_LIMIT = InvalidReason.CONTEXT_OVERFLOW.value


@dataclass(frozen=True, slots=True)
class Judging:
    """Judgement of a sample's open values, or why there is none."""

    values: JudgedValues | None = None
    trouble: str | None = None

    def row(self, asked: int) -> JsonObject:
        """Row for the record; `asked` is the number of open values."""
        rows = self.values.rows() if self.values is not None else []
        return {"asked": asked, "trouble": self.trouble, "values": rows}


async def grade(
    scenario: Scenario,
    team: Team,
    answers: Answers,
    search_nodes: int,
    *,
    floors: JsonObject,
    threads: ScoringThreads,
    judges: ValueJudges | None = None,
) -> SampleResult:
    """Score the answers to a scenario, with the help of `judges` where there are any.

    Args:
        scenario: The recorded conversation.
        team: The domain agents.
        answers: By step; see `ask_all`.
        search_nodes: How many nodes the search for an edit distance may expand.
        floors: What the floors come to on this scenario, for the measures.
        threads: Where scores are computed.
        judges: Who looks at open values; None to score them as not right.

    Raises:
        StopRun: a judge's endpoint says that no request of this run can succeed.
    """
    scored = await threads.run(score, scenario, team, answers, search_nodes)
    judging = await _judged(scored, judges)
    verdicts = judging.values.verdicts if judging.values is not None else None
    modes = await threads.run(scored.measures, verdicts)
    rows = modes["ours"]["rows"]
    measures: JsonObject = {
        "language": scenario.language.value,
        "mode": "turns",
        "requests": len(answers),
        "troubled": sum(answer.trouble is not None for answer in answers.values()),
        "unasked": gold_steps(scenario, team)[1],
        **modes,
        "floors": floors,
    }
    if judges is not None:
        measures["judging"] = judging.row(len(scored.needs))
    outcome, reason = _verdict(answers, judging, rows)
    return SampleResult(
        outcome=outcome,
        reason=reason,
        calls=sum(len(answer.tool_calls) for answer in answers.values()),
        turns=sum(answer.trouble is None for answer in answers.values()),
        measures=measures,
    )


async def _judged(scored: Scored, judges: ValueJudges | None) -> Judging:
    if judges is None:
        return Judging()
    try:
        return Judging(await judges.verdicts(scored.needs))
    except InvalidSample as e:
        return Judging(trouble=str(e))


def _verdict(answers: Answers, judging: Judging, rows: JsonObject) -> tuple[Outcome, str]:
    troubled = [a for a in answers.values() if a.trouble is not None]
    outages = [a for a in troubled if not _is_own_limit(a)]
    if outages:
        # The typed reason of the first one leads, as in every invalid sample.
        kind, _, detail = (outages[0].trouble or "").partition(": ")
        count = f"{len(outages)} of {len(answers)} requests have no answer"
        return Outcome.INVALID, f"{kind}: {count}; first, step {outages[0].step}: {detail}"
    if judging.trouble is not None:
        kind, _, detail = judging.trouble.partition(": ")
        return Outcome.INVALID, f"{kind}: judging: {detail}"
    wrong = [row for row in rows["steps"] if not row["right"]]
    if not rows["steps"]:
        raise InvalidSample(InvalidReason.TASK_DATA, "no step of this scenario can be asked about")
    if not wrong:
        return Outcome.PASS, f"all {len(rows['steps'])} steps are right"
    first = answers[wrong[0]["step"]]
    why = first.trouble if first.trouble is not None else _what_is_wrong(wrong[0])
    return Outcome.FAIL, f"{len(wrong)} of {len(rows['steps'])} steps are wrong; first, step {first.step}: {why}"


def _is_own_limit(answer: StepAnswer) -> bool:
    return (answer.trouble or "").startswith(f"{_OWN_LIMIT}:")


def _what_is_wrong(row: JsonObject) -> str:
    if row["kind"] == "plan":
        if row["error"] is not None:
            return f"no plan ({row['error']})"
        return f"the plan scores {row['score']:.2f}"
    if row["predicted"] != row["gold"]:
        return f"{row['agent']}: {row['predicted']} where {row['gold']} is right"
    return f"{row['agent']}: the calls score {row['score']:.2f}"
