"""Rules of a policy: what breaks them, what keeps to them, and files that are none."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.errors import DataError
from worktrial.workplaces.duties.policy import Made, Policy, read_policy

FORBID = {"name": "r", "rule": "forbid", "tool": "pay"}
REQUIRE = {"name": "r", "rule": "require", "tool": "pay", "where": {"reference": "^R-[0-9]+$"}}
CONFIRM = {"name": "r", "rule": "confirm", "tool": "pay", "after": "look", "same": ["order"]}
FOUR_EYES = {
    "name": "r",
    "rule": "four_eyes",
    "tool": "pay",
    "argument": "amount",
    "above": 500,
    "after": "approve",
    "same": {"order": "case", "amount": "amount"},
    "with": {"by": "^boss$"},
    "answered": {"/status": "^granted$"},
}
GRANTED = Made("approve", {"case": "A", "amount": 900, "by": "boss"}, {"status": "granted"})


def policy(*rules: Any, **more: Any) -> Policy:
    return Policy.model_validate({"name": "p", "rules": list(rules), **more})


@pytest.mark.parametrize(
    ("rule", "tool", "arguments", "made", "evidence"),
    [
        (FORBID, "pay", {}, [], "the tool is forbidden"),
        (FORBID, "look", {}, [], None),
        (FORBID, "pay", "not JSON", [], "the tool is forbidden"),
        ({**FORBID, "tool": "*"}, "anything", {}, [], "the tool is forbidden"),
        ({**FORBID, "where": {"note": "(?i)test"}}, "pay", {"note": "A Test."}, [], "note is 'A Test.'"),
        ({**FORBID, "where": {"note": "(?i)test"}}, "pay", {"note": "Real."}, [], None),
        ({**FORBID, "where": {"note": "(?i)test"}}, "pay", {}, [], None),
        ({**FORBID, "where": {"note": "a", "to": "b"}}, "pay", {"note": "a", "to": "c"}, [], None),
        ({**FORBID, "where": {"/lines/0/n": "^9$"}}, "pay", {"lines": [{"n": 9}]}, [], "/lines/0/n is '9'"),
        ({**FORBID, "where": {"/lines/0/n": "^9$"}}, "pay", {"lines": 3}, [], None),
        (REQUIRE, "pay", {"reference": "R-12"}, [], None),
        (REQUIRE, "pay", {"reference": "12"}, [], "reference is '12', which does not match"),
        (REQUIRE, "pay", {}, [], "reference is missing"),
        (REQUIRE, "pay", [1], [], "reference is missing"),
        (CONFIRM, "pay", {"order": "A"}, [Made("look", {"order": "A"}, {})], None),
        (CONFIRM, "pay", {"order": "A"}, [Made("look", {"order": "B"}, {})], "no look for order 'A' before it"),
        (CONFIRM, "pay", {"order": "A"}, [], "no look"),
        (CONFIRM, "pay", {}, [Made("look", {}, {})], "no look for order nothing"),
        (FOUR_EYES, "pay", {"order": "A", "amount": 500}, [], None),
        (FOUR_EYES, "pay", {"order": "A", "amount": 500.01}, [], "amount is 500.01, above 500"),
        (FOUR_EYES, "pay", {"order": "A", "amount": "1,200.50"}, [], "amount is 1200.5"),
        (FOUR_EYES, "pay", {"order": "A", "amount": True}, [], None),
        (FOUR_EYES, "pay", {"order": "A", "amount": 900}, [GRANTED], None),
        (FOUR_EYES, "pay", {"order": "A", "amount": 901}, [GRANTED], "no approve"),
        (FOUR_EYES, "pay", {"order": "B", "amount": 900}, [GRANTED], "no approve"),
        (FOUR_EYES, "pay", {"order": "A", "amount": 900}, [GRANTED._replace(answer={"status": "refused"})], "no"),
        (
            FOUR_EYES,
            "pay",
            {"order": "A", "amount": 900},
            [GRANTED._replace(arguments={"case": "A", "amount": 900, "by": "me"})],
            "no approve",
        ),
    ],
)
def test_what_breaks_a_rule(rule: Any, tool: str, arguments: Any, made: list[Made], evidence: str | None) -> None:
    broken = list(policy(rule).broken_rules(tool, arguments, made))
    if evidence is None:
        assert broken == []
    else:
        ((which, said),) = broken
        assert which.name == "r" and evidence in said


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_no_arguments_bring_a_policy_down(arguments: Any, earlier: Any) -> None:
    rules = [{**rule, "name": f"r{n}"} for n, rule in enumerate((FORBID, REQUIRE, CONFIRM, FOUR_EYES))]
    made = [Made("look", earlier, {}), Made("approve", earlier, {"status": "granted"})]
    broken = {rule.name for rule, _ in policy(*rules).broken_rules("pay", arguments, made)}
    assert {"r0"} <= broken <= {"r0", "r1", "r2", "r3"}


def test_no_pattern_takes_longer_than_the_text_is_long() -> None:
    held = policy({**FORBID, "where": {"note": "^(a+)+$"}})
    # An engine that backtracks would still be at it when the sun goes out.
    assert list(held.broken_rules("pay", {"note": "a" * 50_000 + "b"}, [])) == []


@pytest.mark.parametrize(
    ("text", "place", "fix"),
    [
        ("", "the whole file", "valid dictionary"),
        ("name: p", "the whole file", "neither a rule nor a budget"),
        ("name: p\nrules: [{name: a, rule: forbid, tool: x}, {name: a, rule: forbid, tool: y}]", "rules", "twice"),
        ("name: p\nrules: [{name: a, rule: forbit, tool: x}]", "rules[0]", "'forbid', 'require'"),
        ("name: p\nrules: [{name: a, rule: forbid, tol: x}]", "rules[0].tol", "no such field"),
        ("name: p\nrules: [{name: a, rule: forbid, tool: x, where: {n: '('}}]", "rules[0].where.n", "no regular"),
        (
            "name: p\nrules: [{name: a, rule: forbid, tool: x, where: {n: '(?=a)'}}]",
            "rules[0].where",
            "look-around",
        ),
        ("name: p\nrules: [{name: a, rule: require, tool: x, where: {}}]", "rules[0].where", "at least 1"),
        ("name: p\nrules: [{name: a, rule: confirm, tool: x}]", "rules[0].after", "required"),
        ("name: p\nmode: maybe\nbudget: {calls: 3}", "mode", "'watch' or 'enforce'"),
        ("name: p\nbudget: {calls: 0}", "budget.calls", "greater than or equal to 1"),
        ("name: p\nbudget: {seconds: 3}", "budget.seconds", "no such field"),
        ("name: p\nrules: [", "is not the YAML", ""),
        ("#" * 200_001, "more than 200,000 bytes", "shorten"),
    ],
)
def test_a_file_that_is_no_policy_is_named_with_field_and_fix(
    tmp_path: Path, text: str, place: str, fix: str
) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError) as raised:
        read_policy(path)
    said = str(raised.value)
    assert str(path) in said and place in said and fix in said


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_policy(tmp_path / "policy.yaml")


def test_what_a_policy_says_makes_its_fingerprint_and_how_it_is_written_does_not(tmp_path: Path) -> None:
    def print_of(text: str) -> Any:
        path = tmp_path / "policy.yaml"
        path.write_text(text, "utf-8")
        return read_policy(path).on_record["policy"]["sha256"]

    same = print_of("name: p\nbudget: {calls: 3}")
    assert print_of("# A remark\nbudget: {calls: 3}\nname: 'p'") == same
    assert print_of("name: p\nbudget: {calls: 4}") != same
    assert print_of("name: p\nmode: enforce\nbudget: {calls: 3}") != same


def test_rules_about_tools_that_there_are_not_are_told() -> None:
    held = policy(CONFIRM, {**FORBID, "name": "any", "tool": "*"})
    assert held.strangers({"pay", "look"}) == []
    assert held.strangers({"pay"}) == ["rules[0] (r): there is no tool 'look'"]
