"""The templates, and the files that browsers fetch beside the pages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from kmirror.errors import visible
from kmirror.server.console import audit_charts, charts, contents, words
from kmirror.server.console.headline import headline
from kmirror.server.console.own_texts import marked

_PACKAGE = "kmirror.server.console"
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
STATIC_PATH = "/static"
PAGE_CSP = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""What a browser lets a page do: nothing that is not a file of its server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFile:
    """A file for browsers, with a name for what is in it: they keep it for good."""

    content: bytes
    media_type: str
    digest: str


def static_files(package: str) -> Mapping[str, StaticFile]:
    """
    Read the files for browsers.

    Args:
        package: They are in its folder `static`.
    """
    found = {}
    for each in (resources.files(package) / "static").iterdir():
        suffix = f".{each.name.rpartition('.')[2]}"
        if suffix in _MEDIA_TYPES:
            content = each.read_bytes()
            found[each.name] = StaticFile(
                content=content,
                media_type=_MEDIA_TYPES[suffix],
                digest=hashlib.sha256(content).hexdigest()[:16],
            )
    return found


STATIC_FILES: Mapping[str, StaticFile] = static_files(_PACKAGE)


def link(*parts: object, **asked: object) -> str:
    """Return the address of a page: names escaped, and what is not asked left out."""
    path = "/" + "/".join(quote(str(part), safe="") for part in parts)
    asks = query(**asked)
    return path if asks == "?" else f"{path}{asks}"


def query(**asked: object) -> str:
    """Return the address of the same page with other questions; what is not asked is left out."""
    given = {name: value for name, value in asked.items() if value not in {None, "", 0}}
    return f"?{urlencode(given)}"


def _shown(value: object) -> object:
    """Return what stands on a page for a value: all of it can be seen there."""
    is_whole = isinstance(value, int | float) or hasattr(value, "__html__")
    return value if is_whole else visible(str(value))


class Templates:
    """
    The templates of a package; they may use the console's.

    Args:
        package: They are in its folder `templates`.
        files: What they link to with `static`.
    """

    def __init__(self, package: str, files: Mapping[str, StaticFile]) -> None:
        # Everything is escaped, whatever the template's name; what is missing is a mistake.
        self._environment = Environment(
            loader=ChoiceLoader(
                [PackageLoader(each, "templates") for each in dict.fromkeys((package, _PACKAGE))]
            ),
            autoescape=True,
            finalize=_shown,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

        def static(name: str) -> str:
            """Return the address of a file; another one when the file is another."""
            return f"{STATIC_PATH}/{name}?v={files[name].digest}"

        for name in (
            *("count", "megabytes", "share", "duration", "latency"),
            *("exact", "iso", "tone", "verdict"),
        ):
            self._environment.filters[name] = getattr(words, name)
        self._environment.filters["arrow"] = words.arrow
        self._environment.filters["marked"] = marked
        self._environment.globals |= {
            "static": static,
            "link": link,
            "query": query,
            "headline": headline,
            "bars": audit_charts.bars,
            "curve": charts.curve,
            "shown": contents.shown,
            "topology": charts.topology,
            "UNKNOWN": words.UNKNOWN,
        }

    def render(self, template: str, context: Mapping[str, Any]) -> str:
        """
        Return a page.

        Args:
            template: The name of its template.
            context: What is shown in it.
        """
        return self._environment.get_template(template).render(context)


TEMPLATES = Templates(_PACKAGE, STATIC_FILES)
