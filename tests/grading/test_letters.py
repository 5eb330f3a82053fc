"""Sums in letters: the right one, however it is spelled, no wrong one beside it, and which of them is paid."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.grading.test_answer_checks import CHECKS, judged

from worktrial.grading.answer_checks import plain
from worktrial.grading.state_checks import run_checks
from worktrial.grading.written.sums import misstated
from worktrial.workplaces import Trajectory


def fault(said: str, *due: float, beside: Sequence[float] = (400.0, 12.22), **more: Any) -> str:
    """Fault of a text in its sums; "" for none. A check of the state says no more than that it does not match."""
    found = misstated(plain(said), due, beside, **more)
    letter = {"check": "state_items", "at": "/sent", "stating": {"text": due}, "beside": beside, **more}
    (result,) = run_checks(
        [CHECKS.validate_python(letter)],
        initial_state={},
        final_state={"sent": [{"text": said}]},
        trajectory=Trajectory(),
    )
    assert result.passed is not bool(found)
    return found


@pytest.mark.parametrize(
    "said",
    [
        "Paid: 130.61 crowns, code DAMAGE; letter sent.",
        "C-5927 is paid €130.61, not 400.00, as the invoice of 12 May says; object within 21 days.",
        "130,61 crowns of 400 crowns declared; the postage of 12.22 stays with us.",
        "청구 C-5927: 130.61 크라운을 지급했습니다.",
        "Two parcels, 7 days, scan S-7383: 130.61.",
    ],
)
def test_the_right_sum_in_any_spelling(said: str) -> None:
    assert fault(said, 130.61) == ""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Invoice 130.61, damage. We pay 61.30.", "it also states 61.30"),
        ("We pay 61.30 crowns.", "it does not state 130.61"),
        ("130.61 are not due, not 130.61: 400.00 is.", None),
        ("We pay 130.61 crowns and 20 crowns more.", "it also states 20"),
        ("We pay nothing.", "it does not state 130.61"),
    ],
)
def test_a_wrong_sum_alone_or_beside_the_right_one(said: str, why: str | None) -> None:
    found = fault(said, 130.61)
    assert found.startswith(why) if why else not found, found


@pytest.mark.parametrize("said", ["600", "600 crowns", "600.00", "six hundred crowns"])
def test_whole_sums(said: str) -> None:
    assert not fault(f"We pay {said}.", 600.0)
    assert fault(f"Found. We pay {said} and 5.50.")


def test_nothing_is_said_in_many_ways() -> None:
    for said in ("Refused; nothing is paid.", "Refused, 0.00 crowns.", "Closed within 21 days: 0."):
        assert not fault(said, 0)
    assert fault("Found, and 155.00 crowns are paid.", 0)


def test_sums_of_a_letter() -> None:
    check = {
        "check": "state_items",
        "at": "/messages",
        "matching": {"claim": "C-1"},
        "stating": {"text": [2500]},
        "beside": [3100],
    }

    def passes(text: str) -> bool:
        state = {"messages": {"M-1": {"claim": "C-1", "text": text}}}
        (result,) = run_checks(
            [CHECKS.validate_python(check)], initial_state={}, final_state=state, trajectory=Trajectory()
        )
        return result.passed

    assert all(map(passes, ("We pay 2,500 crowns.", "2500 of 3,100.00", "We pay 2500.00 (21 days)")))
    assert not any(map(passes, ("We pay 2,500 crowns, or 2,600.00.", "We pay 3100.00", "")))


WORDS = ["pay", "paid", "payment", "transfer", "지급"]
NAMED = [8.4, 10.0, 16.5, 120.0, 169.65, 183.57, 231.6, 250.08, 290.42, 600.0, 800.0]


def of_paying(said: str, due: float | None, **more: Any) -> str:
    return fault(said, *([due] if due else []), beside=NAMED, paying=WORDS, **more)


@pytest.mark.parametrize(
    ("due", "said"),
    [
        (169.65, "Paid 169.65 crowns: below the limit of 800.00, and the deductible of 10.00 does not apply."),
        (169.65, "Payments above 800.00 need approval, this one does not. Code DAMAGE, 169.65 crowns."),
        (169.65, "We pay the lowest of the value of 169.65, the 183.57 declared and the cover of 600.00."),
        (169.65, "169.65 crowns were transferred; the postage of 16.50 is not paid back."),
        (169.65, "I found no trace and paid 169.65 crowns. The rest of the claim (183.57) is refused."),
        (298.82, "290.42 + 8.40 postage = 298.82 crowns, paid."),
        (298.82, "We pay 290.42 plus the postage of 8.40, so 298.82."),
        (169.65, "169.65크라운을 지급했습니다. 한도 800.00 미만입니다."),
        (298.82, "298.82 crowns paid (290.42 value + 8.40 postage; payment Z-62)."),
        (298.82, "We pay 298.82. The lowest is 290.42; the postage of 8.40 is paid on top."),
        (298.82, "We pay 298.82: 290.42, the lowest of 290.42 and the cover of 600.00, plus the postage of 8.40."),
        (None, "Late delivery alone is not a claim that this desk can pay. The amount paid is 0.00 crowns."),
        (None, "Nothing is paid of the 250.08 that were claimed."),
        (None, "The earlier claim was already paid 183.57, so no payment."),
        (None, "It was found after 183.57 had been paid; 183.57 was paid on 14 May."),
        (None, "A payment of 250.08 crowns needs approval, so it waits."),
        (110.0, "We pay 110.00 crowns: 120.00 minus 10.00 deductible."),
        (110.0, "You will receive 110.00 crowns, the cover of 120.00 less 10.00."),
        (110.0, "110.00 crowns are paid. The lowest, 120.00, is paid, less the deductible of 10.00."),
        (298.82, "For it we pay (code LOSS) 298.82 crowns. The postage of 8.40 is paid back on top."),
        (600.0, "Your claim is paid with 600.00 crowns. The postage is not paid back."),
        (169.65, "A part is paid, 169.65 crowns in all. Jewellery is never paid."),
        (169.65, "We pay you the proven value of the clock, 169.65 crowns. Postage is not paid back."),
        (169.65, "Amount: 169.65 crowns. Postage is not paid back."),
        (None, "We pay for parcels that were lost, damaged or opened; lateness alone is not a claim."),
        (None, "For missing content we pay the proven value, but passports are never paid."),
        (None, "We received your invoice of 231.60. The claim is refused."),
        (None, "You will receive no payment on your claim of 231.60, and get a letter about it."),
        (None, "Your request for a refund of 231.60 is refused; you asked to be refunded 231.60."),
        (None, "231.60 크라운의 배상은 하지 않습니다."),
        (None, "We cannot say whether anything will be paid. If it is not found, we will pay you."),
    ],
)
def test_sums_named_beside_the_one_that_is_paid(due: float | None, said: str) -> None:
    assert of_paying(said, due) == ""


def test_a_sum_that_waits_is_told_and_not_paid() -> None:
    for said in ("1324.07 crowns wait for approval; nothing is paid.", "1324.07 will be paid once it is approved."):
        assert of_paying(said, 1324.07, pending=True) == ""
    for said in ("1324.07 crowns are paid.", "Nothing is paid.", "1324.07 wait for approval. We paid 169.65."):
        assert of_paying(said, 1324.07, pending=True)


@pytest.mark.parametrize(
    ("due", "said", "why"),
    [
        (169.65, "We pay you 183.57 crowns; the value was 169.65.", "it says that 183.57 is paid"),
        (
            298.82,
            "We pay 8.40. The lowest is 290.42; the postage of 298.82 is paid on top.",
            "it says that 8.40 is paid",
        ),
        (169.65, "Paid 183.57 crowns (receipt 169.65).", "it says that 183.57 is paid"),
        (169.65, "183.57 (receipt 169.65)", "it does not say that 169.65 is paid"),
        (169.65, "183.57크라운을 지급했습니다. 영수증 169.65.", "it says that 183.57 is paid"),
        (169.65, "We pay 169.65 and 183.57.", "it says that 183.57 is paid"),
        (169.65, "Paid 169.65. Total paid: 1,056.36.", "it also states 1,056.36"),
        (169.65, "DAMAGE, 169.65 crowns, still unpaid.", "it does not say that 169.65 is paid, but"),
        (169.65, "169.65 crowns are not paid.", "it does not say that 169.65 is paid, but"),
        (169.65, "We refuse your claim of 169.65 crowns.", "it does not say that 169.65 is paid, but"),
        (None, "LATE; 250.08 crowns were paid.", "it says that 250.08 is paid"),
        (None, "We are sorry. We will pay you soon.", "it promises to pay"),
        (None, "Your claim is refused. You will receive 231.60.", "it says that 231.60 is paid"),
        (None, "Your claim is refused. We refund 231.60 crowns.", "it says that 231.60 is paid"),
        (None, "It is refused; 231.60 crowns will be refunded to you.", "it says that 231.60 is paid"),
        (None, "231.60 크라운을 환불해 드립니다.", "it says that 231.60 is paid"),
        (110.0, "You will receive 120.00 crowns. The lowest is 110.00.", "it says that 120.00 is paid"),
    ],
)
def test_a_sum_that_is_said_to_be_paid_and_is_not_due(due: float | None, said: str, why: str) -> None:
    assert of_paying(said, due).startswith(why)


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ("We cannot say yet whether anything will be paid.", True),
        ("It does not count as one that will be paid.", True),
        ("It was not found, but it will be paid.", False),
        ("Not only this will be paid.", False),
    ],
)
def test_what_may_not_be_said_may_be_denied(said: str, *, passes: bool) -> None:
    assert judged({"check": "answer_lacks", "any_of": ["will be paid"]}, said).passed is passes
    banned = {"check": "state_items", "at": "/sent", "mentioning": {"text": ["will be paid"]}, "at_most": 0}
    (result,) = run_checks(
        [CHECKS.validate_python(banned)],
        initial_state={},
        final_state={"sent": [{"text": said}]},
        trajectory=Trajectory(),
    )
    assert result.passed is passes
