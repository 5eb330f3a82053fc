"""The last step of a session that wants faces: for the suite as it has just been published."""

from collections.abc import Callable, Sequence

from worktrial.engine.roles import Role
from worktrial.synthesis.desk import Desk
from worktrial.synthesis.face.making import Chosen, FaceMaker
from worktrial.synthesis.face.record import FaceRecord
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.pipeline import SlotEnd
from worktrial.synthesis.provenance import Ledger
from worktrial.synthesis.stages.execution import RunSettings


async def make_faces(
    folder: SuiteFolder,
    ends: Sequence[SlotEnd],
    selected: Sequence[str],
    *,
    desk: Desk,
    ledger: Ledger,
    run_settings: RunSettings,
    warn: Callable[[str], None],
) -> list[FaceRecord]:
    """Faces for the selected slots; see `FaceMaker.make`."""
    chosen = [
        Chosen(end.slot, end.workplace, end.task)
        for end in ends
        if end.slot.id in set(selected) and end.workplace is not None and end.task is not None
    ]
    simulator = desk.roles[Role.SIMULATOR.value]
    maker = FaceMaker(
        folder=folder,
        ledger=ledger,
        author=desk.author,
        simulator=lambda salt: desk.line(Role.SIMULATOR.value, salt),
        simulator_name=simulator.model,
        settings={"simulator": simulator.fingerprint()},
        prompt=run_settings.simulator_prompt,
        clock=run_settings.clock,
        warn=warn,
    )
    return await maker.make(chosen)
