"""`mm2.properties` itself: the same file, with what kmirror does otherwise said of each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kmirror.config.keys.key import split_list
from kmirror.config.keys.table import KEYS
from kmirror.config.place import place_of
from kmirror.importers.draft import Draft
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import Setting, SourceFile, read_properties, wrong


def import_mm2(files: Sequence[SourceFile], options: ImportOptions) -> Draft:  # noqa: ARG001
    """
    Read MirrorMaker 2's own file.

    Raises:
        ConfigError: It is none.
    """
    if len(files) > 1:
        raise wrong(files[1].name, "file", "MirrorMaker 2 has one file: give one")
    file = files[0]
    if file.is_json:
        raise wrong(file.name, "file", "is JSON: read it with `kmirror import connect`")
    settings = read_properties(file)
    lines = {setting.key: setting for setting in settings}
    if "clusters" not in lines:
        hint = "has no line `clusters`; `kmirror import connect` reads files of Kafka Connect"
        raise wrong(file.name, "clusters", hint)
    draft = Draft(providers_elsewhere=False)
    for alias in split_list(lines["clusters"].text):
        draft.cluster(alias)
    for setting in settings:
        _write(draft, setting, lines)
    return draft


def _write(draft: Draft, setting: Setting, lines: Mapping[str, Setting]) -> None:
    """Write a line, by its new name if it has one and the file has no line of that."""
    name = place_of(setting.key, draft.aliases).name
    key = KEYS.get(name)
    new = None if key is None else key.replaced_by
    if new is None:
        draft.write(setting, setting.key)
        return
    renamed = setting.key.removesuffix(name) + new
    if renamed in lines:
        draft.equal(setting, f"has no effect: {renamed} is set, too")
    else:
        draft.write(setting, renamed, differs="MirrorMaker 2 does not read the old name since 4.0")
