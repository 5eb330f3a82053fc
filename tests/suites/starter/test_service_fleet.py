"""The operations desk's numbers, worked out a second time, and mistakes that must not pass."""

from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

import pytest
from tests.support.starter_work import Mistake, add, change, leave_out, passes, work

from worktrial.suites.starter import load_tasks

TASKS = {task.id: task for task in load_tasks() if task.workplace == "service_fleet"}


class Budget(NamedTuple):
    """A service's error budget in requests; `percent` is what remains."""

    allowed: int
    failed: int
    left: int
    percent: Decimal


def budget(state: dict[str, Any], service: str, first_days: int | None = None) -> Budget:
    """The budget, or what somebody works out who saw only the first days of the traffic."""
    today = date.fromisoformat(state["clock"][:10])
    window = {(today - timedelta(days=n)).isoformat() for n in range(1, 8)}
    days = [day for day in state["traffic"][service][:first_days] if day["day"] in window]
    assert first_days or len(days) == 7
    share = 100 - Decimal(str(state["services"][service]["slo_percent"]))
    allowed = int(share * sum(day["requests"] for day in days) / 100)
    failed = sum(day["failed"] for day in days)
    left = allowed - failed
    percent = (Decimal(100 * left) / allowed).quantize(Decimal("0.1"), ROUND_HALF_UP) if allowed else Decimal(0)
    return Budget(allowed, failed, left, percent)


def planned(task_id: str, tool: str) -> list[dict[str, Any]]:
    return [step.arguments for step in TASKS[task_id].plan.steps if step.call == tool]


def stated(task_id: str) -> list[Decimal]:
    return [
        Decimal(str(check.value))
        for check in TASKS[task_id].checks
        if check.check in ("answer_number", "answer_money")
    ]


def test_the_decision() -> None:
    state = TASKS["fleet-01"].initial_state
    wanted = state["changes"]["CHG-510"]
    found = budget(state, wanted["service"])
    assert stated("fleet-01") == list(found)
    frozen = any(
        wanted["service"] in f["services"] and f["start"] <= wanted["planned_start"] < f["end"]
        for f in state["freezes"]
    )
    assert not frozen
    assert wanted["kind"] == "feature"
    assert found.percent < 25
    assert planned("fleet-01", "decide_change")[0]["decision"] == "rejected"
    assert budget(state, wanted["service"], 2).percent > 25, "who saw two days would approve it"


def test_locks() -> None:
    state = TASKS["fleet-03"].initial_state
    first_tier = [name for name, service in state["services"].items() if service["tier"] == 1]
    found = {name: budget(state, name) for name in first_tier}
    assert stated("fleet-03") == [found[name].left for name in first_tier]
    wanted = {}
    for name in first_tier:
        locked = state["services"][name]["deploy_lock"]
        should = True if found[name].percent < 10 else False if found[name].percent >= 25 else locked
        if should is not locked:
            wanted[name] = should
    assert {given["service"]: given["locked"] for given in planned("fleet-03", "set_deploy_lock")} == wanted
    for name in first_tier:
        for days in (1, 2, 3, 7):
            assert budget(state, name, days).left != found[name].left


def test_the_version_to_return_to_and_the_people() -> None:
    state = TASKS["fleet-02"].initial_state
    alert = state["alerts"]["AL-77"]
    limit = (datetime.fromisoformat(alert["errors_began"]) - timedelta(minutes=30)).isoformat(timespec="minutes")
    history = state["deployments"][alert["service"]]
    assert history == sorted(history, key=lambda d: d["deployed_at"], reverse=True)
    good = [d for d in history if d["deployed_at"] < limit and not d["withdrawn"]]
    undone = history[: history.index(good[0])]
    assert all(d["migration"] != "irreversible" for d in undone)
    values = {check.at: check.value for check in TASKS["fleet-02"].checks if check.check == "state_equals"}
    assert values == {"/services/payments/live_version": good[0]["version"]}
    assert {d["version"] for d in undone} == {"5.12.0", "5.11.3", "5.11.2"}
    on_call = {
        shift["person"]
        for shift in state["shifts"]
        if shift["team"] in (state["services"][alert["service"]]["team"], "incident_management")
        and shift["role"] == "primary"
        and shift["start"] <= state["clock"] < shift["end"]
    }
    paged = {
        check.matching["person"]
        for check in TASKS["fleet-02"].checks
        if check.check == "state_items" and "person" in check.matching
    }
    assert on_call == paged
    (update,) = planned("fleet-02", "post_update")
    due = datetime.fromisoformat(state["clock"]) + timedelta(minutes=30)
    assert update["next_update_at"] == due.isoformat(timespec="minutes")


def test_the_old_approval_has_lapsed() -> None:
    state = TASKS["fleet-04"].initial_state
    newest = state["deployments"]["login"][0]
    assert (newest["version"], newest["migration"]) == (state["services"]["login"]["live_version"], "irreversible")
    for approval in state["approvals"]:
        age = datetime.fromisoformat(state["clock"]) - datetime.fromisoformat(approval["granted_at"])
        assert age > timedelta(hours=24)


MISTAKES: dict[str, dict[str, Mistake]] = {
    "fleet-00": {
        "the next update in an hour": change("post_update", next_update_at="2025-10-21T15:20"),
        "posted twice": add(
            "post_update", incident_id="INC-900", message="Rebuilt.", next_update_at="2025-10-21T18:00"
        ),
        "somebody paged": add("page_person", incident_id="INC-900", person="Sofia Nunes"),
    },
    "fleet-01": {
        "approved": change("decide_change", decision="approved"),
        "the other change": change("decide_change", change_id="CHG-511"),
        "the service locked": add("set_deploy_lock", service="search", locked=True),
    },
    "fleet-02": {
        "one version back": change("roll_back", to_version="5.11.3"),
        "a withdrawn version": change("roll_back", to_version="5.11.2"),
        "too far back": change("roll_back", to_version="5.11.0"),
        "who went home at 14:00": change("page_person", 0, person="Kofi Asante"),
        "the next manager": change("page_person", 1, person="Ravi Menon"),
        "the secondary too": add("page_person", incident_id="INC-901", person="Lars Holm"),
        "the severity of tier 2": change("open_incident", severity="SEV2"),
        "an update in an hour": change("post_update", next_update_at="2025-10-21T15:20"),
    },
    "fleet-03": {
        "the lock forgotten": leave_out("set_deploy_lock", 0),
        "the unlock forgotten": leave_out("set_deploy_lock", 1),
        "today's failures counted": add("set_deploy_lock", service="payments", locked=True),
        "tier 2 as well": add("set_deploy_lock", service="search", locked=True),
    },
    "fleet-04": {
        "rolled back all the same": add("roll_back", service="login", to_version="3.7.9"),
        "the team lead asked": change("request_approval", approver="team_lead"),
        "the wrong version": change("request_approval", version="3.7.8"),
        "nobody asked": leave_out("request_approval"),
        "somebody paged": add("page_person", incident_id="INC-900", person="Priya Raman"),
    },
}


@pytest.mark.parametrize(("task_id", "mistake"), [(t, m) for t, made in MISTAKES.items() for m in made])
def test_plausible_mistakes_fail(task_id: str, mistake: str) -> None:
    task = TASKS[task_id]
    right = work(task, task.plan)[1].answer
    wrong = MISTAKES[task_id][mistake](task.plan.model_copy(update={"answer": "-"}))
    assert not passes(task, wrong, right)


def test_every_task_has_mistakes() -> None:
    assert MISTAKES.keys() == TASKS.keys()
