"""The pipe between the eyes (camera, vision, laws, log) and the house (web): either restarts without the other.

The eyes listen on a socket in the data folder, the house connects and connects again. To the house: `live`, `line`,
`match`, `board`, `preview`, `refused`, `health`, `setup`; to the eyes: `correction`, `running`, `new_match`,
`preview_wanted`, `setup`, `setup_wanted`; `link` is told by the house's own end when it gains or loses the eyes.
"""

from referee.link.eyes import EyesLink
from referee.link.house import HouseLink
from referee.link.message import LinkError, Message

__all__ = ["EyesLink", "HouseLink", "LinkError", "Message"]
