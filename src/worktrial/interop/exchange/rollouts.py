"""Rollouts for trainers: a JSON line for each sample, with the tokens that its model drew, and a reward."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from worktrial.engine.records import WorkReader
from worktrial.engine.stored import model_of
from worktrial.engine.tokens import SampleTokens
from worktrial.errors import SettingError, option
from worktrial.grading.reward import NoReward, RewardKind, refused_calls, reward
from worktrial.interop.exchange.standing import in_words
from worktrial.language import Message, TurnTokens
from worktrial.results.exports.files import Exported, new_file
from worktrial.results.shown import tally_shown
from worktrial.results.tables.source import RunSource
from worktrial.results.turns import WorkedSample, worked_samples


class TokenSequence(msgspec.Struct):
    """A stretch of tokens that one prompt and all before it begin: what a trainer takes as one sequence."""

    token_ids: list[int]
    mask: list[int]
    """1 where the model drew the token, 0 where it was told it."""
    logprobs: list[float | None]
    """Log-probability of each token that the model drew; null for those that it was told."""


class Rollout(msgspec.Struct, kw_only=True):
    """One line of the file."""

    run: str
    sample: str
    repeat: int
    condition: str
    group: str
    """Task and condition: rollouts of one group are draws of the same work."""
    policy_version: str | None
    """Name of the model, as the run asked for it."""
    outcome: str
    reward: float
    prompt: list[Message]
    """Messages before the model's first."""
    messages: list[Message]
    """The whole conversation."""
    tools: list[Message]
    token_ids: list[int] | None
    """The whole conversation in tokens; null where it is no single sequence."""
    mask: list[int] | None
    logprobs: list[float | None] | None
    breaks: list[str]
    """Turns whose prompt does not begin with all tokens before, and why the sequence is in several segments."""
    segments: list[TokenSequence] | None
    """Sequences of tokens, where there are several."""


def export_rollouts(
    sources: Sequence[RunSource], out: Path, *, force: bool = False, reward: str = RewardKind.OUTCOME
) -> Exported:
    """Write a line for each sample that has a verdict into the file `out`.

    Args:
        sources: Runs that kept tokens.
        out: The file.
        force: Whether a file there may be replaced.
        reward: Way in which rewards are reckoned; see `worktrial.grading.reward`.

    Raises:
        SettingError: a run kept no tokens, there is no such reward, or there is something at the place.
        DataError: a run's folder is damaged, or the place cannot be written to.
    """
    if reward not in [*RewardKind]:
        raise SettingError(f"{option('reward')} {reward}: there is {', '.join(RewardKind)}")
    for source in sources:
        if not any(record.tokens for record in source.records(("tokens",))):
            raise SettingError(
                f"{source.folder}: kept no tokens to train on. Run with {option('keep_tokens')} at an endpoint "
                "that gives them, such as vLLM; conversations without tokens are in the formats atif and jsonl"
            )
    lost: Counter[str] = Counter()
    written = broken = 0
    with new_file(out, force=force) as file:
        for source in sources:
            for line in _rollouts(source, RewardKind(reward), lost):
                file.write(_json_line(line))
                written += 1
                broken += bool(line.breaks)
    if broken:
        lost["rollouts are no single sequence of tokens: their line says where, and holds segments"] = broken
    told = [(source.name, tally_shown(source.folder).figures()) for source in sources]
    rates = [f"{name}: {in_words(figures, one)}" for name, figures in told for one in figures.conditions]
    return Exported(written, [*(f"{count:,} {what}" for what, count in lost.items()), *rates])


# Characters at which some readers of lines end one, and JSON does not.
_SEPARATORS = {"\u0085": b"\\u0085", "\u2028": b"\\u2028", "\u2029": b"\\u2029"}


def _json_line(value: object) -> bytes:
    """A line of JSONL for readers that split text at every character that Unicode calls the end of a line."""
    line = msgspec.json.encode(value)
    for character, escape in _SEPARATORS.items():
        line = line.replace(character.encode(), escape)
    return line + b"\n"


def _rollouts(source: RunSource, kind: RewardKind, lost: Counter[str]) -> Iterator[Rollout]:
    model = model_of(source.manifest, "agent")
    with WorkReader(source.folder, SampleTokens) as kept:
        for sample in worked_samples(source.folder):
            record = sample.record
            refused = refused_calls(sample.calls)
            try:
                worth = reward(
                    record.outcome, reason=record.reason, checks=record.checks, refused=refused, kind=kind
                )
            except NoReward:
                lost["invalid samples have no reward and are left out"] += 1
                continue
            tokens = None if record.tokens is None else kept.at(record.tokens)
            if tokens is None or len(tokens.turns) != record.turns:
                lost["samples have no tokens for each of their messages and are left out"] += 1
                continue
            yield _rollout(source.name, sample, tokens, worth, model)


def _rollout(run: str, sample: WorkedSample, tokens: SampleTokens, worth: float, model: str | None) -> Rollout:
    record = sample.record
    segments, breaks = sequences(tokens.turns)
    whole = segments[0] if len(segments) == 1 else None
    roles = [message.get("role") for message in sample.messages]
    first = roles.index("assistant") if "assistant" in roles else len(roles)
    return Rollout(
        run=run,
        sample=record.sample,
        repeat=record.repeat,
        condition=record.condition,
        group=f"{record.sample}/{record.condition}",
        policy_version=model,
        outcome=record.outcome.value,
        reward=worth,
        prompt=sample.messages[:first],
        messages=sample.messages,
        tools=tokens.tools,
        token_ids=None if whole is None else whole.token_ids,
        mask=None if whole is None else whole.mask,
        logprobs=None if whole is None else whole.logprobs,
        breaks=breaks,
        segments=None if whole is not None else segments,
    )


def sequences(turns: Sequence[TurnTokens]) -> tuple[list[TokenSequence], list[str]]:
    """Tokens of a conversation as few sequences, and why they are not one.

    A turn goes on with the sequence before it where its prompt begins with all of that, to the token. Templates
    that drop earlier thinking, or spell a call otherwise than the model did, break it; so does a conversation whose
    oldest results were dropped.
    """
    segments: list[TokenSequence] = []
    breaks: list[str] = []
    for number, turn in enumerate(turns):
        prompt = turn.prompt_token_ids
        before = segments[-1].token_ids if segments else []
        if segments and prompt[: len(before)] != before:
            same = next((n for n, (a, b) in enumerate(zip(prompt, before, strict=False)) if a != b), len(prompt))
            breaks.append(f"turn {number}: its prompt has other tokens from {same} of {len(before)} on")
            before = []
        if not before:
            segments.append(TokenSequence([], [], []))
        into = segments[-1]
        told = prompt[len(before) :]
        into.token_ids += told + turn.token_ids
        into.mask += [0] * len(told) + [1] * len(turn.token_ids)
        into.logprobs += [*(None for _ in told), *turn.logprobs]
    return segments, breaks
