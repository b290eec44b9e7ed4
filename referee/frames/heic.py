"""HEIC pictures, as iPhones take them."""

from __future__ import annotations

import numpy as np
import pi_heif

from calibration.geometry.picture import U8

HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"})
"""Major brands of the files that telephones name .heic (ISO/IEC 23008-12, annex B)."""


def is_heic(data: bytes) -> bool:
    """Tells whether bytes begin as a HEIC picture does, whatever its name."""
    return data[4:8] == b"ftyp" and data[8:12] in HEIC_BRANDS


def from_heic(data: bytes) -> U8 | None:
    """Returns a HEIC picture (height, width, 3) BGR, turned as it states; None if it is damaged."""
    try:
        heic = pi_heif.open_heif(data, convert_hdr_to_8bit=True, bgr_mode=True)
        # A copy: the decoder's own memory is gone with `heic`.
        return np.ascontiguousarray(np.array(heic, np.uint8, copy=True)[:, :, :3])
    except (ValueError, RuntimeError, EOFError, OSError):
        return None
