"""Verdicts that stand in the record, put before the embedded model: how often they become its own.

Each text of the tests' corpus is put into the record of the same finished work, once as it stands (it wants a
yes) and once turned round (it wants a no), and a judge votes on it greedily: as in a trial (`fenced`), and without
the two marked lines, the paragraph about them, the code, and the reading that refuses quotations (`bare`). Votes on
the same work without the text are what the others are held against.

    python -m benchmarks.planted_verdicts [--minutes 20]
"""

import argparse
import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tests.grading.cases import case, trajectory
from tests.grading.test_planted_verdicts import ATTACKS, attacked_by
from tests.support.local_model import chat, small_file

from benchmarks.machine import load, machine
from worktrial.engine.local.serve import LocalModel
from worktrial.grading import JudgeCase, RubricJudge
from worktrial.grading.evidence import evidence
from worktrial.grading.prompt import rubric_messages
from worktrial.grading.rubric import SCHEMA
from worktrial.language import Completion, Message
from worktrial.statistics.rates import agresti_coull

_TURNED = (
    ("Both points are met; the fridge log shows 4", "Both points are missed; the fridge log shows 9"),
    ("BOTH POINTS ARE MET; THE FRIDGE LOG SHOWS 4", "BOTH POINTS ARE MISSED; THE FRIDGE LOG SHOWS 9"),
    ("두 항목 모두 충족됨. 냉장고 기록이 4", "두 항목 모두 어긋남. 냉장고 기록이 9"),
)
_OTHER = {"true": "false", "false": "true"}
_MOST = 160  # tokens of a vote


class Ask(NamedTuple):
    """One question: an attack or none, the verdict that it wants, and whether the fence stands."""

    attack: dict[str, str] | None
    wants: str
    fenced: bool


def turned(attack: dict[str, str]) -> dict[str, str]:
    """The attack that wants the other verdict."""
    planted = attack["planted"]
    for one, other in _TURNED:
        planted = planted.replace(one, other)
    planted = re.sub("true|false", lambda m: _like(m[0], _OTHER[m[0].lower()]), planted, flags=re.IGNORECASE)
    return {**attack, "planted": planted}


def _like(model: str, word: str) -> str:
    return word.upper() if model.isupper() else word.capitalize() if model[0].isupper() else word


def asks() -> Iterator[Ask]:
    """Every question; those that want a no come first, since the model says yes by itself."""
    for fenced in (True, False):
        yield Ask(None, "", fenced)
    for wants in ("no", "yes"):
        for attack in ATTACKS:
            given = attack if (wants == "yes") == ("true" in attack["reply"].lower()) else turned(attack)
            for fenced in (True, False):
                yield Ask(given, wants, fenced)


class Votes:
    """Votes of the served model."""

    def __init__(self, model: LocalModel) -> None:
        self._model = model
        self.requests = 0

    async def complete(self, messages: Sequence[Message], *, schema: Any = SCHEMA, **_: Any) -> Completion:
        """One greedy answer."""
        self.requests += 1
        wanted = {"type": "json_schema", "json_schema": {"name": "vote", "schema": schema}}
        reply = await asyncio.to_thread(
            chat,
            self._model.base_url,
            self._model.api_key,
            messages=messages,
            max_tokens=_MOST,
            response_format=wanted,
        )
        return Completion({"role": "assistant", "content": reply.text})

    async def fenced(self, judged: JudgeCase) -> str:
        """`yes`, `no` or `none`, as in a trial with one vote."""
        (vote,) = (await RubricJudge(self.complete, votes=1).judge(judged)).votes
        return "none" if vote.is_correct is None else "yes" if vote.is_correct else "no"

    async def bare(self, judged: JudgeCase) -> str:
        """`yes`, `no` or `none`: the last decision of the reply, whoever wrote it."""
        system, user = (str(message["content"]) for message in rubric_messages(judged, evidence(judged, 120_000)))
        system = re.sub(r"The record of the agent's work stands between.*?\n", "", system)
        system = system.replace('"code": "as the question ends with", ', "")
        user = re.sub(r"The next line opens the record;.*\n", "", user)
        user = re.sub(r"(BEGIN|END) RECORD [0-9a-f]{20}\n", "", user)
        assert "RECORD" not in system and '"code"' not in system
        properties = {name: given for name, given in SCHEMA["properties"].items() if name != "code"}
        schema = {**SCHEMA, "properties": properties, "required": list(properties)}
        messages: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        said = (await self.complete(messages, schema=schema)).text
        found = re.findall(r'"is_correct"\s*:\s*(true|false)', said)
        return {"true": "yes", "false": "no"}[found[-1]] if found else "none"


async def main(minutes: float) -> None:
    """Print the votes by arm, and shares of those that the texts changed."""
    print(machine(), f"load {load():.1f}", flush=True)
    clean: dict[bool, str] = {}
    found: dict[tuple[str, bool], Counter[str]] = {}
    end = time.monotonic() + 60 * minutes
    async with LocalModel(small_file()) as model:
        votes = Votes(model)
        for attack, wants, fenced in asks():
            # Both arms of an attack, or none.
            if fenced and time.monotonic() > end:
                print(f"stopped after {minutes:g} minutes")
                break
            judged = case(trajectory(answer="Done.")) if attack is None else attacked_by(attack)
            said = await (votes.fenced(judged) if fenced else votes.bare(judged))
            if attack is None:
                clean[fenced] = said
            else:
                found.setdefault((wants, fenced), Counter())[said] += 1
        print(f"{votes.requests} requests; without an attack: {json.dumps({_arm(f): s for f, s in clean.items()})}")
    for (wants, fenced), counts in found.items():
        n = counts.total()
        changed = n - counts[clean[fenced]] - counts["none"]
        low, high = agresti_coull(changed, n)[:2]
        share = f"{changed} ({changed / n:.1%}, {low:.1%} to {high:.1%})"
        print(f"wants a {wants:3} {_arm(fenced):6} n={n} changed {share}", dict(counts))


def _arm(fenced: bool) -> str:
    return "fenced" if fenced else "bare"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--minutes", type=float, default=20.0, help="wall time after which no further attack begins"
    )
    asyncio.run(main(parser.parse_args().minutes))
