"""What was paid for, as machines: budgets over sessions, batches in flight, killed and reopened in any order."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from worktrial.engine.batch.ledger import BatchLedger, BatchLine, batches_in_flight
from worktrial.engine.spend import Budget, BudgetSpent
from worktrial.language import Usage
from worktrial.secrets import Redactor
from worktrial.synthesis.resources import BookedSpend, Halted

_STEPS = settings(max_examples=20, stateful_step_count=15, deadline=None)


def tear(path: Path, data: st.DataObject) -> None:
    """Leave some of the last line, as a kill while writing does."""
    whole = path.read_bytes()
    last = len(whole[: whole[:-1].rfind(b"\n") + 1])
    path.write_bytes(whole[: data.draw(st.integers(last, len(whole) - 1))])


class Budgets(RuleBasedStateMachine):
    """Spend of several sessions beside the list of answers that were paid for."""

    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp())
        self.paid: list[tuple[int, float | None]] = []
        self.reopen(None, None)

    @rule(tokens=st.none() | st.integers(1, 300), cents=st.none() | st.integers(0, 30))
    def reopen(self, tokens: int | None, cents: int | None) -> None:
        self.budget = Budget(None if cents is None else cents / 100, tokens)
        self.spend = BookedSpend(self.place / "spend.jsonl", self.budget)
        self.halted = False

    @rule(tokens=st.integers(1, 100), cents=st.none() | st.integers(0, 9))
    def pay(self, tokens: int, cents: int | None) -> None:
        cost = None if cents is None else cents / 100
        # What is in flight comes to its end, whatever the budget says.
        self.spend.add(Usage(input_tokens=tokens - tokens // 2, output_tokens=tokens // 2), cost)
        self.paid.append((tokens, cost))

    @rule()
    def halt(self) -> None:
        self.spend.halt()
        self.halted = True

    @precondition(lambda self: self.paid)
    @rule(data=st.data())
    def be_killed_while_booking(self, data: st.DataObject) -> None:
        tear(self.place / "spend.jsonl", data)
        self.paid.pop()
        self.reopen(self.budget.tokens, None if self.budget.cost is None else round(100 * self.budget.cost))

    @invariant()
    def what_was_paid_is_booked_once_and_stops_at_the_budget(self) -> None:
        if not hasattr(self, "spend"):
            return
        tokens, cost = sum(t for t, _ in self.paid), sum(c or 0.0 for _, c in self.paid)
        assert self.spend.tokens == tokens
        assert self.spend.cost == pytest.approx(cost)
        most = self.budget
        is_spent = (most.tokens is not None and tokens >= most.tokens) or (
            most.cost is not None and self.spend.cost >= most.cost
        )
        if self.halted or is_spent:
            with pytest.raises(Halted if self.halted else BudgetSpent):
                self.spend.check()
        else:
            self.spend.check()

    def teardown(self) -> None:
        if hasattr(self, "place"):
            shutil.rmtree(self.place)


class Batches(RuleBasedStateMachine):
    """Batches of a run beside what a provider holds."""

    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp())
        self.flying: dict[int, BatchLine] = {}
        self.numbers: list[int] = []
        self.reopen()

    @rule()
    def reopen(self) -> None:
        self.ledger = BatchLedger(self.place, Redactor())

    @rule(requests=st.lists(st.sampled_from("abcdef"), unique=True, max_size=3))
    def submit(self, requests: list[str]) -> None:
        number = self.ledger.next_number()
        assert number not in self.numbers
        self.numbers.append(number)
        line = BatchLine(number=number, role="agent", address="a", batch=f"b{number}", requests=requests)
        self.ledger.begin(line)
        self.flying[number] = line

    @precondition(lambda self: self.flying)
    @rule(data=st.data())
    def come_back(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.flying)))
        self.ledger.end(self.flying.pop(number), "done")

    @precondition(lambda self: self.numbers)
    @rule(data=st.data(), is_end=st.booleans())
    def be_killed_while_noting(self, data: st.DataObject, is_end: bool) -> None:
        """A last line that is torn: a batch that nobody knows of, or one that is fetched again."""
        path = self.place / "batches.jsonl"
        if is_end and self.flying:
            self.ledger.end(self.flying[data.draw(st.sampled_from(sorted(self.flying)))], "done")
        else:
            lost = self.ledger.next_number()
            self.ledger.begin(BatchLine(number=lost, role="agent", address="a", batch="lost"))
        tear(path, data)
        self.reopen()

    @invariant()
    def nothing_in_flight_is_forgotten_or_paid_for_twice(self) -> None:
        if not hasattr(self, "ledger"):
            return
        assert self.ledger.open == self.flying
        assert {line.number: line for line in batches_in_flight(self.place)} == self.flying

    def teardown(self) -> None:
        if hasattr(self, "place"):
            shutil.rmtree(self.place)


Budgets.TestCase.settings = Batches.TestCase.settings = _STEPS
TestBudgets = Budgets.TestCase
TestBatches = Batches.TestCase
