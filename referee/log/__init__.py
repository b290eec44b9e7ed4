"""The match log: append-only JSON lines, each with its own checksum; the only record from which a match is rebuilt."""

from referee.log.fact_lines import FACT_TYPES, fact_of, line_of
from referee.log.line import VERSION, DiskRefused, Line, LineError, LogError, decode, encode
from referee.log.reader import LogContents, LogTail, read_log, sync_log
from referee.log.rows import Problem
from referee.log.writer import LogWriter

__all__ = [
    "FACT_TYPES",
    "VERSION",
    "DiskRefused",
    "Line",
    "LineError",
    "LogContents",
    "LogError",
    "LogTail",
    "LogWriter",
    "Problem",
    "decode",
    "encode",
    "fact_of",
    "line_of",
    "read_log",
    "sync_log",
]
