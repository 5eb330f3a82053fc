"""The triage tasks, worked from what the agent sees."""

from datetime import timedelta
from typing import Any

from tests.support.two_agents import NaiveAgent, StuckError, moment, number, rows, text

TOP = float("inf")
BANDS = {
    "respiratory_rate": [(8, 3), (11, 1), (20, 0), (24, 2), (TOP, 3)],
    "spo2": [(91, 3), (93, 2), (95, 1), (TOP, 0)],
    "systolic_bp": [(90, 3), (100, 2), (110, 1), (219, 0), (TOP, 3)],
    "pulse": [(40, 3), (50, 1), (90, 0), (110, 1), (130, 2), (TOP, 3)],
    "temperature": [(35, 3), (36, 1), (38, 0), (39, 1), (TOP, 2)],
}
SPO2_ON_SCALE_2 = [(83, 3), (85, 2), (87, 1), (92, 0)]
ON_OXYGEN_ABOVE_92 = [(94, 1), (96, 2), (TOP, 3)]
PLACES = {1: ("resus", True), 2: ("acute", True), 3: ("acute", False), 4: ("fast_track", False)}


def parts(vitals: dict[str, Any], scale: int = 1) -> list[int]:
    """Points of each sign; a sign that is not given is taken to be normal."""
    bands = dict(BANDS)
    if scale == 2:
        bands["spo2"] = SPO2_ON_SCALE_2 + (ON_OXYGEN_ABOVE_92 if vitals.get("on_oxygen") else [(TOP, 0)])
    points = [
        next(p for limit, p in limits if vitals[sign] <= limit)
        for sign, limits in bands.items()
        if vitals.get(sign) is not None
    ]
    awake = vitals.get("consciousness") in (None, "", "alert")
    return [*points, 2 if vitals.get("on_oxygen") else 0, 0 if awake else 3]


def level_of(points: list[int]) -> int:
    """Triage level by the sum and the single parts."""
    score = sum(points)
    return 1 if score >= 7 else 2 if score >= 5 or 3 in points else 3 if score else 4


async def chart(agent: NaiveAgent, patient_id: str) -> list[dict[str, Any]]:
    """All sets of vital signs, the last one fresh."""
    seen = await agent.look("get_vitals", patient_id=patient_id)
    sets = rows(seen, "sets")
    if not sets or moment(seen, "time") - moment(sets[-1], "taken_at") > timedelta(minutes=30):
        await agent.do("measure_vitals", patient_id=patient_id)
        sets = rows(await agent.look("get_vitals", patient_id=patient_id), "sets")
    if not sets:
        raise StuckError("no vital signs")
    return sets


async def triage(agent: NaiveAgent, patient_id: str) -> tuple[int, int]:
    """Score a patient and record it."""
    patient = await agent.look("get_patient", patient_id=patient_id)
    points = parts((await chart(agent, patient_id))[-1], int(number(patient, "oxygen_scale")))
    score, level = sum(points), level_of(points)
    await agent.do("record_triage", patient_id=patient_id, score=score, level=level)
    return score, level


async def place(agent: NaiveAgent, patient_id: str, level: int) -> str:
    """Put a patient into the first bed that fits."""
    area, monitored = PLACES[level]
    beds = rows(await agent.look("list_beds", area=area), "beds")
    free = [bed for bed in beds if text(bed, "status") == "free" and bool(bed.get("monitored")) is monitored]
    if not free:
        raise StuckError(f"no bed in {area}")
    bed_id = text(free[0], "bed_id")
    await agent.do("assign_bed", patient_id=patient_id, bed_id=bed_id)
    return bed_id


async def waiting(agent: NaiveAgent, *patients: str) -> str:
    """Triage and place patients one after the other."""
    said = []
    for patient_id in patients:
        score, level = await triage(agent, patient_id)
        said.append(f"{patient_id}: score {score}, level {level}, bed {await place(agent, patient_id, level)}.")
    return " ".join(said)


async def sepsis(agent: NaiveAgent, patient_id: str) -> str:
    """Triage, place and begin treatment of a suspected infection."""
    patient = await agent.look("get_patient", patient_id=patient_id)
    sets = await chart(agent, patient_id)
    score, level = await triage(agent, patient_id)
    bed_id = await place(agent, patient_id, level)
    septic = [one for one in sets if sum(parts(one)) >= 5]
    if not septic:
        return f"Score {score}, bed {bed_id}; no sepsis."
    weight = float(number(patient, "weight_kg"))
    due = (moment(septic[0], "taken_at") + timedelta(minutes=60)).isoformat(timespec="minutes")
    allergic = {"penicillin", "cephalosporins"} & set(rows(patient, "allergies"))
    item, dose = ("levofloxacin", min(750, 10 * weight)) if allergic else ("ceftriaxone", min(2000, 50 * weight))
    await agent.do("order_treatment", patient_id=patient_id, item=item, dose=dose, unit="mg", due_by=due)
    bolus = 50 * round(30 * weight / 50) if number(sets[-1], "systolic_bp") <= 100 else 0
    if bolus:
        await agent.do(
            "order_treatment", patient_id=patient_id, item="crystalloid_bolus", dose=bolus, unit="ml", due_by=due
        )
    await agent.do("page_team", team="medical_on_call", patient_id=patient_id, reason=f"Sepsis, score {score}.")
    return f"Score {score}, bed {bed_id}, {item} {dose:g} mg by {due[11:]}, bolus {bolus} ml."


async def step_down(agent: NaiveAgent, patient_id: str) -> str:
    """Score a patient in resus again, and move the patient only if the level allows it."""
    score, level = await triage(agent, patient_id)
    if level > 1:
        return f"Score {score}, level {level}, now in {await place(agent, patient_id, level)}."
    await agent.do("page_team", team="bed_manager", patient_id=patient_id, reason="Still level 1; stays.")
    return f"Score {score}, level 1: stays in R2."


async def make_room(agent: NaiveAgent, patient_id: str) -> str:
    """Triage a patient who needs resus, and step down whoever there scores lowest."""
    score, level = await triage(agent, patient_id)
    if level > 1:
        return f"Score {score}, level {level}, bed {await place(agent, patient_id, level)}."
    beds = rows(await agent.look("list_beds", area="resus"), "beds")
    scored = []
    for bed in beds:
        if text(bed, "patient_id"):
            found = await triage(agent, text(bed, "patient_id"))
            scored.append((*found, text(bed, "patient_id"), text(bed, "bed_id")))
    if not scored:
        raise StuckError("nobody in resus")
    low, new_level, moved, bed_id = min(scored)
    if new_level == 1:
        raise StuckError("nobody may leave resus")
    place_of_moved = await place(agent, moved, new_level)
    await agent.do("turn_over_bed", bed_id=bed_id)
    await agent.do("assign_bed", patient_id=patient_id, bed_id=bed_id)
    await agent.do("page_team", team="resus_team", patient_id=patient_id, reason=f"Level 1, score {score}.")
    return f"Score {score}, bed {bed_id}; {moved} to {place_of_moved} with score {low}."
