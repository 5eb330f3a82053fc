"""Verdict of the workplace as a reward: 1 for a pass, 0 for a fail, and none for work that has no verdict."""

import json
import sys
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def main(episode: str, folder: Path) -> int:
    """Hand in what was done, and write down what is said of it.

    Args:
        episode: Address of the episode.
        folder: Place of `reward.txt` and `verdict.json`.
    """
    try:
        # Of work that the agent has handed in itself, this gives the verdict; else it is judged as it stands.
        asked(f"{episode}/finish", {"answer": ""})
    except HTTPError as e:
        # 409: a limit has ended the work.
        if e.code != 409:
            raise
    while (state := asked(episode))["state"] != "over":
        time.sleep(0.2)
    (folder / "verdict.json").write_text(json.dumps(state, ensure_ascii=False), "utf-8")
    print(state["outcome"], state["reason"])
    if state["outcome"] == "invalid":
        return 1
    (folder / "reward.txt").write_text("1" if state["outcome"] == "pass" else "0", "utf-8")
    return 0


def asked(url: str, body: Any = None) -> Any:
    """Answer of the workplace."""
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"Content-Type": "application/json"})) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
