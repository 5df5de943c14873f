"""One line that is rewritten on a terminal and in a notebook, a line at the end elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any


def _clock(seconds: float) -> str:
    seconds = max(0, round(seconds))
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _notebook() -> bool:
    return "ipykernel" in sys.modules


class Progress:
    """What training says while it runs, on standard error."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown and sys.stderr is not None
        self._rewritten = self._shown and (_notebook() or sys.stderr.isatty())
        self._open = 0  # the length of the line that is there
        self._last = 0.0

    def say(self, text: str) -> None:
        """A part of a line, as it is."""
        if self._shown:
            sys.stderr.write(text)
            sys.stderr.flush()

    def epoch(self, report: dict[str, Any]) -> None:
        """The line of an epoch."""
        now = time.monotonic()
        done = report["epoch"] == report["epochs"]
        if not self._rewritten or (now - self._last < 0.1 and not done):
            return
        self._last = now
        line = f"epoch {report['epoch']}/{report['epochs']}  loss {report['loss']:.4g}"
        for name, value in report.get("validation", {}).items():
            line += f"  {name} {value:.3g}"
        line += f"  {_clock(report['seconds_left'])} left"
        self.say("\r" + line.ljust(self._open))
        self._open = len(line)

    def close(self) -> None:
        """What is printed next stands below."""
        if self._open:
            self.say("\n")
            self._open = 0
