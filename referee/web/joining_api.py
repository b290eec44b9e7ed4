"""The API by which a board joins a hall: the invitation as text, or as a picture of its QR code; PIN required."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field

from referee.log.identity import station_of
from referee.membership.invitation import InvitationError, invitation_of
from referee.membership.join import join_hall
from referee.membership.place import MembershipError, leave, membership_of
from referee.web.sessions import Authorisation


class JoinRequest(BaseModel):
    """The body of POST /api/hall."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    invitation: str = Field(max_length=400)
    """Text of the QR code that the chief's desk shows."""
    name: str = Field(default="", max_length=40)
    """Name of this board in the hall, such as 7."""


def add_joining(app: FastAPI, folder: Path, porter: Authorisation) -> None:
    """Adds the routes. `folder`: the board's data folder."""
    owners = [Depends(porter.owner)]

    @app.get("/api/hall", dependencies=[Depends(porter.reader)])
    def hall() -> dict[str, Any]:
        """The hall to which this board belongs: `hub` is the address of its pages, null in none."""
        try:
            place = membership_of(folder)
        except MembershipError:
            place = None
        return {"hub": place.hub if place else None}

    @app.post("/api/hall", dependencies=owners)
    def enter(wish: JoinRequest) -> dict[str, Any]:
        """Joins the hall of an invitation."""
        return {"hub": _joined(folder, wish.invitation, wish.name)}

    @app.put("/api/hall/picture", dependencies=owners)
    async def read(request: Request) -> dict[str, Any]:
        """Reads the invitation in a photograph (JPEG or PNG) of the QR code; nothing is joined yet."""
        return {"invitation": await asyncio.to_thread(_text_in, await request.body())}

    @app.delete("/api/hall", dependencies=owners, status_code=HTTPStatus.NO_CONTENT)
    def leave_hall() -> None:
        """Leaves the hall; the matches stay where they are."""
        leave(folder)


def _joined(folder: Path, text: str, name: str) -> str:
    try:
        return join_hall(invitation_of(text), station_of(folder, name), folder).hub
    except InvitationError as e:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(e)) from None


def _text_in(picture: bytes) -> str:
    """Returns the text of the QR code in a picture. Raises HTTPException."""
    # OpenCV is loaded for this alone; the server needs no pixels otherwise.
    import cv2
    import numpy as np

    try:
        image = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_GRAYSCALE)
        text = cv2.QRCodeDetectorAruco().detectAndDecode(image)[0] if image is not None else ""
        return str(invitation_of(text))
    except (cv2.error, InvitationError):
        why = "there is no invitation to a hall in this picture: fill the picture with the code, or enter its text"
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, why) from None
