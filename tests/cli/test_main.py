"""The command line as a whole: what there is, what is wrong usage, what ends a run early."""

import subprocess
import sys
from pathlib import Path

import pytest

from sightline.cli.main import COMMANDS

STARTS_LIGHT = "torch", "numba", "cv2", "pandas", "pyarrow"


def test_without_a_command_it_says_what_there_is(sightline):
    told, asked = sightline(), sightline("--help")
    assert (told.code, asked.code) == (2, 0)
    for name in COMMANDS:
        assert name in asked.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(sightline, name):
    for flag in ("--help", "-h"):
        answer = sightline(*name.split(), flag)
        assert (answer.code, answer.err) == (0, "")
        assert "example:" in answer.out.lower()
        assert f"sightline {name}" in answer.out.lower().partition("example:")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_flag_is_left_without_a_word(sightline, name):
    flags = told(sightline(*name.split(), "--help").out)
    assert [flag for flag, text in flags.items() if not text] == []


def told(text):
    """Give the words that follow each flag in the help, its type and its default aside."""
    flags, flag = {}, ""
    for line in text.splitlines():
        content = line.strip("│ ").split("(default:")[0].strip()
        if line.startswith("│ --"):  # a text that goes on stands farther in
            flag = content.split()[0]
            flags[flag] = content.partition("  ")[2].strip()
        elif content.startswith(("╭", "╰", "─", "-h")):
            flag = ""
        elif flag:
            flags[flag] += content
    return flags


@pytest.mark.parametrize("name", ["data"])
def test_help_of_a_group(sightline, name):
    answer = sightline(name, "--help")
    assert answer.code == 0
    for command in COMMANDS:
        assert not command.startswith(name) or command in answer.out


def test_the_version(sightline):
    from importlib.metadata import version

    assert sightline("--version").out == f"sightline {version('sightline')}\n"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nonsense"], "nonsense"),
        (["data"], "data check"),
        (["data", "nonsense"], "data check"),
        (["--nonsense"], "--nonsense"),
        (["list", "--nonsense"], "--nonsense"),
        (["list", "nonsense"], "protocol"),
        (["list", "protocol", "format"], "format"),
        (["data", "check"], "--help"),
        (["evaluate"], "--help"),
        (["evaluate", "maps"], "--help"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line(sightline, arguments, named):
    answer = sightline(*arguments)
    assert named in answer.refusal()
    assert answer.code == 2


def test_choices_are_listed_without_one_that_is_none(sightline):
    told = sightline("evaluate", "maps", "truth", "--contours", "some").refusal()
    assert "Expected one of all, largest;" in told


def test_a_misspelt_command_brings_the_close_one(sightline):
    assert "did you mean evaluate" in sightline("evalute").refusal()


def test_the_installed_command_and_the_module_are_the_same(python, tmp_path):
    command = Path(sys.executable).with_name("sightline")
    if not command.is_file():
        pytest.skip("needs the package to be installed")
    done = subprocess.run(
        [command, "list"], capture_output=True, check=True, cwd=tmp_path, encoding="utf-8"
    )
    answer = python("-m", "sightline", "list")
    assert (answer.code, answer.out, answer.err) == (0, done.stdout, done.stderr)


def test_a_reader_who_has_seen_enough_is_no_error_to_speak_of(tmp_path):
    # sightline list | head -1
    code = "import sys; sys.argv[1:] = ['list'] ; from sightline.cli.main import main; "
    code += "sys.stdin.readline(); sys.exit(main())"
    started = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    started.stdout.close()
    started.stdin.write(b"go\n")
    started.stdin.close()
    errors = started.stderr.read()
    started.stderr.close()
    started.wait(60)
    assert errors == b""


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["list"], ["list", "--help"], ["data", "list"]],
    ids=" ".join,
)
def test_nothing_heavy_is_imported_to_say_what_there_is(python, arguments):
    code = (
        "import sys; from sightline.cli.main import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit: pass\n"
        f"print([name for name in {STARTS_LIGHT!r} if name in sys.modules], file=sys.stderr)"
    )
    answer = python("-c", code)
    assert (answer.code, answer.err) == (0, "[]\n")


WITHOUT_TORCH = """
import sys, importlib.abc
class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in ('torch', 'torchvision', 'timm', 'ray'):
            raise ModuleNotFoundError(name + ' is blocked', name=name)
sys.meta_path.insert(0, Blocked())
from sightline.cli.main import main
"""


def test_everything_works_where_torch_cannot_be_imported(python, scene):
    code = (
        f"{WITHOUT_TORCH}"
        "import sightline\n"
        "[getattr(sightline, name) for name in sightline.__all__ if name != 'localize']\n"
        "for arguments in (['list'], ['data', 'list'], ['data', 'check', sys.argv[2]],\n"
        "                  ['evaluate', *sys.argv[1:]], ['--help']):\n"
        "    assert main(arguments) == 0, arguments\n"
    )
    answer = python("-c", code, scene.maps, scene.truth)
    assert (answer.code, answer.err) == (0, "")


def test_a_command_that_needs_torch_says_which_extra_brings_it(python, scene, tmp_path):
    scene.paint(tmp_path / "photograph.png", (1, 1, 9, 9))
    code = f"{WITHOUT_TORCH}sys.exit(main(['look', *sys.argv[1:]]))"
    answer = python("-c", code, tmp_path / "photograph.png", "--out", tmp_path / "out")
    assert "needs torch: pip install '.[torch]'" in answer.refusal()
    assert answer.code == 1


def test_a_module_of_our_own_that_is_missing_is_no_extra(python):
    code = (
        "import sys; from sightline.cli import main\n"
        "main.COMMANDS['gone'] = ''\n"
        "main.main(['gone'])"
    )
    assert "ModuleNotFoundError" in python("-c", code).err
