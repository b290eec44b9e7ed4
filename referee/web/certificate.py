"""The box's own certificate, for HTTPS where no authority knows its name: browsers ask once."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

CERTIFICATE_NAME = "carrom"
DAYS = 3650
MAKE_S = 60.0
"""Longest wait for a key, s. A Pi needs one second."""


class CertificateError(Exception):
    """There is no certificate; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Certificate and key files in PEM."""

    cert: Path
    key: Path


def own_certificate(folder: Path, address: str | None) -> Certificate:
    """Returns the certificate in `folder`, created at the first call, for this machine's names and `address`.

    Raises CertificateError.
    """
    stored = Certificate(folder / f"{CERTIFICATE_NAME}.crt", folder / f"{CERTIFICATE_NAME}.key")
    if stored.cert.is_file() and stored.key.is_file() and stored.cert.stat().st_size and stored.key.stat().st_size:
        return stored
    if not shutil.which("openssl"):
        raise CertificateError("openssl is not installed: install it, or give a certificate with --cert and --key")
    host = socket.gethostname() or "localhost"
    names = [f"DNS:{name}" for name in dict.fromkeys((host, f"{host}.local", "carrom.local", "localhost"))]
    names += [f"IP:{each}" for each in dict.fromkeys(("127.0.0.1", "10.42.0.1", *([address] if address else [])))]
    part = stored.key.with_suffix(".key.part")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
               "-days", str(DAYS), "-subj", f"/CN={host[:60]}", "-addext", f"subjectAltName={','.join(names)}",
               "-keyout", str(part), "-out", str(stored.cert)]  # fmt: skip
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=MAKE_S)
        os.replace(part, stored.key)
    except (OSError, subprocess.SubprocessError) as e:
        said = getattr(e, "stderr", "") or str(e)
        raise CertificateError(f"no certificate could be made in {folder}: {said.strip().splitlines()[-1]}") from None
    return stored
