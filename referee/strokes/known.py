"""The known: the profile as it stands now, one object for all who watch strokes."""

from __future__ import annotations

from calibration.profile import Profile


class Known:
    """Holds the profile, which is replaced as a whole when more is learned of the pieces or the camera was pushed."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
