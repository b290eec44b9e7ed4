"""The profile as it is now: one mutable holder shared by everything that observes strokes."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from calibration.profile import Colour, Profile
from models.pieces import Kind


class CurrentProfile:
    """Holds the profile. It is replaced as a whole when colours are learned or the camera was pushed."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def with_striker(self, colour: Colour | None) -> Profile:
        """Returns the profile with this striker colour, if its own is not learned yet; the same object for the same
        colour.
        """
        if colour is None or Kind.STRIKER in self.profile.colours:
            return self.profile
        return _with_striker(self.profile, colour)


@lru_cache(maxsize=1)
def _with_striker(profile: Profile, colour: Colour) -> Profile:
    """Returns the profile with a striker colour. Cached, because the search of one picture asks several times."""
    return replace(profile, colours={**profile.colours, Kind.STRIKER: colour})
