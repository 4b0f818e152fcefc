"""One request with its retries, errors, the lists' further pages, and a lot's stream.

It knows no operation: ``client.py``, which is made from the API's description, names them all.
"""

import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

TIMEOUT_S = 30
RETRIES = 4
FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 10
# Whoever asks to wait longer than this gets the decision back.
LONGEST_REQUESTED_S = 60
# The server sends something every 15 seconds.
SILENCE_S = 45
# Tries to open a stream one after the other, before it is given up.
STREAM_TRIES = 10


class RostrumError(Exception):
    """A refusal with its code, or no answer at all, which has ``status`` 0."""

    def __init__(self, message, status=0, refusal=None, request_id=None, retry_after=None):
        super().__init__(message)
        refusal = refusal or {}
        self.message = message
        self.status = status
        #: For programs, such as ``bid_too_low``; None where the status says everything.
        self.code = refusal.get("code")
        #: What helps to correct the request.
        self.data = refusal.get("data") or {}
        #: Messages by field, of a request that is not valid.
        self.errors = refusal.get("errors") or {}
        #: To name to the operator.
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def is_passing(self):
        """Whether a moment later the answer may be another."""
        return self.status in (0, 429, 502, 503, 504)


class Core:
    """What every method of the client stands on."""

    def __init__(self, url, token=None, *, team_id=None, retries=RETRIES, timeout=TIMEOUT_S):
        self._url = url.rstrip("/")
        self._token = token
        self._team_id = team_id
        self._retries = retries
        self._timeout = timeout

    def _call(self, method, path, params=None, body=None, *, form=False, raw=False, key=None, of_team=False,
              team_id=None, accept=None):
        headers = {"Accept": accept or ("*/*" if raw else "application/json")}
        data = None
        if body is not None and form:
            data, headers["Content-Type"] = _form(body)
        elif body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        team = team_id or self._team_id
        if of_team and team is not None:
            headers["X-Team-Id"] = str(team)
        repeatable = key is not None or method not in ("POST", "PATCH")
        url = self._address(path, params)
        content = self._try(lambda: self._read(method, url, data, headers), repeatable)
        if raw:
            return content
        return json.loads(content) if content else None

    def _rows(self, call, params):
        """Every row of a list, over all its pages, in whichever of the two forms the list has."""
        page = last = 1
        while page <= last:
            answer = call(**{**params, "page": page})
            data = answer["data"]
            yield from data if isinstance(data, list) else data["data"]
            last = (answer.get("meta") or {}).get("last_page", 1) if isinstance(data, list) else data["last_page"]
            page += 1

    def _events(self, path, last_event_id=None):
        """A lot's events as they happen; a lost connection is opened again and continues after the last event."""
        url = self._address(path, None)
        position, tries = last_event_id, 1
        while True:
            try:
                with self._open(url, position) as answer:
                    if answer.status == 204:
                        return
                    for event in _read_events(answer):
                        tries = 0
                        position = event["id"] or position
                        if event["event"] != "tick":
                            yield event
                        if event["event"] == "lot.closed":
                            return
            except RostrumError as error:
                if not error.is_passing or tries >= STREAM_TRIES:
                    raise
            except (OSError, ValueError, http.client.HTTPException):
                if tries >= STREAM_TRIES:
                    raise
            time.sleep(_wait(tries))
            tries += 1

    def _open(self, url, position):
        headers = {"Accept": "text/event-stream"}
        if position is not None:
            headers["Last-Event-ID"] = position
        return self._try(lambda: self._send("GET", url, None, headers, SILENCE_S), True)

    def _try(self, send, repeatable):
        """Repeats what did not come to anything, as long as repeating cannot do it twice."""
        tries = 0
        while True:
            try:
                return send()
            except RostrumError as error:
                wait = _wait(tries) if error.retry_after is None else error.retry_after
                harmless = error.status == 429 or error.code == "overloaded" or (repeatable and error.is_passing)
                if not harmless or tries >= self._retries or wait > LONGEST_REQUESTED_S:
                    raise
            time.sleep(wait)
            tries += 1

    def _read(self, method, url, data, headers):
        with self._send(method, url, data, headers, self._timeout) as answer:
            try:
                return answer.read()
            except (OSError, http.client.HTTPException) as error:
                raise RostrumError("The answer was cut short.") from error

    def _send(self, method, url, data, headers, timeout):
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        if self._token is not None:
            request.add_header("Authorization", "Bearer " + self._token)
        try:
            return urllib.request.urlopen(request, timeout=timeout)
        except urllib.error.HTTPError as answer:
            raise _refused(answer) from None
        except (OSError, http.client.HTTPException) as error:
            raise RostrumError("The server did not answer.") from error

    def _address(self, path, params):
        given = {name: value for name, value in (params or {}).items() if value is not None}
        query = urllib.parse.urlencode({name: _text(value) for name, value in given.items()})
        return self._url + path + ("?" + query if query else "")


def filled(path, **values):
    """A path with its parameters."""
    return re.sub(r"\{(\w+)\}", lambda found: urllib.parse.quote(_text(values[found.group(1)]), safe=""), path)


def new_key():
    """A new Idempotency-Key."""
    return str(uuid.uuid4())


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refused(answer):
    with answer:
        try:
            refusal = json.loads(answer.read())
        except (OSError, ValueError):
            refusal = {}
    if not isinstance(refusal, dict):
        refusal = {}
    requested = answer.headers.get("Retry-After", "")
    return RostrumError(
        refusal.get("message") or "{} {}".format(answer.code, answer.reason),
        answer.code,
        refusal,
        answer.headers.get("X-Request-Id"),
        float(requested) if requested.isdigit() else None,
    )


def _wait(tries):
    """Twice as long each time, and never the same for all who wait."""
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**tries) * random.uniform(0.5, 1)


def _read_events(answer):
    event = {"id": None, "event": "message"}
    data = []
    for line in answer:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name in ("id", "event"):
            event[name] = value
        elif name == "data":
            data.append(value)
        elif name == "" and value == "":
            if data:
                yield {**event, "data": json.loads("\n".join(data))}
            event, data = {"id": None, "event": "message"}, []


def _form(values):
    """A multipart form; a file is a tuple of name, bytes and type."""
    border = uuid.uuid4().hex
    parts = []
    for name, value in values.items():
        head = 'Content-Disposition: form-data; name="{}"'.format(name)
        content = value
        if isinstance(value, tuple):
            file_name, content, kind = value
            head += '; filename="{}"\r\nContent-Type: {}'.format(file_name.replace('"', "%22"), kind)
        content = content if isinstance(content, bytes) else _text(content).encode()
        parts.append("--{}\r\n{}\r\n\r\n".format(border, head).encode() + content + b"\r\n")
    parts.append("--{}--\r\n".format(border).encode())
    return b"".join(parts), "multipart/form-data; boundary=" + border
