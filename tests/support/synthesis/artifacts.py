"""What a good author writes for a desk: every artifact free of faults, as JSON."""

from typing import Any

from tests.support.synthesis.desks import Desk
from tests.support.synthesis.topics import Topic

Json = dict[str, Any]


def subtopic(topic: Topic) -> Json:
    return {"id": topic.id, "title": topic.title, "about": topic.about}


def reference(topic: Topic) -> Json:
    noun, measure = topic.noun, topic.measure

    def said(*texts: str) -> list[Json]:
        return [{"text": text, "citations": []} for text in texts]

    return {
        "subtopic": topic.id,
        "terminology": said(f"A {noun} is what the desk for {topic.title.lower()} works on."),
        "workflow": said(
            f"Look the {noun} up.", f"Compare its {measure} with the limit of {topic.limit}.", "Set its status."
        ),
        "state_variables": said(f"{measure}: decides about the {noun}.", "status: open until it is settled."),
        "edge_cases": said(f"A {measure} of exactly {topic.limit} is in order."),
        "constraints": said(f"A {noun} that is settled already is left alone."),
    }


def workplace(desk: Desk) -> Json:
    """With the system prompt whole, and with the parts that an author is asked for."""
    topic, noun = desk.topic, desk.noun
    purpose = f"The software of desk {desk.code} for {topic.title.lower()}. {topic.about}"
    rule = f"There is one record for each {noun}; settling it sets its status and nothing else."
    error = "A call with an unknown id is refused, and the error names the id."
    return {
        "name": f"{topic.title}, desk {desk.code}",
        "system_prompt": f"{purpose}\n\n{rule}\n\n{error}",
        "purpose": purpose,
        "rules": [rule],
        "errors": [error],
        "output": ["Answers are JSON objects with the fields of the record."],
        "tools": tools(desk),
        "initial_state": desk.state,
        "state_description": state_description(desk),
    }


def state_description(desk: Desk) -> Json:
    topic, noun = desk.topic, desk.noun
    return {
        "current_date": "The day of the work.",
        "desk": "What the desk is called.",
        f"{noun}s": f"Every {noun} by its id. status is open until it is settled, then {topic.done} or "
        f"{topic.held}; {topic.measure} decides which. notes holds remarks of the staff.",
    }


def tools(desk: Desk) -> list[Json]:
    noun, records = desk.noun, desk.state[f"{desk.noun}s"]
    first = records[desk.open_ids[0]]
    id_of = {"id": {"type": "string", "description": f"Id of the {noun}, such as {first['id']}."}}
    states = ["open", desk.topic.done, desk.topic.held]
    return [
        {
            "name": f"list_{noun}s",
            "description": f"Id and status of every {noun}, or of those with one status.",
            "parameters": _object({"status": {"enum": states, "description": "Only those with it."}}, []),
            "example_output": {f"{noun}s": [{"id": first["id"], "status": "open"}]},
            "writes": False,
        },
        {
            "name": f"get_{noun}",
            "description": f"The whole record of a {noun}.",
            "parameters": _object(id_of, ["id"]),
            "example_output": first,
            "writes": False,
        },
        {
            "name": f"set_{noun}_status",
            "description": f"Settle a {noun}.",
            "parameters": _object(
                {**id_of, "status": {"enum": states[1:], "description": "The new status."}}, ["id", "status"]
            ),
            "example_output": {"id": first["id"], "status": desk.topic.done},
            "writes": True,
        },
        {
            "name": f"note_on_{noun}",
            "description": f"Add a remark to a {noun}.",
            "parameters": _object({**id_of, "text": {"type": "string", "description": "It."}}, ["id", "text"]),
            "example_output": {"id": first["id"], "notes": ["Called the holder."]},
            "writes": True,
        },
    ]


def task(desk: Desk) -> Json:
    return {
        "slot": desk.slot,
        "subtopic": desk.topic.id,
        "level": desk.level,
        "language": "en",
        "instruction": instruction(desk),
        "plan": plan(desk),
        "rubric": rubric(desk),
    }


def instruction(desk: Desk) -> str:
    topic = desk.topic
    which = " and ".join(desk.open_ids)
    return (
        f"At desk {desk.code} ({topic.title.lower()}) settle {which}. Where the {topic.measure} is above "
        f"{topic.limit} the {topic.noun} is to be {topic.held}, else {topic.done}. Leave everything else alone, "
        f"and report what became of each."
    )


def plan(desk: Desk) -> list[Json]:
    return [
        {"tool": tool, "arguments": arguments, "why": "As the limit asks."} for tool, arguments in desk.solution
    ]


def rubric(desk: Desk) -> str:
    points = [f"{key} ends with the status `{status}`." for key, status in desk.wanted.items()]
    points.append(f"No other {desk.noun} was changed.")
    return "\n".join(f"{n}. {point}" for n, point in enumerate(points, 1))


def _object(properties: Json, required: list[str]) -> Json:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
