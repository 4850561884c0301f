"""Drives Chromium through its DevTools protocol, over two pipes.

Why not a package: Debian has none for it but Selenium, whose driver doubles what a test machine must fetch, and
a page that is looked at from disk needs a dozen commands. https://chromedevtools.github.io/devtools-protocol/
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAMS = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome", "google-chrome-stable"]
# Keys that do something by themselves, which their names alone don't.
EFFECTS = {"Enter": {"text": "\r"}, "Escape": {"windowsVirtualKeyCode": 27}}
PATIENCE = 60  # seconds until what doesn't come counts as missing


def find():
    """Path of a Chromium; the environment's CHROMIUM comes first. None if there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """A process of its own, with a profile of its own, for a with statement."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="report-chromium-", ignore_cleanup_errors=True)
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        # Chromium reads commands from 3 and answers on 4. A container's root has no sandbox, and often little /dev/shm.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "bash", program,
             "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
             "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_read, from_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.to, self.answers = to_write, from_read
        self.buffer = b""
        self.last = 0
        self.events = []  # (session, method, parameters) that nobody has taken yet

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(PATIENCE)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.profile.cleanup()

    def call(self, method, session=None, **parameters):
        """The answer to a command. Events that come meanwhile are kept."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self._receive(f"an answer to {method}")
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error'].get('message')}")
                return answer["result"]

    def event(self, session, method):
        """The parameters of the next event `method`."""
        while True:
            for index, (of, name, parameters) in enumerate(self.events):
                if of == session and name == method:
                    del self.events[index]
                    return parameters
            self._receive(method)

    def _receive(self, what):
        """The next message; an event is kept in `events`."""
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            data = os.read(self.answers, 1 << 20) if ready else None
            if not data:
                raise TimeoutError(f"Chromium {'has ended' if ready else f'is silent for {PATIENCE} s'}: no {what}")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append((message.get("sessionId"), message["method"], message["params"]))
        return message


class Page:
    """A tab, for a with statement. `complaints` has what the page said on its console, and what it tried to load."""

    def __init__(self, browser, width=1280, height=900, theme="light"):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]  # with a storage of its own
        self.target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.browser.event(self.session, "Page.loadEventFired")

    def reload(self):
        self.call("Page.reload")
        self.browser.event(self.session, "Page.loadEventFired")

    def evaluate(self, expression):
        """The value of a JavaScript expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def wait(self, expression, patience=PATIENCE):
        """Returns as soon as the expression is true."""
        end = time.monotonic() + patience
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {patience} s: {expression}")
            time.sleep(0.02)

    def complaints(self):
        self.evaluate("0")  # what came before this answer is here
        found = []
        for _, method, event in [e for e in self.browser.events if e[0] == self.session]:
            if method == "Runtime.exceptionThrown":
                found.append(event["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
                found.append(f"{event['type']}: {[a.get('value', a.get('description')) for a in event['args']]}")
            elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
                found.append(event["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not event["request"]["url"].startswith(("file:", "data:", "blob:")):
                found.append(f"loads {event['request']['url']}")
        return found

    def point(self, x, y):
        """Moves the mouse there, in pixels of the window."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def hover(self, selector, dx, dy):
        """Moves the mouse to a place in the first such element, which is brought into sight."""
        x, y = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center', behavior: 'instant'}});"
            " const r = e.getBoundingClientRect(); return [r.x, r.y]; })()")
        self.point(x + dx, y + dy)

    def click(self, x, y):
        """The left button, there."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def choose_file(self, selector, path):
        """As if somebody had chosen it in the file input."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        self.call("DOM.setFileInputFiles", files=[str(path)], nodeId=self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"])

    def press(self, key):
        """One key, as it is named by KeyboardEvent.key."""
        effect = EFFECTS.get(key, {"text": key} if len(key) == 1 else {})
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **effect)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])

    def picture(self, path, clip=None):
        """Writes a PNG of the whole page, or of [x, y, width, height] of it."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        x, y, width, height = clip or (0, 0, size["width"], size["height"])
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": x, "y": y, "width": width, "height": height, "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


if __name__ == "__main__":
    # For scripts/setup: is there one?
    sys.exit(0 if find() else 1)
