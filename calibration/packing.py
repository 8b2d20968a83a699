"""A kit in one file, to carry from one machine to another: a ZIP archive of `kit.toml` and the pictures it names.

An archive may come from anybody.  Nothing in it is run, nothing is written outside the new folder, links are refused,
sizes are limited by what is really unpacked, and the folder appears only once all of it is a sound kit.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from calibration.alike import MOST_MEGAPIXELS
from companion.document import Fault, shown
from companion.kit import Kit, load_kit
from companion.vision.picture import megapixels

MOST_FILES = 250
MOST_BYTES = 64 * 1024 * 1024  # of all files, unpacked
MOST_DEPTH = 4
ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same kit gives the same archive
CHUNK = 1 << 16


def kit_files(kit: Kit) -> list[Path]:
    """`kit.toml` and each picture it names, once.  Raises Fault where one of them, or a folder above it, is a link."""
    files = dict.fromkeys([kit.folder / "kit.toml", *(b.image for b in kit.boards), *(p.image for p in kit.pieces)])
    for path in files:
        inside = path.relative_to(kit.folder)
        for part in (kit.folder / name for name in (inside, *inside.parents[:-1])):
            if part.is_symlink():
                raise Fault(f"{part}: a link found; expected the file itself")
    return list(files)


def pack(folder: Path, file: Path) -> int:
    """Write the kit of a folder into a new archive; how many files it has.  Raises Fault."""
    files = kit_files(load_kit(folder))
    if file.exists() or file.is_symlink():
        raise Fault(f"{file}: is there already; expected the name of a new file")
    try:
        size = sum(path.stat().st_size for path in files)
        if size > MOST_BYTES or len(files) > MOST_FILES:
            raise Fault(
                f"{folder}: {len(files)} files of {size // 1024**2} MiB found; "
                f"expected {MOST_FILES} of {MOST_BYTES // 1024**2} MiB at most"
            )
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=".pack-") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in files:
                    entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), LONG_AGO)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    entry.external_attr = (stat.S_IFREG | 0o644) << 16
                    archive.writestr(entry, path.read_bytes())
            stream.flush()
            os.chmod(stream.name, 0o644)
            os.link(stream.name, file)  # whole, or not at all, and never over another
    except OSError as error:
        raise Fault(f"{file}: cannot be written: {error.strerror or error}") from None
    return len(files)


def unpack(file: Path, folder: Path) -> Kit:
    """Unpack an archive into a new folder (or an empty one) and check the kit in it.  Raises Fault."""
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise Fault(f"{folder}: is there already; expected a new folder or an empty one")
    try:
        beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".unpack-"))
    except OSError as error:
        raise Fault(f"{folder}: cannot be made: {error.strerror or error}") from None
    made = beside / folder.name
    try:
        made.mkdir()
        _unpack(file, made)
        try:
            _check_pictures(load_kit(made))
        except Fault as fault:
            raise Fault(str(fault).replace(str(made), str(file))) from None
        os.replace(made, folder)
    except OSError as error:
        raise Fault(f"{folder}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return load_kit(folder)


def _check_pictures(kit: Kit) -> None:
    """Raise a Fault for a picture that is none, or that would fill the memory when it is opened."""
    for path in kit_files(kit)[1:]:
        if not 0 < megapixels(path.read_bytes()) <= MOST_MEGAPIXELS:
            raise Fault(f"{path}: no picture, or one of more than {MOST_MEGAPIXELS:.0f} megapixels")


def _unpack(file: Path, folder: Path) -> None:
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):  # a device, say, has no end
            raise Fault(f"{file}: no file; expected a packed kit")
        if found.st_size > MOST_BYTES:  # its list of contents alone would be read at once
            raise Fault(f"{file}: more than {MOST_BYTES // 1024**2} MiB; no kit is as large")
        with zipfile.ZipFile(file) as archive:
            left = MOST_BYTES
            for entry in _sound_entries(archive, file):
                path = folder / entry.filename
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as packed, path.open("xb") as unpacked:
                    while chunk := packed.read(CHUNK):
                        left -= len(chunk)
                        if left < 0:
                            raise Fault(f"{file}: more than {MOST_BYTES // 1024**2} MiB unpacked; no kit is as large")
                        unpacked.write(chunk)
    except OSError as error:
        raise Fault(f"{file}: cannot be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise Fault(f"{file}: no packed kit, or a damaged one") from None


def _sound_entries(archive: zipfile.ZipFile, file: Path) -> Iterator[zipfile.ZipInfo]:
    entries = [entry for entry in archive.infolist() if not (entry.is_dir() and not entry.file_size)]
    if len(archive.infolist()) > MOST_FILES:
        raise Fault(f"{file}: {len(archive.infolist())} entries found; expected {MOST_FILES} at most")
    taken: set[str] = set()
    for entry in entries:
        if expected := _expected(entry, taken):
            raise Fault(f"{file}: entry {shown(entry.filename)} found; expected {expected}")
        taken.add(entry.filename.casefold())
        yield entry


def _expected(entry: zipfile.ZipInfo, taken: set[str]) -> str:
    """What an entry should be and is not; nothing where it is sound."""
    name, mode = entry.filename, entry.external_attr >> 16
    path = PurePosixPath(name)
    plain = name.isprintable() and not set(name) & set('\\:*?"<>|')
    if not plain or path.is_absolute() or ".." in path.parts or name != str(path) or len(path.parts) > MOST_DEPTH:
        return "a plain path inside the kit"
    if len(name) > 200 or any(part.startswith(".") for part in path.parts):
        return "a plain name"
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        return "a file, not a link"
    if name.casefold() in taken:
        return "each file once"
    if name != "kit.toml" and path.suffix.lower() not in ENDINGS:
        return "kit.toml or a picture"
    if entry.flag_bits & 0x1:
        return "no password"
    return ""
