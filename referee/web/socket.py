"""The WebSocket: full state on connecting, then differences."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from fastapi import FastAPI, WebSocket, WebSocketDisconnect

from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.web.broadcast import Broadcast
from referee.web.connections import ViewerCount
from referee.web.guard import client_address, log_refusal, same_origin
from referee.web.read_api import LanguageCode, known
from referee.web.sessions import Authorisation

TRY_LATER = 1013
"""WebSocket close code "try again later"."""
POLICY_VIOLATION = 1008
"""WebSocket close code "policy violation": another site's page, or a reader without the required session."""


def add_socket(app: FastAPI, broadcast: Broadcast, porter: Authorisation) -> None:
    """Adds `/ws`. Viewers only listen."""
    viewers = ViewerCount()

    @app.websocket("/ws")
    async def watch(socket: WebSocket, lang: LanguageCode = DEFAULT_LANGUAGE) -> None:
        if not (same_origin(socket.headers, socket.scope.get("carrom.names", ())) and porter.may_read(socket)):
            log_refusal(socket.scope, "another site's page, or a reader who has not signed in")
            await socket.close(POLICY_VIOLATION)
            return
        with viewers.admitted(client_address(socket.scope)) as is_admitted:
            if not is_admitted:
                log_refusal(socket.scope, "too many open pages of one address")
                await socket.close(TRY_LATER)
                return
            await socket.accept()
            async with asyncio.TaskGroup() as tasks:
                sending = tasks.create_task(_send_changes(socket, broadcast, known(lang)))
                await _left(socket)
                sending.cancel()


async def _send_changes(socket: WebSocket, broadcast: Broadcast, language: str) -> None:
    """Sends the broadcast's messages; a page that reads slowly delays only this task."""
    async with aclosing(broadcast.messages(language)) as messages:
        try:
            async for message in messages:
                await socket.send_text(message)
        except WebSocketDisconnect:
            return


async def _left(socket: WebSocket) -> None:
    """Returns when the page has gone; its messages are ignored."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        continue
