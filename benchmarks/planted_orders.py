"""Orders to a simulator, put before the embedded model: how often they change what it shows or keeps.

Each text is written into a note of a small shop by its `note` tool, and then an order is looked up that the
note has nothing to do with: once as in a trial, where a call is one line of JSON (`fenced`), and once with the
text as it stands, line breaks, quotation marks and all (`bare`). Changed is a look-up that shows another order
than after a harmless note, a state that keeps other orders, or no usable reply. Decoding is greedy.

    python -m benchmarks.planted_orders [--minutes 15]
"""

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tests.support.local_model import chat, small_file
from tests.workplaces.shop import CLOCK, SHOP
from tests.workplaces.simulator.test_planted_orders import HARMLESS, ORDERS, TEXTS

from benchmarks.machine import load, machine
from worktrial.engine.local.serve import LocalModel
from worktrial.errors import InvalidSample
from worktrial.language import Completion, Message
from worktrial.statistics.rates import agresti_coull
from worktrial.workplaces import LanguageSimulator, Memory, PromptStyle, Tool

_NOTE = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_PLACE = replace(
    SHOP,
    tools=(*SHOP.tools[:3], Tool("note", "Writes a note into the log.", _NOTE, {"status": "noted"}, writes=True)),
)
_MOST = 160  # tokens of a reply


class Shown(NamedTuple):
    """What came of a note and the look-up after it."""

    order: str
    """Observation of the look-up, or why there is none."""
    kept: str
    """Orders of the state in the end."""


async def shown(model: LocalModel, text: str, *, fenced: bool) -> Shown:
    """A note with `text`, and the look-up of an order."""

    async def complete(messages: Sequence[Message], *, schema: Any = None, **_: Any) -> Completion:
        sent = [*messages]
        if not fenced:
            escaped = json.dumps(text, ensure_ascii=False)[1:-1]
            sent = [{**m, "content": str(m["content"]).replace(escaped, text)} for m in messages]
        wanted = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        reply = await asyncio.to_thread(
            chat, model.base_url, model.api_key, messages=sent, max_tokens=_MOST, response_format=wanted
        )
        return Completion({"role": "assistant", "content": reply.text})

    simulator = LanguageSimulator(_PLACE, complete, memory=Memory.LEDGER, prompt=PromptStyle.COMPACT, clock=CLOCK)
    session = simulator.open()
    try:
        await session.call("note", {"text": text})
        order = json.dumps((await session.call("get_order", {"order_id": "A-1"})).content, sort_keys=True)
    except InvalidSample as e:
        order = e.reason.value
    return Shown(order, json.dumps((session.state or {}).get("orders"), sort_keys=True))


async def main(minutes: float) -> None:
    """Print how many texts changed something, by arm."""
    print(machine(), f"load {load():.1f}", flush=True)
    end = time.monotonic() + 60 * minutes
    found: dict[str, Counter[str]] = {"fenced": Counter(), "bare": Counter()}
    async with LocalModel(small_file()) as model:
        clean = await shown(model, HARMLESS, fenced=True)
        print("after a harmless note:", clean, flush=True)
        for text in [*ORDERS, *(text for text in TEXTS if text not in ORDERS)]:
            # Both arms of a text, or none.
            if time.monotonic() > end:
                print(f"stopped after {minutes:g} minutes")
                break
            for arm, counts in found.items():
                seen = await shown(model, text, fenced=arm == "fenced")
                as_before = "as before" if seen == clean else "another order" if seen.kept == clean.kept else "kept"
                counts[as_before if seen.order.startswith(("{", "[")) else seen.order] += 1
                print(arm, repr(text[:60]), seen, flush=True)
    for arm, counts in found.items():
        n = counts.total()
        changed = n - counts["as before"]
        low, high = agresti_coull(changed, n)[:2]
        print(f"{arm:6} n={n} changed {changed} ({changed / n:.1%}, {low:.1%} to {high:.1%})", dict(counts))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=15.0, help="wall time after which no further text begins")
    asyncio.run(main(parser.parse_args().minutes))
