"""Checks the signature of a webhook, as Standard Webhooks has it."""

import base64
import binascii
import hashlib
import hmac
import json
import time

TOLERANCE_S = 300


class WebhookError(Exception):
    """The delivery was not signed with this secret a moment ago: answer 401."""


def verify_webhook(body, headers, secret):
    """The event in a request, once its signature is right: ``id``, ``type``, ``timestamp`` and ``data``.

    ``body`` is the exact bytes that were received, ``headers`` any mapping of them. Raises ``WebhookError``.
    The same ``id`` is sent on every attempt: what was seen before is answered and not done again.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        raise WebhookError("The webhook was not signed within the last five minutes.")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    try:
        key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret)
    except binascii.Error:
        key = b""
    if not key:
        # Anybody can sign with an empty key.
        raise WebhookError("The secret is none: whsec_ and Base64.")
    signed = "{}.{}.".format(message_id, timestamp).encode() + raw
    wanted = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = given.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(wanted, one.encode()) for one in signatures):
        raise WebhookError("The webhook was not signed with this secret.")
    return {"id": message_id, **json.loads(raw)}
