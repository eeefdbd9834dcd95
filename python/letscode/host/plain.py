"""Values as JSON: models, and whatever plugins put into their details.

Owns the rule that no answer of a plugin can break a line: what JSON has no form for becomes text.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import to_jsonable_python


def plain(value: Any) -> Any:
    """Returns a value made of dicts, lists, texts and numbers only."""
    return to_jsonable_python(
        value, fallback=str, inf_nan_mode="null", bytes_mode="base64", serialize_unknown=True
    )


def encoded(value: Any) -> bytes:
    """Returns a value as the bytes of one line, without its end."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate, as in a file name that is not UTF-8, has no bytes.
    return text.encode("utf-8", "replace")
