"""Files and commands, behind a protocol: tools do not touch the machine themselves.

Owns the protocol, its errors, and `LocalEnv`, which is this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeVar

from letscode import _program

T = TypeVar("T")

# How long a command that was asked to end may take before it is killed.
_GRACE_SECONDS = 2.0


class FileErrorCode(StrEnum):
    """What kind of fault a file operation met."""

    NOT_FOUND = "not_found"
    PERMISSION_DENIED = "permission_denied"
    NOT_DIRECTORY = "not_directory"
    IS_DIRECTORY = "is_directory"
    INVALID = "invalid"
    NOT_SUPPORTED = "not_supported"
    UNKNOWN = "unknown"


class FileError(Exception):
    """A file operation failed."""

    def __init__(self, code: FileErrorCode, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.path = path


@dataclass
class ShellResult:
    """How a command ended, and what it wrote to stdout and stderr, in order."""

    exit_code: int
    output: bytes


class ExecutionEnv(Protocol):
    """A place with files and a shell. File operations raise `FileError`."""

    async def read_bytes(self, path: Path, *, limit: int | None = None) -> bytes:
        """Returns a file's bytes, at most `limit` of them."""
        ...

    async def read_text(self, path: Path, *, encoding: str = "utf-8") -> str:
        """Returns a file's text."""
        ...

    async def write_bytes(self, path: Path, data: bytes) -> None:
        """Makes or overwrites a file."""
        ...

    async def write_text(self, path: Path, content: str, *, encoding: str = "utf-8") -> None:
        """Makes or overwrites a file."""
        ...

    async def replace(self, src: Path, dst: Path) -> None:
        """Moves a file over another in one step."""
        ...

    async def exists(self, path: Path) -> bool:
        """Returns whether something is there."""
        ...

    async def is_file(self, path: Path) -> bool:
        """Returns whether a file is there."""
        ...

    async def mkdir(self, path: Path, *, parents: bool = False, exist_ok: bool = False) -> None:
        """Makes a folder."""
        ...

    async def unlink(self, path: Path, *, missing_ok: bool = False) -> None:
        """Removes a file."""
        ...

    async def run_shell(
        self, command: str, *, timeout: float, cancel_event: asyncio.Event
    ) -> ShellResult:
        """Runs a command. Raises TimeoutError after `timeout` seconds, CancelledError when the
        event is set; either way the command is gone."""
        ...


class LocalEnv:
    """This machine. File work happens off the event loop."""

    async def read_bytes(self, path: Path, *, limit: int | None = None) -> bytes:
        def read() -> bytes:
            with path.open("rb") as file:
                return file.read(-1 if limit is None else limit)

        return await _in_thread(read, path)

    async def read_text(self, path: Path, *, encoding: str = "utf-8") -> str:
        data = await self.read_bytes(path)
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            raise FileError(FileErrorCode.INVALID, f"{path} is not {encoding}", path) from error

    async def write_bytes(self, path: Path, data: bytes) -> None:
        await _in_thread(lambda: path.write_bytes(data), path)

    async def write_text(self, path: Path, content: str, *, encoding: str = "utf-8") -> None:
        await self.write_bytes(path, content.encode(encoding))

    async def replace(self, src: Path, dst: Path) -> None:
        await _in_thread(lambda: os.replace(src, dst), src)

    async def exists(self, path: Path) -> bool:
        return await _in_thread(path.exists, path)

    async def is_file(self, path: Path) -> bool:
        return await _in_thread(path.is_file, path)

    async def mkdir(self, path: Path, *, parents: bool = False, exist_ok: bool = False) -> None:
        await _in_thread(lambda: path.mkdir(parents=parents, exist_ok=exist_ok), path)

    async def unlink(self, path: Path, *, missing_ok: bool = False) -> None:
        await _in_thread(lambda: path.unlink(missing_ok=missing_ok), path)

    async def run_shell(
        self, command: str, *, timeout: float, cancel_event: asyncio.Event
    ) -> ShellResult:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=_environment(),
            start_new_session=True,
        )
        reading = asyncio.ensure_future(process.communicate())
        cancelling = asyncio.ensure_future(cancel_event.wait())
        try:
            await asyncio.wait(
                (reading, cancelling), timeout=timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if reading.done():
                output, _ = reading.result()
                return ShellResult(process.returncode or 0, output)
            if cancelling.done():
                raise asyncio.CancelledError
            raise TimeoutError(f"the command took longer than {timeout:g} seconds")
        finally:
            cancelling.cancel()
            if not reading.done():
                await _end(process, reading)


async def _in_thread(work: Callable[[], T], path: Path) -> T:
    try:
        return await asyncio.to_thread(work)
    except OSError as error:
        code = _CODES.get(error.errno or 0, FileErrorCode.UNKNOWN)
        raise FileError(code, str(error), path) from error


async def _end(
    process: asyncio.subprocess.Process, reading: asyncio.Future[tuple[bytes, bytes]]
) -> None:
    """Ends a command with all that it started, kindly first."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # Where there are no groups of processes, the shell alone is ended.
            if hasattr(os, "killpg"):
                os.killpg(process.pid, number)
            else:
                process.kill()
        done, _ = await asyncio.wait((reading,), timeout=_GRACE_SECONDS)
        if done:
            return
    reading.cancel()


_CODES = {
    errno.ENOENT: FileErrorCode.NOT_FOUND,
    errno.EACCES: FileErrorCode.PERMISSION_DENIED,
    errno.EPERM: FileErrorCode.PERMISSION_DENIED,
    errno.ENOTDIR: FileErrorCode.NOT_DIRECTORY,
    errno.EISDIR: FileErrorCode.IS_DIRECTORY,
    errno.EINVAL: FileErrorCode.INVALID,
    errno.ENOTSUP: FileErrorCode.NOT_SUPPORTED,
}


def _environment() -> dict[str, str]:
    """Returns the variables of a command: without those that only plugins get."""
    own = {name: value for name, value in os.environ.items() if name not in _program.lent}
    return own | _program.displaced
