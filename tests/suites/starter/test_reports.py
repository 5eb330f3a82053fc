"""Reports as models write them, with tables, reckonings and asides: right ones pass, wrong ones do not."""

import pytest
from tests.suites.starter.test_spellings import TASKS, Done

RIGHT = {
    "lab-01": [
        "**Dilution D-1**\n\n| | Volume |\n|---|---|\n| Stock S-203 | 16.3 µL |\n| Diluent | 233.7 µL |\n\n"
        "Remaining: 118.0 − 16.3 = **101.7 µL**",
        "Stock/diluent/left: 16.30/233.70/101.70 µl.",
        "I took 16,3 µl of stock and 233,7 µl of diluent, which leaves 101,7 µl.",
    ],
    "lab-02": [
        "사용 시료: 9개 / 총 웰: 45개 / 시약 5,550µl\n- RL-43: 2,760µl\n- RL-44: 2,790µl",
        "시료 아홉 개, 마흔다섯 웰, 시약은 5.55 ml(5550 µl)입니다. 로트 RL-43에서 2760, RL-44에서 2790.",
    ],
    "lab-03": [
        "- Wells: 24\n- Reagent: 2,290 µl (RL-51 1,150 + RL-52 1,140)\n- Reader: FR-2, 12:30 PM – 2:03 PM\n"
        "- Dilution: 5 µl + 95 µl, then 11.7 µl + 288.3 µl",
        "24 wells; 2290 µl. Reader FR-2 is booked on 12 November 2025 from 12:30 to 14:03. Steps: 11.70 / 288.30.",
    ],
    "terminal-01": [
        "The customer pays **€412.25** for eight chargeable days (9 days less the day of arrival).",
        "Chargeable days: 8\nTotal: 412,25 EUR",
    ],
    "terminal-02": [
        "배차 완료: 기사 Jonas Akl(D-23), 슬롯 S-1403. 10:05 출발 → 13:30 하차 → 18:40 복귀.",
        "D-23 기사가 S-1403 슬롯(오후 1시 30분)으로 갑니다. 오전 10시 5분에 출발해 오후 6시 40분경 복귀합니다.",
    ],
    "registry-01": [
        "Section B (CSC-210-B), GPA 3.03/4.00, 18 credits (15 + 3).",
        "She is in CSC 210 B. GPA: 3.03. That makes eighteen credits.",
    ],
    "registry-03": [
        "GPA 3.62; she is now in BIO-170-B. Charged $1,698.00, credited 1,051.88: $1,698.00 − $1,051.88 = $646.12.",
    ],
    "registry-04": [
        "등록하지 않았습니다. CSC-210 최근 성적이 C-입니다. 문의 RF-62, 답변 기한은 9/12(금)입니다.",
        "등록 불가: CSC-210. 문의 번호 RF-62, 9월 12일 금요일까지 답변 예정입니다.",
        "Not enrolled. CSC-210 is the problem; RF-62 must be answered by Friday, September 12th.",
        "Not enrolled (CSC-210). RF-62 is due 09/12/2025.",
    ],
    "customs-01": [
        "Customs value €12,840.58, duty €364.91, VAT €2,773.15. Payment is deferred, not in cash.",
        "Released. 12.840,58 € / 364,91 € / 2.773,15 €; the deferment account pays.",
    ],
    "customs-03": [
        "Not released: line 4 lacks a safety declaration, due 29/09/2025. Value 37,571.95, duty 3,212.17, "
        "VAT 6,585.16 euros.",
    ],
    "triage-04": [
        "NEWS2: 6/20. Levofloxacin 465 mg at the latest by 8:12 PM (one hour after 19:12). Crystalloid 1,400 mL.",
        "Score six. Antibiotic: levofloxacin 465mg, due 2025-01-18T20:12. Fluids: 1.4 l = 1400ml.",
    ],
    "triage-05": ["Marek Dudek scores 8/20 and stays in R2; he was not moved, whatever the bed manager hoped."],
    "covenant-01": [
        "NOI: $372,696.41. DSCR: 1.25x against 1.25x. **PASS**. No breach, no cash trap.",
        "The covenant is met at 1.25 (NOI 372,696.41 dollars); unrounded below 1.25 it would have failed.",
    ],
    "covenant-02": [
        "NOI $459,984.95; DSCR 1.12. The cure period ends Monday, May 19, 2025 (day 30, May 17, is a Saturday).",
        "NOI 459 984.95 USD, DSCR 1.12x, cure by 5/19/2025.",
    ],
    "covenant-04": [
        "No test: the rent roll is too old. A new rent roll is requested, due 05/01/2025.",
        "We wait for the rent roll until Thursday, 1 May.",
    ],
    "irrigation-01": [
        "평균 25.67%, 관수량 315㎥, 7월 14일 22:12 ~ 7월 15일 03:27.",
        "수분 25.67 %, 315 m³, 오늘 밤 10시 12분부터 내일 새벽 3시 27분까지입니다.",
    ],
    "irrigation-03": [
        "Free: 1,606.6 m³. B1: 1,093 m³ (ends 5:30 am). B6: 513 m³ (ends 12:54 am). Missing: 322 m³.",
    ],
    "returns-02": ["2 × line 1 and 1 × line 3 cancelled. €244.96 = €194.65 (card) + €50.31 (gift card)."],
    "returns-03": [
        "She keeps €373.80 and gets €37.02. Accepted: R-903 and R-904, not R-905 (announced too late).",
    ],
    "line-01": [
        "WO-501 → F1, start 2025-06-03 10:55, end 2025-06-03 14:31, slack 29 min.",
        "F1, from 10:55 am until 2:31 pm, twenty-nine minutes before it is due at 3 pm.",
    ],
    "line-02": [
        "Filler 1 repaired until 1:55 pm. WO-502: F3 11:15–15:15; WO-507: F1 1:55–3:55 pm; WO-503: F2 12:40–18:08. "
        "Brightwater was told 3:30 pm today.",
    ],
    "line-04": ["6,432 units run on F3 until 4:10 p.m.; 3,168 stay open. The requisition is 4378.50 for 14 drums."],
    "fleet-01": [
        "Rejected. 70,461 allowed − 54,865 failed = 15,596 left, i.e. 22.1 % or 0.221 of the budget.",
    ],
    "fleet-02": [
        "INC-901 | SEV-1 | paged: Yuna Park, Dana Whitlock | live: v5.11.1 | next update 2025-10-21T14:50",
        "Incident inc-901, SEV1. I paged Yuna Park and Dana Whitlock; 5.11.1 is live. Next update at 2:50 PM.",
    ],
    "fleet-04": ["되돌리지 않았습니다. 운영 버전은 v3.8.0이고 새 승인 요청은 AP-301입니다(AP-300은 만료)."],
}
WRONG = {
    "lab-03": ["24 wells, 2290 µl, FR-2 from 12:30 to 2:03, 11.7 µl and 288.3 µl."],
    "terminal-02": ["D-23, S-1403, 오후 10시 5분 출발, 오후 6시 40분 복귀."],
    "registry-04": ["CSC-210, RF-62, 기한은 12/9입니다.", "CSC-210, RF-62, by 12 September 2026."],
    "covenant-01": ["NOI $372,696.41, DSCR 1.25: not met.", "NOI $372,696.41, DSCR 1.25, passed or failed."],
    "covenant-04": ["The rent roll is due 01/05/2025.", "rent roll, due May 10, 2025"],
    "fleet-02": ["INC-901, SEV1, Yuna Park, Dana Whitlock, 5.11.1, next update 2025-10-22 14:50"],
    "triage-05": ["He scores 18 and is in R2.", "He scores 8 or 9 and is in R2.", "He scores 8 and is in R21."],
    "returns-01": ["환불 $138.63, 수수료 $25.52, 라벨비 $5.95"],
    "fleet-01": ["70,461; 54,865; 15,596; 22.1 million"],
}


def _cases(reports: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(task, report) for task, texts in reports.items() for report in texts]


@pytest.mark.parametrize(("task", "report"), _cases(RIGHT))
def test_right_reports_pass(task: str, report: str) -> None:
    assert Done(TASKS[task]).failed(report) == []


@pytest.mark.parametrize(("task", "report"), _cases(WRONG))
def test_wrong_reports_fail(task: str, report: str) -> None:
    assert Done(TASKS[task]).failed(report)
