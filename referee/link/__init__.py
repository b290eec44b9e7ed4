"""The link between the vision process (vision, laws, log) and the web server: either restarts alone.

The vision process listens on a socket in the data folder; web servers connect, and reconnect. Messages to them are
`live`, `line`, `match`, `board`, `preview`, `refused`, `health`, `setup`; to the vision process `correction`,
`running`, `new_match`, `preview_wanted`, `setup`, `setup_wanted`. The web end adds `link` when the connection is made
or lost.
"""

from referee.link.message import LinkError, Message
from referee.link.vision_end import VisionEnd
from referee.link.web_end import WebEnd

__all__ = ["LinkError", "Message", "VisionEnd", "WebEnd"]
