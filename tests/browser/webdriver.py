"""A browser driven through WebDriver (https://www.w3.org/TR/webdriver2/), with the standard library alone."""

import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ARGUMENTS = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--window-size=1100,900",
             "--disable-background-networking"]


def missing():
    """What is not installed."""
    return [program for program in ("chromium", "chromedriver") if shutil.which(program) is None]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """One headless chromium with one page, of its own profile; on two cores when there are as many."""

    def __init__(self, profile, javascript=True):
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        cores = sorted(os.sched_getaffinity(0))[:2]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.session = None
        self.wait_for_driver()
        options = {"args": ARGUMENTS + [f"--user-data-dir={profile}"] + (["--no-sandbox"] if os.geteuid() == 0 else []),
                   "perfLoggingPrefs": {"enableNetwork": True}}
        if not javascript:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.call("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait(20)

    def wait_for_driver(self):
        for _ in range(200):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.05)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def open(self, path):
        self.do("POST", "/url", {"url": "file://" + str(path)})

    def script(self, text, *arguments):
        return self.do("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def script_until_done(self, text, *arguments):
        """Its last argument is a function to be called with the answer."""
        return self.do("POST", "/execute/async", {"script": text, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind):
        return self.do("POST", "/se/log", {"type": kind})

    def keys(self, *keys):
        """Types into whatever has the focus."""
        actions = [{"type": step, "value": key} for key in keys for step in ("keyDown", "keyUp")]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def move_to(self, x, y):
        move = {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y), "origin": "viewport"}
        self.do("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def pointer(self, *steps):
        """Steps are (x, y) to go to, "down" and "up"."""
        actions = []
        for step in steps:
            if isinstance(step, tuple):
                actions.append({"type": "pointerMove", "duration": 20, "x": round(step[0]), "y": round(step[1]),
                                "origin": "viewport"})
            else:
                actions.append({"type": "pointerDown" if step == "down" else "pointerUp", "button": 0})
        self.do("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def print_pdf(self):
        return base64.b64decode(self.do("POST", "/print", {"background": True}))

    def screenshot(self):
        return base64.b64decode(self.do("GET", "/screenshot"))


TAB, ENTER, ESCAPE, SHIFT = "\ue004", "\ue007", "\ue00c", "\ue008"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"
