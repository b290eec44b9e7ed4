"""What the vision process tells the pages: how often."""

from __future__ import annotations

import pytest

from referee.pipeline.publisher import PublishingRate


@pytest.mark.parametrize("fps", [25.0, 30.0, 50.0, 60.0, 90.0, 120.0])
def test_at_any_frame_rate_pages_get_twenty_live_pictures_a_second_and_no_flood(fps: float) -> None:
    due = PublishingRate()
    told = sum(due(frame / fps) for frame in range(round(10 * fps)))
    assert 200 <= told <= 260


def test_a_pause_is_not_made_up_for() -> None:
    due = PublishingRate(0.1)
    assert due(0.0)
    assert [due(10.0 + i / 100) for i in range(10)].count(True) <= 2
