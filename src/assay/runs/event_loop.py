"""The event loop for a method's coroutines, kept from one item to the next.

So clients and connections that a method opens stay open. In the method's own process the loop runs
on the main thread. In the caller's process it runs on its own thread: in a notebook the main thread
already runs a loop, and cannot run a second one. asyncio is imported when a method first needs it.
"""

from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    import threading

_CLOSING_SECONDS = 5.0
_Outcome = tuple[object, BaseException | None]
_Coroutine = Coroutine[Any, Any, _Outcome]


class EventLoop:
    """Runs one awaitable at a time; started by the first."""

    def __init__(self, *, own_thread: bool) -> None:
        self.own_thread = own_thread
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closing = False

    def run(self, awaitable: Awaitable[object]) -> object:
        """The result of an awaitable; its exceptions are raised here."""
        loop = self._loop or self._start()
        outcome = _outcome(awaitable)
        answer, error = self._there(loop, outcome) if self.own_thread else _here(loop, outcome)
        if error is not None:
            raise error
        return answer

    def close(self) -> None:
        """Cancel the remaining tasks and end the loop; a second call does nothing.

        A task that does not end when it is cancelled is abandoned.
        """
        loop, self._loop = self._loop, None
        if loop is None:
            return
        import asyncio

        self._closing = True
        loop.set_exception_handler(lambda *_: None)  # what they say of their end is of no use
        if self._thread is None:
            loop.run_until_complete(_cancel_others())
            loop.close()
            return
        cancelled = asyncio.run_coroutine_threadsafe(_cancel_others(), loop)
        with suppress(TimeoutError):
            cancelled.result(2 * _CLOSING_SECONDS)
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join(_CLOSING_SECONDS)
        if not self._thread.is_alive():
            loop.close()

    def _start(self) -> "asyncio.AbstractEventLoop":
        import asyncio
        import threading

        self._loop, self._closing = asyncio.new_event_loop(), False
        if self.own_thread:
            self._thread = threading.Thread(
                target=self._serve, args=(self._loop,), name="assay-method", daemon=True
            )
            self._thread.start()
        return self._loop

    def _serve(self, loop: "asyncio.AbstractEventLoop") -> None:
        """Run the loop until it is closed, even if a task stops it or asks to exit."""
        while not self._closing:
            with suppress(BaseException):
                loop.run_forever()

    def _there(self, loop: "asyncio.AbstractEventLoop", outcome: _Coroutine) -> _Outcome:
        import asyncio

        future = asyncio.run_coroutine_threadsafe(outcome, loop)
        try:
            return future.result()
        except BaseException:  # an interrupt of the user
            future.cancel()
            raise


def _here(loop: "asyncio.AbstractEventLoop", outcome: _Coroutine) -> _Outcome:
    task = loop.create_task(outcome)
    try:
        return loop.run_until_complete(task)
    except BaseException:  # another task has asked to exit
        task.cancel()
        raise


async def _outcome(awaitable: Awaitable[object]) -> _Outcome:
    """What an awaitable returns, or raises: a raised SystemExit would end the loop."""
    try:
        return await awaitable, None
    except BaseException as error:  # raised again by `run`
        return None, error


async def _cancel_others() -> None:
    """Cancel every other task of the loop, and wait until they have ended."""
    import asyncio

    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=_CLOSING_SECONDS)
    await asyncio.get_running_loop().shutdown_asyncgens()
