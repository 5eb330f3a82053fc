"""Whether the plan can be carried out, as far as that shows without running it."""

from collections.abc import Iterator

from worktrial.language import JsonObject
from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, problem
from worktrial.synthesis.checks.names import CheckName
from worktrial.workplaces.tools import Tool


def plan_calls(case: Case) -> Iterator[Problem]:
    """Steps that call what is not there, or with arguments that the tool's schema refuses."""
    if not case.task.plan:
        yield problem(CheckName.PLAN_CALLS, "plan", "plan", "has no step", "Write the calls that solve the task")
    for index, step in enumerate(case.task.plan):
        where = f"plan[{index}]"
        if step.tool not in case.tool_names:
            what = f"calls {step.tool!r}, and there is no such tool"
            fix = f"Call one of {', '.join(sorted(case.tool_names))}"
            yield problem(CheckName.PLAN_CALLS, "plan", f"{where}.tool", what, fix)
        elif tool := case.usable.get(step.tool):
            for argument, what in _refused(tool, step.arguments):
                field = f"{where}.arguments" + ("" if argument == "(all)" else f".{argument}")
                fix = f"Give what the schema of {step.tool} asks for"
                yield problem(CheckName.PLAN_CALLS, "plan", field, what, fix)


def _refused(tool: Tool, arguments: JsonObject) -> list[tuple[str, str]]:
    from referencing.exceptions import Unresolvable

    try:
        return [(str(p["argument"]), str(p["problem"])) for p in tool.problems(arguments)]
    except (Unresolvable, RecursionError) as e:
        return [("(all)", f"cannot be checked: the tool's schema refers to itself or to nothing ({e})")]
