"""The API for health: `/health` for programs, `/metrics` for Prometheus, and the address as a QR code."""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import Annotated, Any

import segno
from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse

from referee.web.health import Health
from referee.web.metrics import CONTENT_TYPE, metrics
from referee.web.sessions import Authorisation

QR_SCALE = 8
"""Pixels per module of the QR code. Phones read it from an arm's length."""


def add_health_routes(app: FastAPI, health: Health, porter: Authorisation) -> None:
    """Adds the routes for the health of camera and machine, open to all on the network unless the server is private."""
    readers = [Depends(porter.reader)]

    @app.get("/health", dependencies=readers)
    async def report() -> JSONResponse:
        """`status` (ok, warning, failing), `alerts`, `eyes` and `machine`; 503 while nothing can be refereed."""
        report = health.report()
        failing = report["status"] == "failing"
        return JSONResponse(report, HTTPStatus.SERVICE_UNAVAILABLE if failing else HTTPStatus.OK)

    @app.get("/api/health", dependencies=readers)
    async def for_pages() -> dict[str, Any]:
        """The same as /health, always with 200: browsers would log each 503 as an error."""
        return health.report()

    @app.get("/metrics", dependencies=readers, response_class=Response)
    async def figures() -> Response:
        """The same as figures in Prometheus' text format."""
        return Response(metrics(health.report()), media_type=CONTENT_TYPE)

    @app.get("/api/address.svg", dependencies=readers, response_class=Response)
    async def address(request: Request, path: Annotated[str, Query(max_length=200, pattern=r"^/\w[\w/%~.-]*$")] = "/"
                      ) -> Response:  # fmt: skip
        """The address of a page, by default of the scoreboard, as used in this request, as a QR code (SVG)."""
        picture = io.BytesIO()
        code = segno.make(str(request.base_url).rstrip("/") + path, micro=False)
        code.save(picture, kind="svg", scale=QR_SCALE, border=4, light="white")
        return Response(picture.getvalue(), media_type="image/svg+xml")
