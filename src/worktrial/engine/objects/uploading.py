"""Bringing what has finished to an object store while the run goes on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from worktrial.engine.notices import tell_on_stderr
from worktrial.errors import StopRun
from worktrial.stores.bucket import StoreFailed
from worktrial.stores.waiting import begun

if TYPE_CHECKING:
    from worktrial.engine.objects.shipment import Shipment

_LOOK_SECONDS = 1.0


@contextlib.asynccontextmanager
async def uploading(shipments: "Sequence[Shipment]") -> AsyncIterator[None]:
    """Send what is due, looked at once a second, for as long as the block lasts.

    A store that fails is told of, and asked again the next time: what has finished is in the folder.

    Raises:
        StopRun: somebody else has taken over the shard of one of them.
    """
    work = asyncio.current_task()
    assert work is not None
    stopped: list[StopRun] = []

    async def upload() -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            for shipment in shipments:
                if not shipment.is_due:
                    continue
                try:
                    await asyncio.wrap_future(begun(shipment.ship))
                except StoreFailed as e:
                    tell_on_stderr(f"{e} (the run goes on; what it did is in {shipment.folder})")
                except StopRun as e:
                    stopped.append(e)
                    work.cancel()
                    return

    uploader = asyncio.create_task(upload())
    try:
        yield
    except asyncio.CancelledError:
        if stopped and not work.uncancel():
            raise stopped[0] from None
        raise
    finally:
        uploader.cancel()
