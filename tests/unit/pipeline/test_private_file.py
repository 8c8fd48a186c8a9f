"""Files that hold secrets are for their owner only, and lie where nobody can exchange them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kmirror.errors import EnvironmentProblem
from kmirror.pipeline.private_file import write_private

OTHER_USER = 12_345


def test_it_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Whoever has the old one open reads it to its end; half of a draft is no obstacle."""
    folder = tmp_path / "made" / "here"
    file = folder / "plan.json"
    write_private(file, "one")
    (folder / "plan.json.draft").write_text("half of")
    with file.open() as old:
        write_private(file, "two")
        assert old.read() == "one"
    assert file.read_text() == "two"
    assert os.listdir(folder) == ["plan.json"]  # noqa: PTH208 - names are what is compared


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    """Not the file, and not the folders that were made for it, whatever the umask says."""
    before = os.umask(0)
    try:
        write_private(tmp_path / "a" / "b" / "plan.json", "s3cret")
    finally:
        os.umask(before)
    modes = [(tmp_path / name).stat().st_mode for name in ("a", "a/b", "a/b/plan.json")]
    assert [stat.S_IMODE(mode) for mode in modes] == [0o700, 0o700, 0o600]


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    """Neither the file's nor the draft's: they are replaced, and what they point at stays."""
    other = tmp_path / "other"
    other.write_text("untouched")
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    for name in ("plan.json", "plan.json.draft"):
        (folder / name).symlink_to(other)
    write_private(folder / "plan.json", "s3cret")
    assert other.read_text() == "untouched"
    assert not (folder / "plan.json").is_symlink()


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_may_write_to(tmp_path: Path, mode: int) -> None:
    """Refused with its name and what to do, and nothing is written."""
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(EnvironmentProblem, match="may be written to") as caught:
        write_private(folder / "plan.json", "s3cret")
    assert str(folder) in str(caught.value)
    assert "TMPDIR" in caught.value.hint
    assert not any(folder.iterdir())


def test_a_folder_that_everybody_may_rename(tmp_path: Path) -> None:
    """What lies on the way counts too; `/tmp` itself keeps strangers from renaming."""
    tmp_path.chmod(0o777)
    with pytest.raises(EnvironmentProblem, match="may be written to by everybody"):
        write_private(tmp_path / "folder" / "plan.json", "s3cret")
    tmp_path.chmod(0o1777)
    write_private(tmp_path / "folder" / "plan.json", "s3cret")


def test_a_link_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(EnvironmentProblem, match="cannot be opened as a folder"):
        write_private(tmp_path / "link" / "plan.json", "s3cret")
    assert not any((tmp_path / "real").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a folder away")
@pytest.mark.parametrize("which", ["folder", "folder/inner"])
def test_a_folder_of_somebody_else(tmp_path: Path, which: str) -> None:
    inner = tmp_path / "folder" / "inner"
    inner.mkdir(parents=True, mode=0o700)
    os.chown(tmp_path / which, OTHER_USER, OTHER_USER)
    with pytest.raises(EnvironmentProblem, match=f"belongs to user {OTHER_USER}"):
        write_private(inner / "plan.json", "s3cret")
    assert not any(inner.iterdir())
