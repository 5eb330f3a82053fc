"""Thirty-two kinds of bad task and bad workplace, each planted into the good shop.

Every third is held back: no gate was tuned on it. Two are meant to be hard: 20, where plan, checks and rubric
agree on a wrong amount, and 12, where the instruction answers itself in other words.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.support.tool_hire.shop import Entry, entry, expectations, shop, tasks_of, with_tools

from worktrial.synthesis.gates import Gated, GateName


@dataclass(frozen=True)
class Plant:
    """A bad task, or a bad workplace, and the gates that may catch it."""

    number: int
    name: str
    gates: frozenset[GateName]
    make: Callable[[], Gated]

    @property
    def held_back(self) -> bool:
        return self.number % 3 == 0


PLANTS: list[Plant] = []


def plant(number: int, *gates: GateName) -> Callable[[Callable[[], Gated]], Callable[[], Gated]]:
    def keep(make: Callable[[], Gated]) -> Callable[[], Gated]:
        PLANTS.append(Plant(number, make.__name__, frozenset(gates), make))
        return make

    return keep


def told(id: str, instruction: str) -> Gated:
    changed = entry(id)
    changed["instruction"] = instruction
    return shop(changed)


@plant(1, GateName.SOLUTION_TOLD)
def amount_told() -> Gated:
    return told("hire-01", entry("hire-01")["instruction"] + " The late fee is 74.25, as I have worked out.")


@plant(2, GateName.STEPS_TOLD)
def steps_told_by_tool_names() -> Gated:
    more = " Use get_request and get_hire, then decide_request and send_note."
    return told("hire-04", entry("hire-04")["instruction"] + more)


@plant(3, GateName.STEPS_TOLD)
def steps_told_in_prose() -> Gated:
    return told(
        "hire-02",
        "Open hire R-202, then look the machine up, check the customer's card and then close the hire. Tell me the "
        "late fee and the deposit that goes back.",
    )


@plant(4, GateName.SOLUTION_TOLD)
def code_told() -> Gated:
    return told("hire-08", entry("hire-08")["instruction"] + " It has to be refused with TWICE.")


@plant(5, GateName.RUBRIC_TOLD)
def rubric_told() -> Gated:
    changed = entry("hire-09")
    changed["instruction"] += " " + changed["rubric"].splitlines()[0][3:]
    return shop(changed)


@plant(6, GateName.SOLUTION_TOLD)
def new_id_told() -> Gated:
    return told("hire-14", entry("hire-14")["instruction"] + " It will be R-216.")


@plant(7, GateName.PLAN)
def plan_against_checks() -> Gated:
    changed = entry("hire-01")
    changed["plan"]["steps"][-1]["with"]["late_fee"] = 49.50
    return shop(changed)


@plant(8, GateName.RUBRIC)
def plan_against_rubric() -> Gated:
    changed = entry("hire-06")
    changed["rubric"] = "1. `decide_request` refused Q-303 with `RESERVED`.\n2. `send_note` told the customer."
    return shop(changed)


@plant(9, GateName.RUBRIC)
def rubric_of_another_amount() -> Gated:
    changed = entry("hire-01")
    changed["rubric"] = changed["rubric"].replace("74.25", "49.50")
    return shop(changed)


@plant(10, GateName.IDLE)
def true_when_nothing_is_done() -> Gated:
    changed = entry("hire-05")
    changed["checks"] = [
        {"check": "state_equals", "at": "/hires/R-205/customer_id", "value": "H-105"},
        {"check": "only_changed", "at": ["/requests/Q-302", "/hires/R-205"]},
    ]
    return shop(changed)


@plant(11, GateName.WORDS)
def true_when_it_is_only_claimed() -> Gated:
    changed = entry("hire-01")
    changed["checks"] = [check for check in changed["checks"] if not check["check"].startswith("state")]
    return shop(changed)


@plant(12, GateName.SOLUTION_TOLD, GateName.IDLE)
def question_that_answers_itself() -> Gated:
    changed = entry("hire-15")
    changed["instruction"] = (
        "Nils Akerman (H-101) asked for M-21. He cannot have it without a certificate, and nothing was handed out. "
        "Please confirm what was done and why."
    )
    return shop(changed)


@plant(13, GateName.MINUS_WRITE)
def write_that_nobody_checks() -> Gated:
    changed = entry("hire-07")
    changed["checks"] = [check for check in changed["checks"] if check.get("at") != "/notes"]
    return shop(changed)


@plant(14, GateName.NEIGHBOUR)
def check_without_the_record() -> Gated:
    changed = entry("hire-08")
    for check in changed["checks"]:
        if check.get("at") == "/notes":
            check["matching"] = {"to": "customer"}
    return shop(changed)


@plant(15, GateName.STRAY_WRITE)
def nothing_watches_the_rest() -> Gated:
    changed = entry("hire-03")
    changed["checks"] = [check for check in changed["checks"] if check["check"] != "only_changed"]
    return shop(changed)


@plant(16, GateName.STRANGE_RECORDS)
def instruction_of_a_record_that_is_not_there() -> Gated:
    return told("hire-10", entry("hire-10")["instruction"].replace("Q-306", "Q-360"))


@plant(17, GateName.PLAN_ERRORS, GateName.PLAN)
def plan_of_a_record_that_is_not_there() -> Gated:
    changed = entry("hire-05")
    changed["plan"]["steps"][1]["with"]["hire_id"] = "R-250"
    return shop(changed)


@plant(18, GateName.STRANGE_RECORDS)
def check_of_a_record_that_is_not_there() -> Gated:
    changed = entry("hire-09")
    for check in changed["checks"]:
        if check["check"] == "never_called":
            check["with"] = {"hire_id": "R-290"}
    return shop(changed)


@plant(19, GateName.EXPECTATIONS)
def rule_against_the_procedure() -> Gated:
    return with_tools(lambda source: source.replace("MOST_OUT = 3", "MOST_OUT = 4"))


@plant(20)
def plan_checks_and_rubric_agree_on_a_wrong_amount() -> Gated:
    changed = entry("hire-01")
    changed["plan"]["steps"][-1]["with"]["late_fee"] = 49.50
    for check in changed["checks"]:
        if check.get("value") == 74.25:
            check["value"] = 49.50
    changed["rubric"] = changed["rubric"].replace("74.25", "49.50").replace("1.5 times ", "")
    return shop(changed)


@plant(21, GateName.EXPECTATIONS)
def exception_forgotten() -> Gated:
    old = 'if machine["needs_certificate"] and not customer["certificate"]:'
    new = 'if machine["kind"] == "chainsaw" and not customer["certificate"]:'
    return with_tools(lambda source: source.replace(old, new))


@plant(22, GateName.READS)
def read_that_writes() -> Gated:
    old = '    return {"request_id": request_id, **msgspec.structs.asdict(_request(state, request_id))}'
    return with_tools(lambda source: source.replace(old, f"    _request(state, request_id).days += 1\n{old}"))


@plant(23, GateName.BAD_CALLS)
def crash_on_an_unknown_id() -> Gated:
    old = '        raise ToolError("unknown_machine", f"There is no machine {machine_id}.")'
    return with_tools(lambda source: source.replace(old, "        pass"))


@plant(24, GateName.DETERMINISM)
def chance_in_an_answer() -> Gated:
    def change(source: str) -> str:
        source = source.replace("import msgspec\n", "import time\n\nimport msgspec\n", 1)
        old = '    return {"hire_id": hire_id, "notes": notes,'
        return source.replace(old, f'{old} "page": time.perf_counter_ns(),')

    return with_tools(change)


@plant(25, GateName.REACH)
def field_that_no_tool_shows() -> Gated:
    def change(source: str) -> str:
        source = source.replace("    certificate: bool\n", "    certificate: bool\n    shelf: str = 'A'\n")
        old = "    card = msgspec.structs.asdict(state.customers[customer_id])\n"
        return source.replace(old, f"{old}    del card['shelf']\n")

    return with_tools(change)


@plant(26, GateName.LEAKS)
def record_that_holds_the_solution() -> Gated:
    def change(source: str) -> str:
        return source.replace(
            "    closed: bool = False", "    closed: bool = False\n    expected_late_fee: float | None = None"
        )

    spoiled = with_tools(change)
    changed = entry("hire-01")
    changed["state"] = [{"op": "add", "path": "/hires/R-201/expected_late_fee", "value": 74.25}]
    return replace(spoiled, tasks=tasks_of(changed, home=spoiled.tasks[0].home))


@plant(27, GateName.MUTATION, GateName.BOTH_WAYS)
def expectations_without_teeth() -> Gated:
    return shop(
        entry("hire-01"), expectations=[one for one in expectations() if one.expect == "ok" and not one.leaves]
    )


@plant(28, GateName.ORDER)
def one_of_two_orders_only() -> Gated:
    changed = entry("hire-20")
    changed["plan"]["steps"].append(
        {"call": "send_note", "with": {"hire_id": "R-205", "to": "customer", "text": "Your request was granted."}}
    )
    changed["instruction"] += " Write to both customers."
    changed["checks"] = [check for check in changed["checks"] if check.get("at") != "/notes"]
    changed["checks"] += [
        {"check": "state_equals", "at": "/notes/1/hire_id", "value": "R-206"},
        {"check": "state_equals", "at": "/notes/2/hire_id", "value": "R-205"},
    ]
    for check in changed["checks"]:
        if check["check"] == "only_changed":
            check["at"].append("/notes/2")
    return shop(changed)


@plant(29, GateName.WORDING)
def one_of_many_wordings_only() -> Gated:
    changed = entry("hire-05")
    changed["checks"][-1] = {"check": "answer_mentions", "any_of": ["2031-06-20"]}
    return shop(changed)


@plant(30, GateName.TRIVIAL)
def nothing_to_look_up() -> Gated:
    changed: Entry = entry("hire-05")
    changed["instruction"] = (
        "Please write a note to the manager about hire R-205, and tell me the number of the note."
    )
    note = {"hire_id": "R-205", "to": "manager", "text": "Please have a look at the hire of the floor sander."}
    changed["plan"] = {
        "steps": [{"call": "send_note", "with": note, "as": "sent"}],
        "answer": "It is {{ sent.note.note_id }}.",
    }
    changed["checks"] = [
        {"check": "state_items", "at": "/notes", "matching": {"hire_id": "R-205", "to": "manager"}, "at_most": 1},
        {"check": "only_changed", "at": ["/notes/1"]},
        {"check": "answer_id", "value": "N-502"},
    ]
    changed["rubric"] = "1. `send_note` wrote to the manager. The answer gives N-502."
    return shop(changed)


@plant(31, GateName.TWINS)
def same_task_with_other_names() -> Gated:
    first, second = entry("hire-08"), entry("hire-08")
    second["id"] = "hire-99"
    second["instruction"] = (
        "Q-304 is about the breaker hammer of Nils Akerman. Please decide it by the rules of the house and see to the rest. What is the last day of his hire?"  # noqa: E501
    )
    second["state"] = [
        {"op": "replace", "path": "/hires/R-207/extended", "value": 1},
        {"op": "replace", "path": "/hires/R-207/due_on", "value": "2031-06-14"},
    ]
    for step in second["plan"]["steps"]:
        for name, value in step["with"].items():
            step["with"][name] = {"Q-305": "Q-304", "R-208": "R-207", "M-20": "M-19"}.get(value, value)
    text = str(second["checks"]).replace("Q-305", "Q-304").replace("R-208", "R-207")
    second["checks"] = eval(text, {"datetime": __import__("datetime")})
    second["checks"][-1]["value"] = "2031-06-14"
    second["rubric"] = "1. R-207 has been extended already: refused with `TWICE`.\n2. The answer gives 14 June."
    return shop(first, second)


@plant(32, GateName.PRIVATE)
def fact_that_nobody_can_know() -> Gated:
    changed = entry("hire-17")
    changed["instruction"] += " And tell me the wear of the machine for a day."
    changed["plan"]["answer"] += " The wear is 2.35 a day."
    changed["checks"].append({"check": "answer_money", "value": 2.35})
    changed["rubric"] += "\n3. It gives 2.35 for the wear."
    return shop(changed)
