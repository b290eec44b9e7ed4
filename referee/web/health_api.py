"""The API for health: `/health` for programs, `/metrics` for Prometheus, and the address as a picture to scan."""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Annotated, Any

import segno
from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse

from referee.web.health import Health
from referee.web.metrics import CONTENT_TYPE, metrics
from referee.web.sessions import Porter

QR_SCALE = 8
"""Pixels for each of the code's squares: phones read it from an arm's length."""


def add_telling(app: FastAPI, health: Health, porter: Porter) -> None:
    """What anybody on the network may read of the camera's and the machine's health, unless the house is private."""
    readers = [Depends(porter.reader)]

    @app.get("/health", dependencies=readers)
    async def report() -> JSONResponse:
        """`status` (ok, warning, failing), `alerts`, `eyes` and `machine`; 503 while nothing can be refereed."""
        report = health.report()
        failing = report["status"] == "failing"
        return JSONResponse(report, HTTPStatus.SERVICE_UNAVAILABLE if failing else HTTPStatus.OK)

    @app.get("/api/health", dependencies=readers)
    async def for_pages() -> dict[str, Any]:
        """The same, always with 200: for pages, whose browsers would log each 503 as an error."""
        return health.report()

    @app.get("/metrics", dependencies=readers, response_class=Response)
    async def figures() -> Response:
        """The same as figures in Prometheus' text format."""
        return Response(metrics(health.report()), media_type=CONTENT_TYPE)

    @app.get("/api/address.svg", dependencies=readers, response_class=Response)
    async def address(request: Request, path: Annotated[str, Query(max_length=200, pattern=r"^/\w[\w/%~.-]*$")] = "/"
                      ) -> Response:  # fmt: skip
        """The address of a page (`path`), as this was asked for, as a QR code (SVG); left out: of the scoreboard."""
        picture = io.BytesIO()
        code = segno.make(str(request.base_url).rstrip("/") + path, micro=False)
        code.save(picture, kind="svg", scale=QR_SCALE, border=4, light="white")
        return Response(picture.getvalue(), media_type="image/svg+xml")
