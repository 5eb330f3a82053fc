"""Other wires than chat completions, as their servers see them.

A request is held against the wire's own rules and told to the script in the shape of chat completions; the script's
answer goes back in the wire's shape, with thoughts, signed, that have to come back exactly as they were sent.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec
from tests.support.streams import Streaming, framed, parts_of
from tests.support.wire import Body, Reply, error_reply, json_reply, json_text


class Refused(Exception):
    """The request breaks a rule of its wire."""


@dataclass
class ForeignWire:
    """One wire. Remembers what it sent."""

    emitted: set[str] = field(default_factory=set)

    name: ClassVar[str]
    known: ClassVar[frozenset[str]]

    def chat_body(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Body:
        """The request in the shape of chat completions."""
        raise NotImplementedError

    def reply(self, answer: Body) -> Any:
        """A completion in this wire's shape."""
        raise NotImplementedError

    def error(self, status: int, error: dict[str, Any]) -> Any:
        """An error in this wire's shape."""
        raise NotImplementedError

    mark: ClassVar[bytes]
    """Bytes that every completion in this wire's shape has."""

    def is_completion(self, reply: Reply) -> bool:
        return self.mark in reply.body

    def deltas(self, whole: Any, how: Streaming) -> Iterator[Body]:
        """The events of a completion in this wire's shape."""
        raise NotImplementedError

    def failure(self, status: int, message: str) -> Body:
        """The event of an error in the middle of a stream."""
        return self.error(status, {"message": message})  # type: ignore[no-any-return]

    def events(self, whole: Any, how: Streaming) -> list[bytes]:
        """The events of a completion, each with its blank line, in the manner of `how`."""
        made = [framed(event, how) for event in self.deltas(whole, how)]
        if how.fails_after is None:
            return made
        failure = self.failure(how.failure["status"], how.failure["message"])
        return [*made[: how.fails_after], framed(failure, how)]

    def translated(self, reply: Reply, named: Mapping[str, Any] = MappingProxyType({})) -> Reply:
        """`reply` in this wire's shape, if it is a completion or an error; anything else as it is.

        Args:
            reply: In the shape of chat completions.
            named: Fields of a completion that a step which writes its own bytes may have left out.
        """
        try:
            value = msgspec.json.decode(reply.body)
        except (msgspec.DecodeError, RecursionError):
            return reply
        if not isinstance(value, dict):
            return reply
        if reply.status == 200 and value.get("object") == "chat.completion":
            shaped = self.reply({**named, **value})
        elif reply.status != 200 and isinstance(value.get("error"), dict):
            shaped = self.error(reply.status, value["error"])
        else:
            return reply
        made = json_reply(shaped, reply.status, reply.headers)
        return Reply(made.body, reply.status, made.content_type, reply.headers, reply.delivery, reply.reset)

    def check(self, ok: object, message: str) -> None:
        if not ok:
            raise Refused(message)

    def check_fields(self, body: Mapping[str, Any]) -> None:
        for name in body.keys() - self.known:
            raise Refused(f"{name}: Extra inputs are not permitted")

    def sign(self, *what: Any) -> str:
        """A signature that only this server could have made."""
        mark = hashlib.blake2b(json.dumps(what, sort_keys=True).encode(), key=b"server", digest_size=24).hexdigest()
        self.emitted.add(mark)
        return mark


def _error_kind(status: int, kinds: Mapping[int, str], otherwise: str) -> str:
    return kinds.get(status, otherwise)


def _message(answer: Body) -> tuple[dict[str, Any], str]:
    choice = answer["choices"][0]
    return choice["message"], choice.get("finish_reason") or "stop"


class Messages(ForeignWire):
    """Anthropic's Messages."""

    name = "anthropic"
    mark = b'"type":"message"'
    known = frozenset(
        {"model", "max_tokens", "messages", "system", "tools", "tool_choice", "temperature", "top_p", "top_k"}
        | {"output_config", "thinking", "stream", "metadata", "cache_control", "stop_sequences", "service_tier"}
    )

    def chat_body(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Body:
        # The key's header is the SDK's choice, and has changed with its versions.
        self.check("x-api-key" in headers or "authorization" in headers, "x-api-key: header is required")
        self.check("anthropic-version" in headers, "anthropic-version: header is required")
        self.check_fields(body)
        self.check(isinstance(body.get("max_tokens"), int), "max_tokens: Field required")
        messages: list[dict[str, Any]] = []
        if body.get("system"):
            messages.append({"role": "system", "content": body["system"]})
        side = "assistant"
        open_calls: set[str] = set()
        for turn in body["messages"]:
            self.check(turn.keys() == {"role", "content"}, "messages: Extra inputs are not permitted")
            self.check(turn["role"] in ("user", "assistant"), "messages: Unexpected role")
            self.check(turn["role"] != side, "messages: roles must alternate")
            side = turn["role"]
            blocks = turn["content"]
            self.check(isinstance(blocks, list) and blocks, "messages: content must not be empty")
            if side == "assistant":
                messages.append(self._assistant(blocks))
                open_calls = {b["id"] for b in blocks if b["type"] == "tool_use"}
            else:
                results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
                self.check(set(results) == open_calls, "tool_use ids were found without tool_result blocks")
                kinds = [b["type"] for b in blocks]
                self.check("tool_result" not in kinds[len(results) :], "tool_result blocks must come first")
                messages += self._user(blocks)
                open_calls = set()
        stream = {"stream": True} if body.get("stream") else {}
        return {**_plain_settings(body), "messages": messages, **self._offers(body), **stream}

    def _assistant(self, blocks: list[Any]) -> dict[str, Any]:
        text, calls, before = "", [], []
        for block in blocks:
            kind = block["type"]
            if kind == "text":
                self.check(block["text"], "messages: text content blocks must be non-empty")
                text += block["text"]
            elif kind == "tool_use":
                self.check(isinstance(block["input"], dict), "input: Input should be a valid dictionary")
                self.check(re.fullmatch(r"[\w-]+", block["id"]), "id: String should match pattern")
                function = {"name": block["name"], "arguments": json_text(block["input"])}
                calls.append({"id": block["id"], "type": "function", "function": function})
            elif kind == "thinking":
                signed = block["signature"] in self.emitted and block["signature"] == self.sign(block["thinking"])
                self.check(signed, "Invalid `signature` in `thinking` block")
                before.append(kind)
            elif kind == "redacted_thinking":
                self.check(block["data"] in self.emitted, "Invalid `data` in `redacted_thinking` block")
                before.append(kind)
            else:
                raise Refused(f"messages: unknown block {kind}")
        if calls:
            whole = before == ["thinking", "redacted_thinking"] and [b["type"] for b in blocks][:2] == before
            self.check(whole, "a final assistant message must start with a thinking block")
        return {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}

    def _user(self, blocks: list[Any]) -> list[dict[str, Any]]:
        messages, parts = [], []
        for block in blocks:
            if block["type"] == "tool_result":
                content = "".join(part["text"] for part in block["content"])
                messages.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": content})
            elif block["type"] == "image":
                source = block["source"]
                url = source.get("url") or f"data:{source['media_type']};base64,{source['data']}"
                parts.append({"type": "image_url", "image_url": {"url": url}})
            else:
                self.check(block["text"], "messages: text content blocks must be non-empty")
                parts.append({"type": "text", "text": block["text"]})
        return messages + _user_message(parts)

    def _offers(self, body: Mapping[str, Any]) -> Body:
        offers: Body = {}
        if body.get("tools"):
            self.check(all(t["input_schema"]["type"] == "object" for t in body["tools"]), "input_schema: type")
            offers["tools"] = [_tool(t["name"], t.get("description"), t["input_schema"]) for t in body["tools"]]
        output = body.get("output_config") or {}
        self.check(output.keys() <= {"effort", "format"}, "output_config: Extra inputs are not permitted")
        if "effort" in output:
            offers["reasoning_effort"] = output["effort"]
        if "format" in output:
            self.check(output["format"]["type"] == "json_schema", "output_config.format.type")
            offers["response_format"] = _format(output["format"]["schema"])
        return offers

    def reply(self, answer: Body) -> Any:
        message, finish = _message(answer)
        calls = message.get("tool_calls") or []
        content: list[Any] = []
        thought = f"Thoughts about {answer['id']}."
        content.append({"type": "thinking", "thinking": thought, "signature": self.sign(thought)})
        content.append({"type": "redacted_thinking", "data": self.sign("hidden", answer["id"])})
        if message.get("content"):
            content.append({"type": "text", "text": message["content"], "citations": None})
        for call in calls:
            function = call["function"]
            arguments = json.loads(function["arguments"] or "{}")
            content.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": arguments})
        stops = {"length": "max_tokens", "content_filter": "refusal"}
        used = answer.get("usage")
        cached = used["prompt_tokens_details"]["cached_tokens"] if used else 0
        return {
            "id": answer["id"],
            "type": "message",
            "role": "assistant",
            "model": answer["model"],
            "content": [] if finish == "content_filter" else content,
            "stop_reason": stops.get(finish, "tool_use" if calls else "end_turn"),
            "stop_sequence": None,
            "usage": {
                "input_tokens": used["prompt_tokens"] - cached - answer.get("cache_writes", 0),
                "cache_read_input_tokens": cached,
                "cache_creation_input_tokens": answer.get("cache_writes", 0),
                "output_tokens": used["completion_tokens"],
            }
            if used
            else None,
        }

    def deltas(self, whole: Any, how: Streaming) -> Iterator[Body]:
        used = whole["usage"]
        early = {**used, "output_tokens": 1} if used else None
        shell = {**whole, "content": [], "stop_reason": None, "usage": early}
        yield {"type": "message_start", "message": shell}
        yield {"type": "ping"}
        for index, block in enumerate(whole["content"]):
            kind = block["type"]
            empty: dict[str, Body] = {
                "text": {"text": ""},
                "thinking": {"thinking": "", "signature": ""},
                "tool_use": {"input": {}},
            }
            yield {
                "type": "content_block_start",
                "index": index,
                "content_block": {**block, **empty.get(kind, {})},
            }
            for delta in self._block_deltas(block, how):
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        late = {"output_tokens": used["output_tokens"], "cache_read_input_tokens": None} if used else None
        yield {"type": "message_delta", "delta": delta, "usage": late}
        yield {"type": "message_stop"}

    def _block_deltas(self, block: Body, how: Streaming) -> Iterator[Body]:
        if block["type"] == "text":
            yield from ({"type": "text_delta", "text": part} for part in parts_of(block["text"], how))
        elif block["type"] == "thinking":
            for part in parts_of(block["thinking"], how):
                yield {"type": "thinking_delta", "thinking": part}
            yield {"type": "signature_delta", "signature": block["signature"]}
        elif block["type"] == "tool_use":
            # The first piece of arguments is empty, and so are all of a call without any.
            yield {"type": "input_json_delta", "partial_json": ""}
            for part in parts_of(json_text(block["input"]) if block["input"] else "", how):
                yield {"type": "input_json_delta", "partial_json": part}

    def error(self, status: int, error: dict[str, Any]) -> Any:
        kinds = {
            401: "authentication_error",
            403: "permission_error",
            404: "not_found_error",
            413: "request_too_large",
        }
        kinds |= {429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}
        kind = _error_kind(status, kinds, "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": error["message"]}, "request_id": "req_1"}


class Gemini(ForeignWire):
    """Gemini's generateContent."""

    name = "gemini"
    mark = b'"responseId"'
    known = frozenset(
        {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"}
    )
    known_how = frozenset(
        {"temperature", "topP", "topK", "maxOutputTokens", "responseMimeType", "responseJsonSchema"}
        | {"responseLogprobs", "logprobs", "thinkingConfig", "stopSequences"}
    )

    def chat_body(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Body:
        self.check("x-goog-api-key" in headers, "API key not valid. Please pass a valid API key.")
        self.check_fields(body)
        how = body.get("generationConfig") or {}
        self.check(how.keys() <= self.known_how, f"Unknown name in generation_config: {how.keys()}")
        model = re.fullmatch(r".*/models/(.+):(generateContent|streamGenerateContent)", path)
        self.check(model, "no such method")
        assert model is not None
        messages: list[dict[str, Any]] = []
        if body.get("systemInstruction"):
            messages.append({"role": "system", "content": body["systemInstruction"]["parts"][0]["text"]})
        calls: list[dict[str, Any]] = []
        for content in body["contents"]:
            self.check(
                content.keys() == {"role", "parts"} and content["parts"], "contents: parts must not be empty"
            )
            if content["role"] == "model":
                message = self._model(content["parts"])
                calls = [*message.get("tool_calls", [])]
                messages.append(message)
            else:
                self.check(content["role"] == "user", "contents: Please use a valid role: user, model.")
                messages += self._user(content["parts"], calls)
        chat: Body = {"model": model[1], "messages": messages}
        if model[2] == "streamGenerateContent":
            chat["stream"] = True
        for ours, theirs in (("temperature", "temperature"), ("max_tokens", "maxOutputTokens")):
            if theirs in how:
                chat[ours] = how[theirs]
        if how.get("thinkingConfig"):
            chat["reasoning_effort"] = how["thinkingConfig"]["thinkingLevel"]
        if how.get("responseJsonSchema"):
            self.check(how.get("responseMimeType") == "application/json", "response_mime_type is needed")
            chat["response_format"] = _format(how["responseJsonSchema"])
        if how.get("responseLogprobs"):
            chat |= {"logprobs": True, "top_logprobs": how.get("logprobs")}
        for tool in body.get("tools") or ():
            declarations = tool["functionDeclarations"]
            chat["tools"] = [
                _tool(d["name"], d["description"], d.get("parametersJsonSchema")) for d in declarations
            ]
        return chat

    def _model(self, parts: list[Any]) -> dict[str, Any]:
        text, calls = "", list[Any]()
        for part in parts:
            if "functionCall" in part:
                call = part["functionCall"]
                # The first call of a turn carries the signature of what was thought before it.
                if not calls:
                    signed = part.get("thoughtSignature") in self.emitted
                    self.check(signed, "Function call is missing a thought_signature")
                function = {"name": call["name"], "arguments": json_text(call["args"])}
                calls.append({"id": call.get("id"), "type": "function", "function": function})
            elif not part.get("thought"):
                text += part["text"]
        return {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}

    def _user(self, parts: list[Any], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        messages, seen = [], []
        for part in parts:
            if "functionResponse" in part:
                result = part["functionResponse"]
                self.check(isinstance(result["response"], dict), "function_response.response: not a Struct")
                call = calls.pop(0) if calls else {"function": {"name": None}}
                self.check(call["function"]["name"] == result["name"], "function responses must match the calls")
                self.check(call.get("id") == result.get("id"), "function responses must name the call's id")
                content = json_text(result["response"])
                messages.append({"role": "tool", "tool_call_id": call.get("id") or "", "content": content})
            elif "inlineData" in part:
                data = part["inlineData"]
                url = f"data:{data['mimeType']};base64,{data['data']}"
                seen.append({"type": "image_url", "image_url": {"url": url}})
            elif "fileData" in part:
                seen.append({"type": "image_url", "image_url": {"url": part["fileData"]["fileUri"]}})
            else:
                self.check(part["text"], "parts: text must not be empty")
                seen.append({"type": "text", "text": part["text"]})
        self.check(not calls, "the number of function responses must equal that of the calls")
        return messages + _user_message(seen)

    def reply(self, answer: Body) -> Any:
        message, finish = _message(answer)
        used = answer.get("usage")
        usage = None
        if used:
            usage = {
                "promptTokenCount": used["prompt_tokens"],
                "candidatesTokenCount": used["completion_tokens"] - 1,
                "thoughtsTokenCount": 1,
                "cachedContentTokenCount": used["prompt_tokens_details"]["cached_tokens"],
            }
        shell = {"responseId": answer["id"], "modelVersion": answer["model"], "usageMetadata": usage}
        if finish == "content_filter":
            return {**shell, "promptFeedback": {"blockReason": "SAFETY"}}
        parts: list[Any] = [{"thought": True, "text": f"Thoughts about {answer['id']}."}]
        if message.get("content"):
            parts.append({"text": message["content"]})
        for number, call in enumerate(message.get("tool_calls") or []):
            function = call["function"]
            part: dict[str, Any] = {
                "functionCall": {"name": function["name"], "args": json.loads(function["arguments"] or "{}")}
            }
            # Some models give ids, others none.
            if "pro" in answer["model"]:
                part["functionCall"]["id"] = call["id"]
            if number == 0:
                part["thoughtSignature"] = self.sign(answer["id"])
            parts.append(part)
        stops = {"length": "MAX_TOKENS"}
        candidate: dict[str, Any] = {
            "content": {"role": "model", "parts": parts},
            "finishReason": stops.get(finish, "STOP"),
            "index": 0,
        }
        logprobs = answer["choices"][0].get("logprobs")
        if logprobs:
            tokens = logprobs["content"][0]["top_logprobs"]
            steps = [{"candidates": [{"token": t["token"], "logProbability": t["logprob"]} for t in tokens]}]
            candidate["logprobsResult"] = {"topCandidates": steps}
        return {**shell, "candidates": [candidate]}

    def deltas(self, whole: Any, how: Streaming) -> Iterator[Body]:
        shell = {name: value for name, value in whole.items() if name not in ("candidates", "usageMetadata")}
        used = whole["usageMetadata"]
        if not whole.get("candidates"):
            yield whole
            return
        (candidate,) = whole["candidates"]
        for part in candidate["content"]["parts"]:
            pieces = [{**part, "text": text} for text in parts_of(part["text"], how)] if "text" in part else [part]
            for piece in pieces:
                so_far = {**used, "candidatesTokenCount": 0} if used else None
                content = {"role": "model", "parts": [piece]}
                yield {**shell, "candidates": [{"content": content, "index": 0}], "usageMetadata": so_far}
        rest = {name: value for name, value in candidate.items() if name != "content"}
        # The end of an answer brings an empty part, as it does at the provider.
        if how.comments:
            rest["content"] = {"role": "model", "parts": [{"text": ""}]}
        yield {**shell, "candidates": [rest], "usageMetadata": used}

    def error(self, status: int, error: dict[str, Any]) -> Any:
        kinds = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
        kinds |= {500: "INTERNAL", 503: "UNAVAILABLE"}
        kind = _error_kind(status, kinds, "INVALID_ARGUMENT")
        made = {"code": status, "message": error["message"], "status": kind}
        if error.get("retry_delay"):
            retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": error["retry_delay"]}
            made["details"] = [retry]
        return {"error": made}


class Responses(ForeignWire):
    """OpenAI's Responses, nothing stored."""

    name = "responses"
    mark = b'"object":"response"'
    known = frozenset(
        {"model", "input", "store", "include", "tools", "temperature", "top_p", "reasoning", "max_output_tokens"}
        | {"text", "top_logprobs", "instructions", "stream", "service_tier"}
    )

    def chat_body(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Body:
        self.check_fields(body)
        self.check(body.get("store") is False, "this server stores nothing")
        messages: list[dict[str, Any]] = []
        thoughts: set[str] = set()
        calling: dict[str, Any] | None = None
        for item in body["input"]:
            kind = item.get("type", "message")
            if kind == "reasoning":
                self.check(item["encrypted_content"] in self.emitted, "encrypted content could not be verified")
                thoughts.add(item["id"])
                continue
            if kind == "function_call":
                needed = item["call_id"].rpartition("/")[0]
                self.check(needed in thoughts, "function_call was provided without its required reasoning item")
                function = {"name": item["name"], "arguments": item["arguments"]}
                call = {"id": item["call_id"], "type": "function", "function": function}
                if calling is None:
                    calling = {"role": "assistant", "content": None, "tool_calls": []}
                    messages.append(calling)
                calling["tool_calls"].append(call)
                continue
            calling = None
            if kind == "function_call_output":
                messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
            else:
                messages.append({"role": item["role"], "content": self._content(item["content"])})
        chat: Body = {"model": body["model"], "messages": messages}
        for ours, theirs in (("temperature", "temperature"), ("max_tokens", "max_output_tokens")):
            if theirs in body:
                chat[ours] = body[theirs]
        if body.get("stream"):
            chat["stream"] = True
        if body.get("reasoning"):
            chat["reasoning_effort"] = body["reasoning"]["effort"]
        wanted = (body.get("text") or {}).get("format")
        if wanted:
            self.check(wanted.keys() == {"type", "name", "schema", "strict"}, "text.format")
            chat["response_format"] = _format(wanted["schema"])
        if body.get("top_logprobs"):
            self.check("message.output_text.logprobs" in body.get("include", ()), "top_logprobs needs include")
            chat |= {"logprobs": True, "top_logprobs": body["top_logprobs"]}
        if body.get("tools"):
            self.check(all(tool["strict"] is False for tool in body["tools"]), "tools: invalid strict schema")
            chat["tools"] = [_tool(t["name"], t.get("description"), t["parameters"]) for t in body["tools"]]
        return chat

    def _content(self, content: Any) -> Any:
        if isinstance(content, str):
            return content
        parts: list[Body] = []
        for part in content:
            if part["type"] == "input_image":
                parts.append({"type": "image_url", "image_url": {"url": part["image_url"]}})
            else:
                self.check(part["type"] in ("input_text", "output_text"), "content: unknown part")
                parts.append({"type": "text", "text": part["text"]})
        if all(part["type"] == "text" for part in parts):
            return "".join(part["text"] for part in parts)
        return parts

    def reply(self, answer: Body) -> Any:
        message, finish = _message(answer)
        number = answer["id"]
        output: list[Any] = [
            {
                "type": "reasoning",
                "id": f"rs_{number}",
                "summary": [{"type": "summary_text", "text": f"Thoughts about {number}."}],
                "encrypted_content": self.sign(number),
            }
        ]
        logprobs = answer["choices"][0].get("logprobs")
        if message.get("refusal"):
            content: Any = [{"type": "refusal", "refusal": message["refusal"]}]
        else:
            tokens = logprobs["content"] if logprobs else []
            text = message.get("content")
            content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": tokens}] if text else []
        if content:
            shell = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
            output.append({**shell, "content": content})
        for call in message.get("tool_calls") or []:
            own = {"type": "function_call", "id": f"fc_{call['id']}", "call_id": f"rs_{number}/{call['id']}"}
            output.append({**own, "status": "completed", **call["function"]})
        stops = {"length": "max_output_tokens", "content_filter": "content_filter"}
        used = answer.get("usage")
        return {
            "id": f"resp_{number}",
            "object": "response",
            "model": answer["model"],
            "status": "incomplete" if finish in stops else "completed",
            "incomplete_details": {"reason": stops[finish]} if finish in stops else None,
            "error": None,
            "output": output,
            "usage": {
                "input_tokens": used["prompt_tokens"],
                "input_tokens_details": used["prompt_tokens_details"],
                "output_tokens": used["completion_tokens"],
                "total_tokens": used["total_tokens"],
            }
            if used
            else None,
        }

    def deltas(self, whole: Any, how: Streaming) -> Iterator[Body]:
        shell = {**whole, "output": [], "usage": None, "status": "in_progress", "incomplete_details": None}
        yield {"type": "response.created", "response": shell}
        for place, item in enumerate(whole["output"]):
            yield {"type": "response.output_item.added", "output_index": place, "item": {**item, "content": []}}
            for part in item.get("content") or ():
                for text in parts_of(part.get("text") or "", how):
                    yield {"type": "response.output_text.delta", "output_index": place, "delta": text}
            for text in parts_of(item.get("arguments") or "", how):
                yield {"type": "response.function_call_arguments.delta", "output_index": place, "delta": text}
            yield {"type": "response.output_item.done", "output_index": place, "item": item}
        # Some servers do not repeat at the end what they have told item by item.
        end = {**whole, "output": []} if how.repeats_names else whole
        yield {"type": f"response.{whole['status']}", "response": end}

    def failure(self, status: int, message: str) -> Body:
        code = {429: "rate_limit_exceeded", 529: "server_is_overloaded"}.get(status, "server_error")
        if code == "server_error":
            return {"type": "error", "code": code, "message": message, "param": None}
        response = {"object": "response", "status": "failed", "error": {"code": code, "message": message}}
        return {"type": "response.failed", "response": response}

    def error(self, status: int, error: dict[str, Any]) -> Any:
        return {"error": error}


def foreign_wire(path: str, wires: Mapping[str, ForeignWire]) -> ForeignWire | None:
    """The wire that is spoken at `path`, if it is not chat completions."""
    if path == "/v1/messages":
        return wires["anthropic"]
    if path == "/v1/responses":
        return wires["responses"]
    return wires["gemini"] if path.startswith("/v1beta/models/") else None


def all_wires() -> dict[str, ForeignWire]:
    return {wire.name: wire for wire in (Messages(), Gemini(), Responses())}


def refusal(wire: ForeignWire, why: str) -> Reply:
    return wire.translated(error_reply(400, why))


def _plain_settings(body: Mapping[str, Any]) -> Body:
    return {name: body[name] for name in ("model", "max_tokens", "temperature") if name in body}


def _user_message(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not parts:
        return []
    if all(part["type"] == "text" for part in parts):
        return [{"role": "user", "content": "\n".join(part["text"] for part in parts)}]
    return [{"role": "user", "content": parts}]


def _tool(name: str, description: str | None, schema: Any) -> dict[str, Any]:
    function = {"name": name, "description": description or "", "parameters": schema or {"type": "object"}}
    return {"type": "function", "function": function}


def _format(schema: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
