"""Circles and unknown workflows among dependencies."""

from worktrial.suites.orchestration.planning.dependencies import dependency_cycles, unknown_dependencies
from worktrial.suites.orchestration.planning.workflows import Workflow, WorkflowPlan


def _plan(**depends_on: str) -> WorkflowPlan:
    return WorkflowPlan(tuple(Workflow(id_, depends_on=tuple(before)) for id_, before in depends_on.items()))


def test_a_plan_without_circles() -> None:
    plan = _plan(c="ab", a="", b="a")
    assert dependency_cycles(plan) == ()
    assert unknown_dependencies(plan) == ()


def test_circles_in_the_order_of_the_plan() -> None:
    plan = _plan(e="f", s="s", a="c", b="a", c="b", f="e", d="a")
    assert dependency_cycles(plan) == (("e", "f"), ("s",), ("a", "b", "c"))


def test_unknown_workflows() -> None:
    plan = _plan(a="xb", b="y", c="x")
    assert unknown_dependencies(plan) == (("a", "x"), ("b", "y"), ("c", "x"))
    assert dependency_cycles(plan) == ()
