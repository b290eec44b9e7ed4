"""The match log: append-only JSON lines, each with its own checksum; the only record from which a match is rebuilt."""

from referee.log.fact_lines import FACT_TYPES, fact_of, line_of
from referee.log.line import VERSION, Line, LineError, LogError, LogFailed, decode, encode
from referee.log.reader import LogContents, LogTail, forced, read_log
from referee.log.rows import Problem
from referee.log.writer import LogWriter

__all__ = [
    "FACT_TYPES",
    "VERSION",
    "Line",
    "LineError",
    "LogContents",
    "LogError",
    "LogFailed",
    "LogTail",
    "LogWriter",
    "Problem",
    "decode",
    "encode",
    "fact_of",
    "forced",
    "line_of",
    "read_log",
]
