"""Small real servers that send what network cameras send: MJPEG over HTTP, and H.264 over RTSP interleaved with RTP."""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import av
import numpy as np

SIZE = 208, 112
FPS = 25
SDP = ("v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=board\r\nt=0 0\r\na=control:*\r\nm=video 0 RTP/AVP 96\r\n"
       "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=control:track1\r\n")  # fmt: skip


def drawn(index: int, size: tuple[int, int] = SIZE) -> av.VideoFrame:
    """Returns a picture whose brightness follows its number."""
    return av.VideoFrame.from_ndarray(np.full((size[1], size[0], 3), 40 + 5 * (index % 40), np.uint8), "rgb24")


def jpeg(index: int, size: tuple[int, int] = SIZE) -> bytes:
    encoder = av.CodecContext.create("mjpeg", "w")
    encoder.width, encoder.height, encoder.pix_fmt = *size, "yuvj420p"
    encoder.time_base = Fraction(1, FPS)
    return b"".join(bytes(packet) for packet in [*encoder.encode(drawn(index, size)), *encoder.encode(None)])


Script = Callable[[int], Iterator[bytes]]
"""Returns the JPEG files to send on a connection (numbered from 0), at the pace at which it yields them."""


@contextmanager
def mjpeg_camera(
    script: Script, status: int = 200, kind: str = "multipart/x-mixed-replace; boundary=frame"
) -> Iterator[str]:
    """Serves MJPEG on a free port, and yields the address."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            number, server.connections = server.connections, server.connections + 1
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            for data in script(number):
                if "multipart" not in kind:
                    self.wfile.write(data)
                    continue
                head = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data)
                try:
                    self.wfile.write(head + data + b"\r\n")
                except OSError:
                    return

    class Server(ThreadingHTTPServer):
        connections = 0
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    with _serving(server):
        yield f"http://127.0.0.1:{server.server_port}/video"


@contextmanager
def rtsp_camera(pictures: int) -> Iterator[str]:
    """Serves so many pictures to each client, 25 a second, with the times of the camera's own clock, and yields the
    address.
    """

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while request := self.rfile.readline().decode().split():
                sequence = next(iter([row for row in self._rows() if row.lower().startswith("cseq")]), "CSeq: 0")
                answers = {"DESCRIBE": f"Content-Type: application/sdp\r\nContent-Length: {len(SDP)}\r\n\r\n{SDP}",
                           "SETUP": "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n\r\n",
                           "OPTIONS": "Public: DESCRIBE, SETUP, PLAY, TEARDOWN\r\n\r\n"}  # fmt: skip
                answer = answers.get(request[0], "Session: 1\r\n\r\n")
                self.wfile.write(f"RTSP/1.0 200 OK\r\n{sequence}\r\n{answer}".encode())
                if request[0] == "PLAY":
                    self._play()
                    return

        def _rows(self) -> Iterator[str]:
            while row := self.rfile.readline().decode().strip():
                yield row

        def _play(self) -> None:
            """Receives RTP packets from FFmpeg, and passes them on in the camera's connection."""
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as packets:
                packets.bind(("127.0.0.1", 0))
                packets.settimeout(1.0)
                sender = threading.Thread(target=_rtp, args=(packets.getsockname()[1], pictures), daemon=True)
                sender.start()
                try:
                    while data := packets.recv(65535):
                        self.wfile.write(b"$\0" + len(data).to_bytes(2, "big") + data)
                except OSError:
                    pass
                sender.join()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    with _serving(server):
        yield f"rtsp://127.0.0.1:{server.server_address[1]}/board"


def _rtp(port: int, pictures: int) -> None:
    with av.open(f"rtp://127.0.0.1:{port}", "w", format="rtp", options={"payload_type": "96"}) as container:
        stream = container.add_stream("libx264", rate=FPS, options={"preset": "ultrafast", "tune": "zerolatency"})
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        stream.codec_context.gop_size = 5
        began = time.monotonic()
        for index in range(pictures):
            frame = drawn(index).reformat(format="yuv420p")
            frame.pts, frame.time_base = index, Fraction(1, FPS)
            container.mux(stream.encode(frame))
            time.sleep(max(0.0, began + (index + 1) / FPS - time.monotonic()))


@contextmanager
def _serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
