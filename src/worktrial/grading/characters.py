"""Text that can leave the process."""


def encodable(text: str) -> str:
    r"""`text` with lone surrogates, which models produce by broken escapes, spelled out as `\udXXX`.

    Inside a JSON string that spelling is the character's own escape.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
