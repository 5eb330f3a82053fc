"""`python -m tests.support.local_model_holder`: serves the small model until it is interrupted.

Prints the process id of the server; after SIGINT the status of one more answer; at the end `stopped`.
"""

import asyncio
import signal

from tests.support.local_model import chat, small_file

from worktrial.engine.local.serve import LocalModel


async def _main() -> None:
    interrupted = asyncio.Event()
    async with LocalModel(small_file()) as model:
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted.set)
        print(model.pid, flush=True)
        await interrupted.wait()
        reply = await asyncio.to_thread(
            chat, model.base_url, model.api_key, messages=[{"role": "user", "content": "Say yes."}], max_tokens=2
        )
        print(reply.status, flush=True)
    print("stopped", flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
