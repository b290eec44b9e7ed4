"""The link between the eyes (camera process: vision, laws, log) and the house (web process): either restarts alone.

The eyes listen on a socket in the data folder; the house connects, and reconnects. Messages to the house are `live`,
`line`, `match`, `board`, `preview`, `refused`, `health`, `setup`; to the eyes `correction`, `running`, `new_match`,
`preview_wanted`, `setup`, `setup_wanted`. The house's own end adds `link` when the connection is made or lost.
"""

from referee.link.eyes import CameraEnd
from referee.link.house import WebEnd
from referee.link.message import LinkError, Message

__all__ = ["CameraEnd", "LinkError", "Message", "WebEnd"]
