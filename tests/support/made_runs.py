"""Run folders as the engine writes them, made without running anything: of any size, within seconds.

Agents that are made with the same `seed` worked on the same tasks, and a task that is hard for one is hard for
all, so that paired tests have something to find. A lower `skill` notices faults less often, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from statistics import NormalDist
from typing import Any

import msgspec
from tests.support.hostile import spoilt
from tests.support.made_agent import START, MadeAgent, faults_of, manifest_of, trajectory_line
from tests.support.made_tasks import MadeTask, made_tasks
from tests.support.made_work import Work, work_on
from tests.support.run_files import store_work

from worktrial.engine.manifest import MANIFEST
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.grading import Outcome, Vote
from worktrial.grading.check import CheckResult
from worktrial.workplaces.faults import FaultEvent, FaultMode, draw_plan

Row = dict[str, Any]
Skill = float | Mapping[str, float]

_NORMAL = NormalDist()
# How far a condition moves an agent along the standard normal scale of skill.
_LOSS = {"E0": 0.0, "E1": 0.2, "E2": 0.6, "E3": 0.4}
_EFFORT = {None: 1.0, "minimal": 0.4, "low": 0.6, "medium": 1.0, "high": 1.8, "xhigh": 2.6, "max": 4.0}
_WEIGHT = 0.8  # of the task's hardness beside an agent's own luck, whose weight is 1


def make_run(
    folder: Path,
    *,
    agent: str = "agent-a",
    suite: str = "occupations",
    tasks: int = 30,
    repeats: int = 1,
    conditions: Sequence[str] = ("E0",),
    skill: Skill = 0.7,
    seed: int = 0,
    cost: float | None = 0.01,
    invalid: float = 0.02,
    effort: str | None = None,
    trajectories: bool = True,
    hostile: bool = False,
    calls: int = 8,
    scenarios: bool = True,
) -> Path:
    """Write a finished run into `folder` and return it. The same arguments write the same bytes.

    Args:
        folder: Made where it is not there.
        agent: The model's name.
        suite: What the run says it is of; `starter` has checks by code, every other one votes.
        tasks: How many.
        repeats: Of each task under each condition.
        conditions: `E0` to `E3`, or with events and length (`E2/3x2`).
        skill: The completion rate to expect under E0, of all or by industry (0.7 where none is given).
        seed: Of the tasks. Agents with other names have other luck.
        cost: Mean US dollars of a sample; None: the price is unknown.
        invalid: Share of samples without a verdict.
        effort: Of the agent's reasoning; more of it costs more.
        trajectories: Whether there are any.
        hostile: Whether every text that a model or data set could have written carries an attack.
        calls: Tool calls of a sample, not counting those made again.
        scenarios: Whether the records name the tasks' scenarios.
    """
    maker = MadeAgent(
        spoilt(agent, 1) if hostile else agent,
        skill,
        seed,
        suite,
        cost,
        invalid,
        effort,
        calls,
        hostile,
        trajectories,
    )
    folder.mkdir(parents=True, exist_ok=True)
    encoder = msgspec.json.Encoder()
    listed = made_tasks(tasks, seed, hostile)
    total = 0.0
    samples = [*_samples(maker, listed, repeats, conditions)]
    for record, _ in samples:
        total += record.cost or 0.0
        if not scenarios:
            del record.tags["scenario"]
    store_work(folder, samples)
    manifest = manifest_of(maker, listed, repeats, conditions, total)
    (folder / MANIFEST).write_bytes(msgspec.json.format(encoder.encode(manifest), indent=2) + b"\n")
    return folder


def _samples(
    agent: MadeAgent, tasks: Sequence[MadeTask], repeats: int, conditions: Sequence[str]
) -> Iterator[tuple[SampleRecord, Row | None]]:
    number = 0
    for condition in conditions:
        settings = faults_of(condition)
        for task in tasks:
            plan = list(draw_plan(settings, task.id).events) if settings.mode is not FaultMode.E0 else []
            for repeat in range(repeats):
                random = Random(f"{agent.seed}/{agent.name}/{agent.effort}/{task.id}/{repeat}/{condition}")
                yield _sample(agent, task, plan, repeat, condition, random, number)
                number += 1


def _sample(
    agent: MadeAgent,
    task: MadeTask,
    plan: list[FaultEvent],
    repeat: int,
    condition: str,
    random: Random,
    number: int,
) -> tuple[SampleRecord, Row | None]:
    outcome = _outcome(agent, task, condition, random)
    made = max(1, agent.calls + random.randint(-2, 2))
    work = Work()
    if plan or agent.trajectories:
        work = work_on(
            task,
            plan,
            random,
            calls=made,
            notices=min(0.6, _skill(agent, task) * 0.7),
            origin="simulator" if agent.judged else "executable",
            hostile=agent.hostile,
        )
        made = len(work.calls)
    votes = _votes(outcome, random, agent, number) if agent.judged else []
    usage = _usage(agent, made, len(votes), random)
    seconds = round(made * random.lognormvariate(0.7, 0.4), 3)
    record = SampleRecord(
        suite=agent.suite,
        sample=task.id,
        repeat=repeat,
        condition=condition,
        outcome=outcome,
        reason=_reason(agent, outcome, votes, number),
        votes=votes,
        checks=[] if agent.judged else _checks(outcome),
        usage=usage,
        cost=None if agent.cost is None else round(sum(u.cost or 0.0 for u in usage.values()), 9),
        seconds=seconds,
        calls=made,
        turns=made + 1,
        stop_reason=None if outcome is Outcome.INVALID else random.choices(("answered", "turn_limit"), (19, 1))[0],
        fault_plan=plan,
        fault_ledger=work.ledger,
        fault_misses=work.misses,
        clock="2026-03-02T09:00:00",
        tags={
            "category": task.category,
            "domain": task.domain,
            "scenario": task.scenario,
            "difficulty": task.difficulty,
            "workplace": spoilt("records_desk", number) if agent.hostile else "records_desk",
            "language": task.language,
        },
        finished=(START + timedelta(seconds=number)).isoformat(),
    )
    return record, trajectory_line(agent, task, record, work, number) if agent.trajectories else None


def _skill(agent: MadeAgent, task: MadeTask) -> float:
    if not isinstance(agent.skill, Mapping):
        return agent.skill
    # A hostile industry's name begins with the real one.
    return next((rate for name, rate in agent.skill.items() if task.category.startswith(name)), 0.7)


def _outcome(agent: MadeAgent, task: MadeTask, condition: str, random: Random) -> Outcome:
    if random.random() < agent.invalid:
        return Outcome.INVALID
    # Scaled so that the mean over tasks of all hardnesses is the skill itself.
    skill = min(max(_skill(agent, task), 1e-6), 1 - 1e-6)
    reach = _NORMAL.inv_cdf(skill) * (1 + _WEIGHT**2) ** 0.5 - _LOSS[condition[:2]]
    return Outcome.PASS if random.gauss(0, 1) < reach - _WEIGHT * task.hardness else Outcome.FAIL


def _votes(outcome: Outcome, random: Random, agent: MadeAgent, number: int) -> list[Vote]:
    if outcome is Outcome.INVALID:
        return []
    right = outcome is Outcome.PASS
    split = random.random() < 0.15
    opinions = [*random.sample((right, not right, right), 2), right] if split else [right, right]
    if opinions[:2] == [right, right]:
        opinions = opinions[:2]
    return [_vote(opinion, agent, number + place) for place, opinion in enumerate(opinions)]


def _vote(opinion: bool, agent: MadeAgent, number: int) -> Vote:
    feedback = "Every point of the rubric is met." if opinion else "The waiting case was not settled (point 2)."
    if agent.hostile:
        feedback = spoilt(feedback, number)
    raw = msgspec.json.encode({"is_correct": opinion, "feedback": feedback}).decode()
    return Vote(opinion, feedback, raw=(raw,))


def _checks(outcome: Outcome) -> list[CheckResult]:
    if outcome is Outcome.INVALID:
        return []
    good = outcome is Outcome.PASS
    return [
        CheckResult("nothing changed outside /cases", True, "so it is"),
        CheckResult("state /cases/C-00/status is 'settled'", good, "it is 'settled'" * good),
    ]


def _reason(agent: MadeAgent, outcome: Outcome, votes: Sequence[Vote], number: int) -> str:
    if outcome is Outcome.INVALID:
        reason = "endpoint_unavailable: 429 after 8 attempts"
    elif agent.judged:
        yes = sum(vote.is_correct is True for vote in votes)
        reason = f"{yes} for, {len(votes) - yes} against, 0 without a vote; 3 planned"
    else:
        reason = "all 2 checks passed" if outcome is Outcome.PASS else "1 of 2 checks failed"
    return spoilt(reason, number) if agent.hostile else reason


def _usage(agent: MadeAgent, calls: int, votes: int, random: Random) -> dict[str, RoleUsage]:
    effort = _EFFORT.get(agent.effort, 1.0)
    tokens = int(calls * random.lognormvariate(6.2, 0.3))
    shares = {"agent": 0.7}
    if agent.judged:
        shares |= {"judge": 0.1, "simulator": 0.2}
    requests = {"agent": calls + 1, "judge": votes, "simulator": calls}
    # Dearer where more was done; the mean over samples is the cost asked for.
    factor = calls / max(1, agent.calls) * random.lognormvariate(-0.045, 0.3)
    return {
        role: RoleUsage(
            requests[role],
            int(tokens * share * 3),
            int(tokens * share * 0.2 * (effort if role == "agent" else 1.0)),
            int(tokens * share * 1.5),
            None if agent.cost is None else round(agent.cost * share * factor * effort, 9),
        )
        for role, share in shares.items()
    }
