"""
How Sphinx makes a site of the pages: `make docs`; the site is build/site/index.html.

Pages stay what code hosts show: plain Markdown, linked by relative paths. What only a site needs,
its menu, stands here and is put into the front page while it is read. A link that leads nowhere is
a warning, and warnings end the build (`--fail-on-warning`).
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

from kmirror import __version__

ROOT = Path(__file__).parents[2]

# Sphinx knows these by their names.
project = "kmirror"
release = version = __version__
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/design/*.md"]
highlight_language = "none"
html_theme = "furo"
html_title = f"kmirror {release}"
html_static_path = [str(Path(__file__).with_name("static"))]
html_css_files = ["kmirror.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# Furo's own light and dark styles; no fonts but the reader's.
pygments_style = "friendly"
pygments_dark_style = "monokai"
# Links name headings as code hosts do.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

MENU = {
    "Use it": (
        "docs/getting-started",
        "docs/coming-from-mirrormaker2",
        "docs/import",
        "docs/from-strimzi",
        "docs/from-connect",
        "docs/from-mirrormaker1",
        "docs/mm1",
        "docs/from-replicator",
        "docs/from-mirus",
        "docs/from-ureplicator",
        "docs/from-brooklin",
        "docs/configuration",
        "docs/filters",
        "docs/poison",
        "docs/parity",
        "docs/deletion",
        "docs/audit",
        "docs/schemas",
        "docs/connectors",
        "docs/connect-storage",
        "docs/consumers",
        "docs/nodes",
        "docs/patterns",
        "docs/spark-clusters",
        "docs/stretch",
    ),
    "Operate it": (
        "docs/deploy",
        "docs/operations",
        "docs/control",
        "docs/console",
        "docs/api",
        "docs/reload",
        "docs/connect",
        "docs/connect-rest",
        "docs/rest-security",
        "docs/limits",
        "docs/check",
        "docs/gaps",
        "docs/monitoring",
        "docs/metrics",
        "docs/canary",
        "docs/report",
        "docs/troubleshooting",
        "docs/errors",
        "docs/events",
        "docs/disaster-recovery",
        "docs/resolver",
        "docs/security",
        "docs/acls",
        "docs/sizing",
        "docs/scaling",
        "docs/tuning",
        "docs/upgrading",
        "docs/faq",
    ),
    "Measure it": (
        "docs/load",
        "docs/measured",
        "docs/performance",
        "docs/starts",
        "docs/lab",
        "docs/lab-web",
        "docs/lab-network",
        "docs/lab-duplicates",
        "docs/duplicates-story",
        "What the laboratory found <docs/duplicates>",
        "docs/soak",
    ),
    "Understand it": (
        "GUARANTEES",
        "ARCHITECTURE",
        "docs/design/README",
        "docs/glossary",
        "CHANGELOG",
    ),
}
_DESIGN_FIRST = (
    "batches",
    "transactions",
    "links",
    "positions",
    "lanes",
    "offset-map",
    "groups",
    "spark",
    "not-obvious",
)
# What is made from the code comes last.
DESIGN_MENU = (
    *_DESIGN_FIRST,
    *sorted(
        {page.stem for page in (ROOT / "docs" / "design").glob("*.md")} - {*_DESIGN_FIRST, "README"}
    ),
)
_FOLDER_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#\s]+)\)")


def add_menu(_app: Sphinx, page: str, source: list[str]) -> None:
    """Put the menu below a page that has one; take out links that only a checkout can follow."""
    if page == "README":
        source[0] += "".join(_toctree(pages, caption) for caption, pages in MENU.items())
    elif page == "docs/design/README":
        source[0] += _toctree(DESIGN_MENU, "Design")
    source[0] = _FOLDER_LINK.sub(lambda link: _of_site(ROOT / page, link), source[0])


def _toctree(pages: tuple[str, ...], caption: str) -> str:
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"


def _of_site(page: Path, link: re.Match[str]) -> str:
    """Give a link, or its words alone when it leads to what is no page: a folder, say."""
    target = page.parent / link[2]
    is_page = not target.exists() or target.suffix in {".md", ".svg", ".png"}
    return link[0] if is_page else f"{link[1]} (`{target.resolve().relative_to(ROOT)}`)"


def add_front_page(app: Sphinx, error: Exception | None) -> None:
    """Give README.html, the front page, the name that web servers and people look for."""
    if error is None:
        shutil.copyfile(app.outdir / "README.html", app.outdir / "index.html")


def setup(app: Sphinx) -> None:
    """Sphinx calls this."""
    app.connect("source-read", add_menu)
    app.connect("build-finished", add_front_page)
