"""Names are known without importing what they stand for, our own and those of other packages."""

import pytest

from sightline import registry
from sightline.errors import UsageError


def test_names_are_file_names():
    assert "center-gaussian" in registry.names("baseline")
    assert "csv-table" in registry.names("format")
    assert not any(name.startswith("-") for name in registry.names("format"))
    assert registry.names("protocol") == tuple(sorted(registry.names("protocol")))


@pytest.mark.parametrize("kind", registry.kinds())
def test_every_name_loads_and_is_described(kind):
    described = {entry.name: entry for entry in registry.describe(kind)}
    assert tuple(described) == registry.names(kind)
    for name, entry in described.items():
        assert registry.load(kind, name)
        assert entry.title
        assert entry.source == "sightline"


def test_options_that_extend_those_of_another_file_are_read_with_them():
    found = {entry.name: entry.options for entry in registry.describe("explainer")}
    assert found["ig-gb"] == found["ig-vb"]
    assert any(option.startswith("samples: ") for option in found["ig-gb"])


def test_names_of_types_are_written_out():
    shown = {
        entry.name: dict(option.split(": ", 1) for option in entry.options)
        for entry in registry.describe("explainer")
    }
    bounds = "images that go through the network at once; bounds memory"
    assert shown["attention-rollout"]["chunk"] == f"int = 16  ({bounds})"
    assert shown["grad-cam"]["target"].startswith("Literal['logit', ")
    for kind in ("builder", "explainer", "method"):
        for entry in registry.describe(kind):
            for option in entry.options:
                held = option.split(": ", 1)[1]
                assert not held[0].isupper() or held.startswith(("Path", "Literal")), option


def test_the_options_of_a_baseline_are_read_from_its_text():
    (entry,) = registry.describe("baseline")
    names = [option.partition(":")[0] for option in entry.options]
    assert names == ["center", "sigma", "size"]
    assert "CVPR 2020" in entry.paper


@pytest.mark.parametrize(
    ("kind", "name", "close"),
    [
        ("protocol", "reference_v2", "reference-v2"),
        ("protocol", "referense-v1", "reference-v1"),
        ("format", "cocco", "coco"),
        ("baseline", "centre-gaussian", "center-gaussian"),
        ("dataset", "xyz", "sightline list dataset"),
    ],
)
def test_an_unknown_name_brings_the_close_ones(kind, name, close):
    with pytest.raises(UsageError, match=close):
        registry.load(kind, name)


def test_an_unknown_kind():
    with pytest.raises(UsageError, match="protocol, format"):
        registry.names("colour")


@pytest.mark.parametrize("name", ["", ".", "..", "../cli", "__init__", "-init-", "cub.py", "a/b"])
def test_no_name_leads_elsewhere(name):
    with pytest.raises(UsageError, match="unknown dataset"):
        registry.load("dataset", name)


def test_names_are_known_without_an_import(python):
    code = (
        "import sys; from sightline import registry\n"
        "for kind in registry.kinds(): list(registry.describe(kind))\n"
        "print([n for n in sys.modules if n.startswith('sightline.')])"
    )
    answer = python("-c", code)
    assert answer.out == "['sightline.outlines', 'sightline.errors', 'sightline.registry']\n"


# Other packages

BASELINE = '''
"""Everything is foreground.

Paper: A Person, A Paper, 2024
"""
from dataclasses import dataclass
import numpy as np

@dataclass
class Options:
    size: int = 16

def score_map(options):
    scores = np.zeros((options.size, options.size))
    scores[2:-2, 2:-2] = 1
    return scores
'''
BROKEN = '"""Needs what is not there."""\nimport a_package_that_is_not_there\n'


@pytest.fixture
def install(tmp_path):
    """Install throw-away packages by hand: a module and the metadata that names it."""
    site = tmp_path / "site"

    def make(package, points, modules, *, recorded=True):
        info = site / f"{package}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(points)
        for name, text in modules.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        if recorded:
            files = [*modules, f"{info.name}/METADATA", f"{info.name}/entry_points.txt"]
            (info / "RECORD").write_text("".join(f"{name},,\n" for name in files))
        return site

    return make


@pytest.mark.parametrize("recorded", [True, False])
def test_a_package_brings_a_baseline(install, python, scene, recorded):
    points = "[sightline.baseline]\neverything = elsewhere\n"
    site = install("elsewhere", points, {"elsewhere.py": BASELINE}, recorded=recorded)
    listed = python("-m", "sightline", "list", "baseline", path=site)
    assert listed.err == ""
    for text in ("everything", "Everything is foreground. (from elsewhere)", "A Paper", "--size"):
        assert text in listed.out
    answer = python(
        *("-m", "sightline", "evaluate", "baseline:everything", scene.truth),
        *("--size", "20", "--json", "-"),
        path=site,
    )
    assert answer.json["baseline"] == {"size": 20}
    assert answer.json["images"] == 6


def test_a_module_that_fails_on_import_is_listed_and_hurts_no_other(install, python, scene):
    modules = {"parent/__init__.py": BROKEN, "parent/child.py": BROKEN}
    site = install("parent", "[sightline.baseline]\nbroken = parent.child\n", modules)
    listed = python("-m", "sightline", "list", path=site)
    assert (listed.code, listed.err) == (0, "")
    assert "Needs what is not there. (from parent)" in listed.out
    fine = python("-m", "sightline", "evaluate", scene.maps, scene.truth, path=site)
    assert (fine.code, fine.err) == (0, "")
    chosen = python("-m", "sightline", "evaluate", "baseline:broken", scene.truth, path=site)
    assert "a_package_that_is_not_there" in chosen.refusal()
    for text in ("broken", "parent"):
        assert text in chosen.err


@pytest.mark.parametrize(
    "text", ["def broken(:\n", '"""Fine."""\nx = "\0"\n', "\xff"], ids=["syntax", "null", "bytes"]
)
def test_a_module_that_is_no_python_is_listed_and_hurts_no_other(install, python, text):
    site = install("parent", "[sightline.baseline]\nbroken = parent\n", {"parent.py": ""})
    (site / "parent.py").write_bytes(text.encode("latin-1"))
    listed = python("-m", "sightline", "list", path=site)
    assert (listed.code, listed.err) == (0, "")
    assert "broken" in listed.out
    assert "center-gaussian" in listed.out


def test_a_module_that_has_gone_is_listed_and_hurts_no_other(install, python, scene):
    site = install("parent", "[sightline.baseline]\ngone = parent.gone\n", {}, recorded=False)
    listed = python("-m", "sightline", "list", path=site)
    assert (listed.code, listed.err) == (0, "")
    assert "gone" in listed.out
    chosen = python("-m", "sightline", "evaluate", "baseline:gone", scene.truth, path=site)
    assert "gone" in chosen.refusal()


def test_a_module_that_lacks_what_its_kind_needs(install, python, scene):
    site = install(
        "parent",
        "[sightline.baseline]\nempty = parent\n[sightline.protocol]\nempty = parent\n",
        {"parent.py": '"""Empty."""\n'},
    )
    call = ("-m", "sightline", "evaluate")
    assert "empty" in python(*call, "baseline:empty", scene.truth, path=site).refusal()
    flags = ("--protocol", "empty")
    assert "empty" in python(*call, scene.maps, scene.truth, *flags, path=site).refusal()


def test_an_entry_point_that_names_no_module(install, python, scene):
    site = install(
        "parent", "[sightline.baseline]\nnumber = parent:NUMBER\n", {"parent.py": "NUMBER = 5\n"}
    )
    chosen = python("-m", "sightline", "evaluate", "baseline:number", scene.truth, path=site)
    assert "parent:NUMBER" in chosen.refusal()


def test_a_name_that_is_taken_already_is_reported(install, python):
    points = "[sightline.baseline]\ncenter-gaussian = elsewhere\n"
    site = install("elsewhere", points, {"elsewhere.py": BASELINE})
    answer = python("-m", "sightline", "list", path=site)
    for text in ("center-gaussian", "elsewhere", "another"):
        assert text in answer.refusal()


def test_a_name_that_two_packages_want_is_reported(install, python):
    for package in ("one", "two"):
        points = f"[sightline.baseline]\neverything = {package}\n"
        site = install(package, points, {f"{package}.py": BASELINE})
    answer = python("-m", "sightline", "list", path=site)
    for text in ("everything", "one", "two"):
        assert text in answer.refusal()


def test_the_same_package_seen_twice_is_no_clash(install, python, tmp_path):
    """Editable installs and nested paths show one distribution's metadata twice."""
    points = "[sightline.baseline]\neverything = elsewhere\n"
    site = install("elsewhere", points, {"elsewhere.py": BASELINE})
    code = (
        f"import sys; sys.path[:0] = [{str(site)!r}, {str(site)!r}]\n"
        "from sightline import registry; print(registry.names('baseline'))"
    )
    assert "everything" in python("-c", code).out
