"""The current profile: how a striker not yet learned looks."""

from __future__ import annotations

from dataclasses import replace

from sim_scenes import FORMATION, studio

from calibration.profile import Colour, Profile
from models.pieces import Kind
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.detector import learn_colours


def learned(*unseen: Kind) -> Profile:
    """A profile that knows the looks of all coins but the `unseen` kinds."""
    profile = learn_colours(studio().profile, [studio().picture(FORMATION)])
    return replace(profile, colours={k: look for k, look in profile.colours.items() if k not in unseen})


def test_a_striker_looks_as_it_did_where_it_stood_until_its_look_is_learned() -> None:
    look, other = (Colour((level, 0.0, 0.0), (2.0, 2.0, 2.0)) for level in (90.0, 95.0))
    known = CurrentProfile(learned())
    assert Kind.STRIKER not in known.profile.colours
    assert known.with_striker(None) is known.profile
    inferred_side = known.with_striker(look)
    assert inferred_side.colours == {**known.profile.colours, Kind.STRIKER: look}
    assert known.with_striker(look) is inferred_side, "searches of the same picture for the same are not made twice"
    assert known.with_striker(other).colours[Kind.STRIKER] is other
    known.profile = inferred_side
    assert known.with_striker(other) is inferred_side
