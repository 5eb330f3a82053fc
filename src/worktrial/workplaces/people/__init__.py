"""People in code: counterparts that answer late, forget, refuse and refer, and the mail with them."""

from worktrial.workplaces.people.answering import answer_due, receive
from worktrial.workplaces.people.mail import Kind, Mail, Message, Promise
from worktrial.workplaces.people.person import Fact, Person, Response

__all__ = [
    "Fact",
    "Kind",
    "Mail",
    "Message",
    "Person",
    "Promise",
    "Response",
    "answer_due",
    "receive",
]
