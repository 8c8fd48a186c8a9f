"""The image's Dockerfile, for tests that run its steps without an engine."""

from __future__ import annotations

import re

from tests.support.deploy import DEPLOY

_IMAGE = DEPLOY / "image"
ENTRYPOINT = _IMAGE / "entrypoint.sh"


def instructions() -> list[tuple[str, str]]:
    """Give the Dockerfile's instructions and what stands behind each, in their order."""
    text = (_IMAGE / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", "").splitlines()
    return [(verb, words.strip()) for verb, _, words in (x.partition(" ") for x in lines if x)]


def copied() -> list[str]:
    """Give the files and folders of the checkout that the image is made of."""
    copies = [words.split() for verb, words in instructions() if verb == "COPY"]
    return [name for words in copies if not words[0].startswith("--") for name in words[:-1]]
