"""Judging in a process of its own, so that a match or a clip that ends it, or never ends, does so to this job alone.

Tasks and results are lines of JSON on the process's standard input and output.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict

from referee.pipeline.judge_again import JudgeError, JudgeResult, JudgeTask, judge_task

JUDGE_PROGRAM = "from referee.pipeline.judge_process import serve_tasks; serve_tasks()"
JUDGE_LINE_BYTES = 64 << 20
"""Greatest length of a line: every stroke of a long match differs."""
JUDGE_SECONDS = 600.0
"""Longest time for one task, s: a stroke's clip takes some seconds, a match's log of two thousand strokes one."""
JUDGE_MEMORY_BYTES = 4 << 30
"""Memory limit of the process, bytes."""
JUDGE_NICE = 10
"""It yields to everything that is played meanwhile."""


class JudgeProcess:
    """One process, started when it is needed and after it ended."""

    def __init__(self, seconds: float = JUDGE_SECONDS) -> None:
        self._seconds = seconds
        self._process: asyncio.subprocess.Process | None = None

    async def judge(self, task: JudgeTask) -> JudgeResult:
        """Judges a task. Raises JudgeError."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", JUDGE_PROGRAM, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                limit=JUDGE_LINE_BYTES,
            )  # fmt: skip
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._ask(self._process, task)
        except TimeoutError:
            await self.close()
            raise JudgeError(f"it took longer than {self._seconds:g} s") from None
        except asyncio.CancelledError:
            await self.close()
            raise
        if not answer:
            raise JudgeError(f"the process that judged it ended ({await self._process.wait()})")
        said = json.loads(answer)
        if "problem" in said:
            raise JudgeError(said["problem"])
        return JudgeResult(**said | {"rows": tuple((n, text) for n, text in said["rows"])})

    async def _ask(self, process: asyncio.subprocess.Process, task: JudgeTask) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(asdict(task)).encode() + b"\n")
            await process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            return b""
        return await process.stdout.readline()

    async def close(self) -> None:
        """Ends the process, whatever it does."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


def serve_tasks() -> None:
    """Judges the tasks of the standard input, one a line, until it ends."""
    _limit()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    for text in sys.stdin:
        try:
            answer = asdict(judge_task(JudgeTask(**json.loads(text))))
        except JudgeError as e:
            answer = {"problem": str(e)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _limit() -> None:
    if sys.platform == "win32":
        return
    import resource

    os.nice(JUDGE_NICE)
    resource.setrlimit(resource.RLIMIT_DATA, (JUDGE_MEMORY_BYTES, JUDGE_MEMORY_BYTES))
