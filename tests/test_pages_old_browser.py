"""A browser that cannot show the pages says so in plain words, and one that can says nothing of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from web_stage import Eyes

from referee.web.process import WebProcess

OLD = "/usr/bin/python3"
"""The system's Python, whose python3-pyqt5.qtwebengine is an engine of Chrome 87."""
LOOK = """
import sys
from PyQt5.QtCore import QTimer, QUrl
from PyQt5.QtWebEngineWidgets import QWebEngineView
from PyQt5.QtWidgets import QApplication
app = QApplication(["look", "--no-sandbox", "--disable-gpu"])
view = QWebEngineView()
view.resize(1280, 800)
view.show()
page = view.page()
def told(text):
    print(text)
    app.quit()
page.loadFinished.connect(lambda good: page.runJavaScript("document.body.innerText", told))
page.load(QUrl(sys.argv[1]))
QTimer.singleShot(60000, app.quit)
app.exec_()
"""


def test_a_browser_of_today_is_not_told_that_it_is_old(page: Page, house: WebProcess, eyes: Eyes) -> None:
    page.goto(house.urls[0])
    expect(page.locator(".old-browser")).to_have_count(1)
    expect(page.locator(".old-browser")).to_be_hidden()


def test_a_browser_of_chrome_87_is_told_which_one_is_needed(house: WebProcess, eyes: Eyes, tmp_path: Path) -> None:
    has_engine = subprocess.run([OLD, "-c", "import PyQt5.QtWebEngineWidgets"], capture_output=True, check=False)
    if has_engine.returncode or not shutil.which("xvfb-run"):
        pytest.skip("no old engine: apt-get install python3-pyqt5.qtwebengine xvfb")
    script = tmp_path / "look.py"
    script.write_text(LOOK)
    environment = {**os.environ, "QTWEBENGINE_DISABLE_SANDBOX": "1", "XDG_RUNTIME_DIR": str(tmp_path)}
    look = ["xvfb-run", "-a", OLD, str(script), house.urls[0]]
    told = subprocess.run(look, capture_output=True, text=True, timeout=120, check=False, env=environment)
    print(told.stderr, file=sys.stderr)
    assert "This browser is too old" in told.stdout
    assert "Chrome or Edge 111" in told.stdout
