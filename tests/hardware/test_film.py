"""A film as a camera: what is on it comes out again, ten pictures of each second, and what is none is told."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.commands.cameras import camera_of, source
from companion.document import Fault
from companion.live import Camera
from companion.observation import Frame


def film(path: Path, pictures: int, a_second: float) -> Path:
    """One whose pictures are ever lighter, by 2 levels each."""
    written = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), a_second, (64, 48))
    for number in range(pictures):
        written.write(np.full((48, 64, 3), 20 + 2 * number, np.uint8))
    written.release()
    return path


def camera(path: Path) -> Camera:
    return camera_of(source(f"video:{path}"))


def levels(camera: Camera) -> list[int]:
    found = []
    while isinstance(frame := camera.read(), Frame):
        found.append(round(float(frame.pixels.mean())))
    return found


@pytest.mark.parametrize(("a_second", "every"), [(10, 1), (30, 3), (25, 2), (5, 1), (60, 6)])
def test_ten_pictures_of_each_second_come_in_their_order(a_second: float, every: int, tmp_path: Path) -> None:
    seen = levels(camera(film(tmp_path / "film.avi", 60, a_second)))
    assert seen == pytest.approx([20 + 2 * number for number in range(0, 60, every)], abs=1)


def test_pictures_are_numbered_and_none_comes_once_it_is_closed(tmp_path: Path) -> None:
    playing = camera(film(tmp_path / "film.avi", 5, 10))
    frames = [playing.read(), playing.read()]
    assert [frame.name for frame in frames if isinstance(frame, Frame)] == ["000001", "000002"]
    playing.close()
    assert playing.read() is None


def test_one_that_is_cut_off_ends_where_it_cannot_be_read_any_further(tmp_path: Path) -> None:
    whole = film(tmp_path / "film.avi", 60, 10)
    (tmp_path / "half.avi").write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    seen = levels(camera(tmp_path / "half.avi"))
    assert 10 < len(seen) < 40 and seen == pytest.approx([20 + 2 * number for number in range(len(seen))], abs=1)


@pytest.mark.parametrize("content", [None, b"", b"no film", b"RIFF\xff\xff\xff\xffAVI LIST" + bytes(1000), "folder"])
def test_what_is_no_film_is_told_in_a_line(content: bytes | str | None, tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    if content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    with pytest.raises(Fault, match=r"no such film|no film, a damaged one"):
        camera(path)


@pytest.mark.parametrize("address", ["http://localhost/film.avi", "rtsp://localhost/film", "pictures-%02d.png"])
def test_no_address_and_no_pattern_is_opened(address: str) -> None:
    with pytest.raises(Fault, match="no such film"):
        camera(Path(address))


def test_a_list_of_films_fetches_none(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "film.m3u8").write_text("#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:9/film.ts\n#EXT-X-ENDLIST\n")
    with pytest.raises(Fault, match="no film, a damaged one"):
        camera(tmp_path / "film.m3u8")
