"""Play a workplace by hand, with no model: the executable face of a starter workplace.

python examples/play_a_workplace.py
"""

import asyncio

from worktrial.suites.starter import load_workplace


async def main() -> None:
    """Make a call that works, one that the schema refuses, and one that the workplace refuses."""
    workplace = load_workplace("emergency_triage")
    print("tools:", ", ".join(tool.name for tool in workplace.artifact.tools))
    session = workplace.open()
    for tool, arguments in (
        ("get_patient", {"patient_id": "P-312"}),
        ("get_patient", {"patient": "P-312"}),
        ("get_patient", {"patient_id": "P-999"}),
    ):
        observation = await session.call(tool, arguments)
        print(f"{tool} {arguments} -> {observation.content}")


if __name__ == "__main__":
    asyncio.run(main())
