"""The API of a Rostrum marketplace, with the standard library only."""

from .client import Rostrum
from .core import RostrumError
from .webhooks import WebhookError, verify_webhook

__all__ = ["Rostrum", "RostrumError", "WebhookError", "verify_webhook"]
