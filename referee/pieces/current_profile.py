"""The known: the profile as it stands now, one object for all who watch strokes."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from calibration.profile import Colour, Profile
from models.pieces import Kind


class CurrentProfile:
    """Holds the profile, which is replaced as a whole when more is learned of the pieces or the camera was pushed."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def with_striker(self, colour: Colour | None) -> Profile:
        """The profile with a striker that looks so where its look is still to be learned; the same for the same."""
        if colour is None or Kind.STRIKER in self.profile.colours:
            return self.profile
        return _with_striker(self.profile, colour)


@lru_cache(maxsize=1)
def _with_striker(profile: Profile, colour: Colour) -> Profile:
    """A profile with a striker that looks so; kept, for the search of one picture is asked of one profile."""
    return replace(profile, colours={**profile.colours, Kind.STRIKER: colour})
