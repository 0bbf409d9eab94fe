"""Addresses: which are taken, what they are called, and that credentials never come out."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.stores import filesystems
from dsh_calibrate.logs.stores.places import place
from dsh_calibrate.logs.stores.stored_object import StoredObject, described
from stores import needs_remote


@pytest.mark.parametrize(
    "address",
    [
        "s3://AKIAEXAMPLE:hush@bucket/logs",
        "s3://hush@bucket",
        "https://user:hush@www.example.org/logs",
        "https://www.example.org/logs?X-Amz-Signature=hush",
        "https://www.example.org/logs#hush",
        "ftp://user:hush@ftp.example.org/logs",
        "gs://hush@bucket/x",
    ],
)
def test_an_address_with_secrets_is_refused_without_repeating_them(address):
    with pytest.raises(UsageError) as caught:
        place(address)
    assert "hush" not in str(caught.value)
    assert "AKIA" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["ftp://ftp.example.org/x", "file:///tmp", "zip://x", "s4://b/x"]
)
def test_other_kinds_of_addresses_are_refused_with_those_that_are_known(address):
    with pytest.raises(UsageError, match=r"known: s3://, gs://"):
        place(address)


@pytest.mark.parametrize("address", ["s3://", "s3:///", "https://", "memory:///"])
def test_an_address_of_nothing_is_refused(address):
    with pytest.raises(UsageError, match="names no place"):
        place(address)


@pytest.mark.parametrize(
    "text", ["logs", "./s3:/x", "/a:/b", "C:\\logs", "a//b", "s3:/bucket", "://x"]
)
def test_everything_else_is_a_path(text):
    assert place(text) == Path(text)
    assert isinstance(place(Path(text)), Path)


def test_a_folder_of_that_name_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:" / "bucket").mkdir(parents=True)
    assert place("s3://bucket") == Path("s3:/bucket")


def test_paths_need_no_package(monkeypatch):
    monkeypatch.setattr(filesystems, "file_system", None)
    assert place("logs") == Path("logs")


@pytest.mark.parametrize(
    ("address", "missing", "words"),
    [
        ("s3://b/x", "s3fs", 'needs the package s3fs: pip install "dsh-calibrate[remote]"'),
        ("memory://b/x", "fsspec", 'needs the package fsspec: pip install "dsh-calibrate[remote]"'),
        ("gs://b/x", "gcsfs", "and pip install gcsfs"),
    ],
)
def test_a_missing_package_is_one_line(monkeypatch, address, missing, words):
    monkeypatch.setitem(sys.modules, missing, None)
    if missing != "fsspec":
        registry = pytest.importorskip("fsspec.registry")._registry
        monkeypatch.delitem(registry, address.partition(":")[0], raising=False)
    with pytest.raises(UsageError, match=r"needs the package") as caught:
        place(address)
    assert words in str(caught.value)


def test_names_of_an_object_are_those_of_a_path():
    one = StoredObject("s3://bucket/logs/--x--/s 1/session.v4.jsonl.zstd/")
    assert str(one) == "s3://bucket/logs/--x--/s 1/session.v4.jsonl.zstd"
    path = Path("/bucket/logs/--x--/s 1/session.v4.jsonl.zstd")
    for name in ("name", "stem", "suffix"):
        assert getattr(one, name) == getattr(path, name)
    assert one.parts == ("s3://", *path.parts[1:])
    assert str(one.parent) == "s3://bucket/logs/--x--/s 1"
    assert [str(above) for above in one.parents][-1] == "s3://bucket"
    root = StoredObject("s3://bucket/logs")
    assert one.key_below(root) == "--x--/s 1/session.v4.jsonl.zstd"
    assert one.is_relative_to(root)
    assert not root.is_relative_to(one)
    assert not one.is_relative_to(Path("/"))
    assert root.parent.parent == root.parent


def test_names_on_a_web_server_are_decoded_and_its_address_is_not():
    one = StoredObject("https://www.example.org/a%20b/%E4%BD%A0.jsonl")
    assert one.name == "你.jsonl"
    assert one.key_below(StoredObject("https://www.example.org")) == "a b/你.jsonl"
    assert str(one) == "https://www.example.org/a%20b/%E4%BD%A0.jsonl"


def test_an_object_travels_with_what_was_known_of_it():
    one = StoredObject("s3://bucket/x", 7, '7:"e"')
    other = pickle.loads(pickle.dumps(one))
    assert (other, other.size, other.version) == (one, 7, '7:"e"')
    assert len({one, other, StoredObject("s3://bucket/y")}) == 2


@pytest.mark.parametrize(
    ("info", "version"),
    [
        ({"size": 3, "ETag": '"a"', "LastModified": "now"}, '3:"a"'),
        ({"size": 3, "etag": "b"}, "3:b"),
        ({"size": 3, "Last-Modified": "Tue"}, "3:Tue"),
        ({"size": 3}, None),
        ({"size": 3, "ETag": ""}, None),
    ],
)
def test_the_version_is_the_best_that_a_store_tells(info, version):
    assert described("s3://bucket/x", info).version == version


@needs_remote
def test_an_object_is_only_read():
    with pytest.raises(ValueError, match="only read"):
        StoredObject("memory://b/x").open("wb")


@needs_remote
def test_what_lies_in_a_store_is_told_apart():
    import fsspec

    fsspec.filesystem("memory").pipe_file("/kinds/folder/x", b"12345")
    one, folder, nothing = (
        StoredObject(f"memory://kinds/{name}") for name in ("folder/x", "folder", "nothing")
    )
    assert (one.exists(), one.is_file(), one.is_dir()) == (True, True, False)
    assert (folder.exists(), folder.is_file(), folder.is_dir()) == (True, False, True)
    assert (nothing.exists(), nothing.is_file(), nothing.is_dir()) == (False, False, False)
    assert one.stat().st_size == 5
    with pytest.raises(FileNotFoundError):
        nothing.stat()
    assert StoredObject("memory://kinds/found", size=3).is_file()  # nobody is asked
