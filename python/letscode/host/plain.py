"""Values as JSON: models, and whatever plugins put into their details.

Owns the rule that no answer of a plugin can break a line: what JSON has no form for becomes text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python


def plain(value: Any) -> Any:
    """Returns a value made of dicts, lists, texts and numbers only."""
    try:
        return to_jsonable_python(value, fallback=str, serialize_unknown=True)
    except (PydanticSerializationError, UnicodeDecodeError, ValueError):
        return _bare(value)


def encoded(value: Any) -> bytes:
    """Returns a value as the bytes of one line, without its end."""
    try:
        text = _dumped(value)
    except (TypeError, ValueError):
        text = _dumped(_bare(value))
    # A lone surrogate, as in a file name that is not UTF-8, has no bytes.
    return text.encode("utf-8", "replace")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _bare(value: Any) -> Any:
    """The slow way, on which nothing is refused."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case bytes():
            return value.decode("utf-8", "replace")
        case BaseModel():
            return {name: _bare(each) for name, each in value}
        case Mapping():
            return {str(name): _bare(each) for name, each in value.items()}
        case Iterable():
            return [_bare(each) for each in value]
        case _:
            return str(value)
