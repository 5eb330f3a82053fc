"""The embedded model as an endpoint, with the real 0.5B model."""

import json

import pytest
from tests.support.local_model import Served, chat

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(600)]

HELLO = [{"role": "user", "content": "Say hello."}]


def test_it_answers_a_chat_and_counts_tokens(served: Served) -> None:
    reply = chat(served.base_url, served.api_key, messages=HELLO, max_tokens=12)
    assert reply.status == 200
    assert reply.text.strip()
    assert reply.body["model"] == served.model_name, "the file's path must not get into records"
    usage = reply.body["usage"]
    assert usage["prompt_tokens"] > 0
    assert 0 < usage["completion_tokens"] <= 12


def test_only_the_key_opens_it(served: Served) -> None:
    reply = chat(served.base_url, "wrong", messages=HELLO, max_tokens=2)
    assert reply.status == 401
    assert served.api_key not in json.dumps(reply.body)


def test_a_json_schema_binds_the_reply(served: Served) -> None:
    schema = {
        "type": "object",
        "properties": {
            "colour": {"enum": ["teal", "ochre"]},
            "count": {"type": "integer", "minimum": 3, "maximum": 5},
        },
        "required": ["colour", "count"],
        "additionalProperties": False,
    }
    reply = chat(
        served.base_url,
        served.api_key,
        messages=HELLO,
        max_tokens=60,
        response_format={"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}},
    )
    said = json.loads(reply.text)
    assert said["colour"] in ("teal", "ochre")
    assert 3 <= said["count"] <= 5


def test_it_reports_the_likeliest_first_tokens(served: Served) -> None:
    question = [{"role": "user", "content": "Is water wet? Answer yes or no."}]
    reply = chat(served.base_url, served.api_key, messages=question, max_tokens=1, logprobs=True, top_logprobs=5)
    likeliest = reply.body["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    assert len(likeliest) == 5
    assert all(token["logprob"] <= 0 for token in likeliest)


def test_a_prompt_that_is_too_long_is_an_error_with_a_name(served: Served) -> None:
    reply = chat(served.base_url, served.api_key, messages=[{"role": "user", "content": "tea " * served.n_ctx}])
    assert reply.status == 400
    assert reply.body["error"]["type"] == "exceed_context_size_error"


def test_a_repeated_prompt_comes_from_the_cache_even_after_another(served: Served) -> None:
    def ask(subject: str) -> int:
        rules = f"You look after {subject}. " + "Keep the log in order. " * 25
        messages = [{"role": "system", "content": rules}, *HELLO]
        usage = chat(served.base_url, served.api_key, messages=messages, max_tokens=1).body["usage"]
        return int(usage["prompt_tokens_details"]["cached_tokens"])

    ask("the lighthouse")
    ask("the ferry")
    assert ask("the lighthouse") > 100
