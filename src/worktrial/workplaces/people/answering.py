"""Messages taken and answered by people: deterministic, by what they say in structured form.

When a person takes a message, only the time of the answer is settled. What they answer is decided when they answer,
by the state of that minute: who was asked before an event may answer by what came of it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from random import Random
from typing import Protocol

import yaml

from worktrial.language import JsonObject
from worktrial.workplaces.people.mail import Mail, Message, Promise
from worktrial.workplaces.people.person import Person, Response
from worktrial.workplaces.time import Timeline

WANTS_ANSWER = frozenset({"ask", "request", "escalate", "remind"})
KEEPS_PROMISE = frozenset({"tell", "approve", "refuse"})
ANSWER = "answer"
PROMISE = "promise"
_PATIENCE_GONE = "complains"


class Peopled(Protocol):
    """Part of a state that people need."""

    time: Timeline
    mail: Mail
    people: dict[str, Person]
    seed: str
    language: str


Decide = Callable[..., Response | None]
"""Function of state, person and message: the answer that the desk's own rules give, or None to leave it to what the
person knows and may grant."""


def receive(state: Peopled, message: Message) -> None:
    """Hand the agent's message to its addressee, and settle when the answer comes, if one does.

    A promise waits for its time; a message that tells, grants or declines keeps the promises about its matter.
    """
    now = state.time.minute
    person = state.people[message.to]
    if message.kind == "promise":
        due = state.time.minute_of(str(message.fields["by"]))
        state.mail.promises.append(Promise(to=message.to, about=message.about, made=now, due=due))
        state.time.add(due, PROMISE, promise=len(state.mail.promises) - 1)
        return
    if message.kind in KEEPS_PROMISE:
        for promise in state.mail.promises:
            same = (promise.to, promise.about) == (person.id, message.about)
            if same and promise.kept is None and not promise.broken:
                promise.kept = now
    if message.kind not in WANTS_ANSWER:
        return
    asked = person.asked.get(message.about, 0) + 1
    person.asked[message.about] = asked
    if message.about in person.forgets:
        # A reminder of what was never asked is a question like any other.
        if message.kind != "remind" or asked == 1:
            return
        person.forgets.remove(message.about)
    if asked > person.patience:
        if asked == person.patience + 1 and person.superior is not None:
            state.time.add(now + 1, ANSWER, person=person.superior, message=message.id, complaint_of=person.id)
        return
    least, most = person.delay
    # Drawn from what is asked, not from the order of asking: who asks twice is not answered sooner.
    draw = Random(f"{state.seed}/{person.id}/{message.about}/{message.kind}/{asked}")
    due = max(now, person.arrives) + draw.randint(least, most)
    if person.leaves is None or due < person.leaves:
        state.time.add(due, ANSWER, person=person.id, message=message.id)


def break_promise(state: Peopled, index: int) -> None:
    """End the time of a promise: one that was not kept is broken."""
    promise = state.mail.promises[index]
    promise.broken = promise.kept is None


def answer_due(state: Peopled, payload: JsonObject, decide: Decide | None = None) -> None:
    """Let a person answer a message of the agent's, now.

    Args:
        state: Whose mail and people these are.
        payload: Of the event that `receive` put in.
        decide: The desk's own rules, which come first.
    """
    person = state.people[payload["person"]]
    message = next(sent for sent in state.mail.sent if sent.id == payload["message"])
    say = phrases(state.language)
    if (name := payload.get("complaint_of")) is not None:
        other = state.people[name].name
        reply = Response(kind="tell", text=say[_PATIENCE_GONE].format(name=other, about=message.about))
    else:
        own = None if decide is None else decide(state, person, message)
        reply = own or _usual_answer(person, message, say)
    subject = message.about or message.subject
    state.mail.deliver(
        state.time.minute,
        person.id,
        reply.kind,
        message.about,
        f"Re: {subject}",
        reply.text,
        fields=reply.fields,
        answers=message.id,
    )


@cache
def phrases(language: str) -> Mapping[str, str]:
    """Standard wording of answers, by occasion.

    Args:
        language: `en` or `ko`.
    """
    text = (
        files("worktrial.workplaces.people")
        .joinpath("prompts", f"phrases.{language}.yaml")
        .read_text(encoding="utf-8")
    )
    said: dict[str, str] = yaml.safe_load(text)
    return said


def _usual_answer(person: Person, message: Message, say: Mapping[str, str]) -> Response:
    about = message.about
    topic = message.fields.get("topic")
    if message.kind == "request":
        return _granted(person, message, say)
    if message.kind == "escalate":
        return Response(kind="tell", text=say["noted"].format(about=about))
    known = person.facts.get(about, {})
    if isinstance(topic, str) and topic in known:
        fact = known[topic]
        text = fact.text or say["fact"].format(about=about, topic=topic.replace("_", " "), value=fact.value)
        return Response(kind="tell", text=text, fields={"topic": topic, "value": fact.value})
    if isinstance(topic, str) and topic in person.refers:
        return Response(kind="tell", text=say["refer"].format(topic=topic, other=person.refers[topic]))
    if isinstance(topic, str) and about:
        return Response(kind="tell", text=say["unknown"].format(about=about, topic=topic.replace("_", " ")))
    topics = ", ".join(sorted(known))
    return Response(kind="ask", text=say["which"].format(about=about, topics=topics) if topics else say["what"])


def _granted(person: Person, message: Message, say: Mapping[str, str]) -> Response:
    for name, most in person.grants.items():
        amount = message.fields.get(name)
        if isinstance(amount, int | float) and not isinstance(amount, bool):
            if amount <= most:
                return Response(
                    kind="approve", text=say["granted"].format(about=message.about), fields={name: amount}
                )
            return Response(kind="refuse", text=say["beyond"].format(about=message.about))
    if person.grants and not message.fields:
        return Response(kind="ask", text=say["how_much"].format(names=", ".join(sorted(person.grants))))
    return Response(kind="refuse", text=say["not_mine"].format(about=message.about))
