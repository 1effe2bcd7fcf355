"""`sightline parts similarity`: how alike nouns are, and which measure of it suits a mapping."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sightline.cli.output import deliver, table
from sightline.errors import DataError, Problem, UsageError
from sightline.rows import write_whole

if TYPE_CHECKING:
    from sightline.parts.similarity.contract import Measure
    from sightline.parts.wordnet.names import Meaning

COLUMNS = ("synset_a", "synset_b")
SHOWN = 20  # lines on the screen; a file has all


@dataclass(frozen=True)
class Command:
    """Measure how alike nouns of WordNet 3.0 are, as WordNet::Similarity does.

    --pairs is a CSV file with the columns synset_a and synset_b: ids such as n02084071, or names.
    Without it, --categories are measured against --labels. With --criteria, the measures are
    judged by how well they agree with a mapping of labels to categories (paper 002, tables B1, B2).

    path, lch, wup, res, lin and jcn need nothing but what is shipped, and so does lesk for ILSVRC's
    classes and common categories; lesk elsewhere, vector and vector_pairs need the glosses of an
    installed WordNet 3.0 (Debian: wordnet-base and wordnet-sense-index).

    example:
      sightline parts similarity --categories dog --labels imagenet --measures wup

      label      name               category  wup
      n02085620  Chihuahua          dog       0.8889
      ...
    """

    pairs: Path | None = None
    """CSV file of pairs"""
    categories: tuple[str, ...] = ()
    """names or ids; the 12 of the part benchmark if not given"""
    labels: str = "imagenet"
    """imagenet, or a file with one name or id a line"""
    measures: str = "path,lch,wup,res,lin,jcn"
    """which, with commas; see 'sightline list similarities'"""
    set: tuple[str, ...] = ()
    """options of measures, such as wup.depth=deepest or lesk.normalize=true"""
    criteria: bool = False
    """judge the measures by both criteria"""
    mapping: str = "hypernymy"
    """with --criteria: hypernymy, by-hand, or a CSV file with the columns category and label"""
    leave_empty: tuple[str, ...] = ()
    """with --criteria: categories that are given no label"""
    ties: Literal["first", "any", "all"] | None = None
    """with --criteria: who decides among equals; first for criterion 1 and all for criterion 2"""
    among: Literal["labels", "mapped"] = "labels"
    """with --criteria: criterion 1 looks for the nearest among all labels, or mapped ones"""
    senses: Literal["first", "stop"] = "first"
    """of a name with several: take the most frequent one and say so, or stop"""
    wordnet: Path | None = None
    """folder of an installed WordNet 3.0, where it is not found"""
    vectors: Path | None = None
    """file of word vectors: adds the measure word-vectors, and reports what it lacks"""
    out: Path | None = None
    """write the table as CSV to this file"""
    json: str = ""
    """write the table as JSON to this file, or - for standard output"""

    def run(self) -> None:
        """Measure, write and print."""
        from sightline.parts.wordnet.installed import WordNet

        if not self.criteria and (self.leave_empty or self.ties or self.among != "labels"):
            raise UsageError("--leave-empty, --ties and --among belong to --criteria")
        measures = self._measures(WordNet(self.wordnet))
        if self.pairs and not self.criteria:
            lines, notes = self._pairs(self.pairs, measures)
        elif self.criteria:
            lines, notes = self._criteria(measures)
        else:
            lines, notes = self._labels(measures)
        if self.vectors:
            notes += self._report()
        if self.out:
            write_whole(self.out, _csv(lines))
            notes.append(f"written  {self.out}: {len(lines)} lines")
            notes += [f"row      {self._row(self.out, lines, notes)}"] if self.criteria else []
        shown = [{k: _cell(v) for k, v in line.items()} for line in lines[:SHOWN]]
        rest = [f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
        content = {"lines": lines, "notes": notes}
        deliver(content, "\n".join([table(shown), *rest, *notes]), self.json)

    def _measures(self, wordnet: Any) -> "dict[str, Measure]":
        from sightline.parts.similarity import measuring

        given = measuring.options(self.set)
        if self.vectors:
            given.setdefault("word-vectors", {})["file"] = str(self.vectors)
        names = [name.strip() for name in self.measures.split(",") if name.strip()]
        names += ["word-vectors"] if self.vectors and "word-vectors" not in names else []
        unused = sorted(set(given) - {measuring.key(name) for name in names})
        if not names or unused:
            raise UsageError(
                f"--set: {unused[0]} is not measured" if unused else "--measures: none"
            )
        return {n: measuring.make(n, wordnet, given.get(measuring.key(n))) for n in names}

    def _pairs(
        self, file: Path, measures: "dict[str, Measure]"
    ) -> tuple[list[dict[str, Any]], list[str]]:
        from sightline.parts.similarity import measuring

        read = _read_pairs(file)
        meanings = self._resolved([name for pair in read for name in pair], file)
        first, second = ([meanings[pair[side]].synset for pair in read] for side in (0, 1))
        lines = [dict(zip(COLUMNS, pair, strict=True)) for pair in zip(first, second, strict=True)]
        for name, measure in measures.items():
            scores = measuring.pairs(measure, first, second, name).tolist()
            for line, score in zip(lines, scores, strict=True):
                line[name] = score
        return lines, _notes(meanings)

    def _labels(self, measures: "dict[str, Measure]") -> tuple[list[dict[str, Any]], list[str]]:
        from sightline.parts.similarity import measuring
        from sightline.parts.wordnet.names import spaced
        from sightline.parts.wordnet.tables import nouns

        categories, labels, meanings = self._sides()
        synsets = list(categories.values())
        found = {n: measuring.matrix(m, labels, synsets, n) for n, m in measures.items()}
        lines = [
            {"label": label, "name": spaced(nouns().words(label)[0]), "category": category}
            | {name: float(scores[row, column]) for name, scores in found.items()}
            for column, category in enumerate(categories)
            for row, label in enumerate(labels)
        ]
        return lines, _notes(meanings)

    def _criteria(self, measures: "dict[str, Measure]") -> tuple[list[dict[str, Any]], list[str]]:
        from functools import partial

        from sightline.parts import mapping as mappings
        from sightline.parts import suitability
        from sightline.parts.similarity import measuring

        categories, labels, meanings = self._sides()
        chosen = mappings.choose(self.mapping, categories, labels).without(self.leave_empty)
        mapped = set().union(*chosen.labels.values())
        among = labels if self.among == "labels" else [one for one in labels if one in mapped]
        lines = []
        for name, measure in measures.items():
            scores = partial(_matrix, measuring.matrix, measure, name)
            one = suitability.criterion_1(scores, chosen, among, self.ties or "first")
            two = suitability.criterion_2(scores, chosen, categories, self.ties or "all")
            lines.append(
                {
                    "measure": name,
                    "criterion_1": one.share,
                    "agreeing": f"{one.agreeing} of {one.total}",
                    "criterion_2": two.share,
                    "categories": f"{two.agreeing} of {two.total}",
                    "failing": " ".join(two.failing),
                }
            )
        notes = [
            f"mapping  {chosen.name}: {chosen.count} labels"
            + (f", none for {', '.join(chosen.empty)}" if chosen.empty else ""),
            f"ties     criterion 1: {self.ties or 'first'}; criterion 2: {self.ties or 'all'}",
            f"nearest  among {len(among)} labels",
        ]
        return lines, notes + _notes(meanings)

    def _row(self, out: Path, lines: list[dict[str, Any]], notes: list[str]) -> Path:
        """Write the judgement as a row, for reports."""
        from sightline import provenance, rows
        from sightline.types import ResultRow

        chosen = {
            "mapping": self.mapping,
            "leave_empty": self.leave_empty,
            "ties": self.ties or "first, all",
            "among": self.among,
            "labels": self.labels,
        }
        told = [note for note in notes if not note.startswith("written")]
        result = {"kind": "part-suitability", **chosen, "lines": lines, "notes": told}
        file = out.with_name(f"{out.stem}{rows.SUFFIX}")
        rows.save(ResultRow(result, provenance.now()), file)
        return file

    def _sides(self) -> "tuple[dict[str, str], list[str], dict[str, Meaning]]":
        from sightline.data.class_names import imagenet, read_class_names
        from sightline.parts.wordnet.categories import PASCAL

        if self.labels == "imagenet":
            names = list(imagenet().synsets)
        else:
            names = [one[0] for one in read_class_names(Path(self.labels)).names]
        wanted = self.categories or PASCAL
        meanings = self._resolved([*wanted, *names], Path(self.labels))
        categories = {name: meanings[name].synset for name in wanted}
        return categories, [meanings[name].synset for name in names], meanings

    def _resolved(self, names: Sequence[str], file: Path) -> "dict[str, Meaning]":
        from sightline.parts.wordnet.names import resolve

        found, problems = {}, []
        for name in dict.fromkeys(names):
            try:
                found[name] = resolve(name, self.senses)
            except UsageError as error:
                problems.append(Problem(str(error), str(file) if file.is_file() else ""))
        if problems:
            raise DataError(problems)
        return found

    def _report(self) -> list[str]:
        from sightline.parts.similarity.word_vectors import report
        from sightline.parts.wordnet.names import spaced
        from sightline.parts.wordnet.tables import nouns

        assert self.vectors
        _, labels, _ = self._sides()
        told: Any = report([spaced(nouns().words(one)[0]) for one in labels], self.vectors)
        cosines = told["capital_cosines"]
        lines = [
            f"vectors  {told['names']} names: {len(told['missing'])} have none"
            + (f" ({', '.join(told['missing'][:5])}, ...)" if told["missing"] else ""),
            f"         {len(told['several_words'])} of several words, averaged;"
            f" {len(told['several_words_missing'])} lack one of them",
        ]
        if cosines:
            least = min(cosines, key=cosines.__getitem__)
            lines.append(
                f"         {len(cosines)} with and without a capital: cosine"
                f" {cosines[least]:.2f} ({least}) to {max(cosines.values()):.2f}"
            )
        return lines


def _matrix(matrix: Any, measure: "Measure", title: str, rows: Any, columns: Any) -> Any:
    return matrix(measure, rows, columns, title)


def _read_pairs(file: Path) -> list[tuple[str, str]]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream)
            lacking = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if lacking:
                raise UsageError(f"{file}:1: has no column '{lacking[0]}'")
            first, second = COLUMNS
            read = [(reader.line_num, line[first] or "", line[second] or "") for line in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{file}: cannot be read as pairs ({error})") from None
    empty = [number for number, one, other in read if not (one.strip() and other.strip())]
    if empty:
        raise DataError([Problem("one of the pair is missing", str(file), n) for n in empty])
    return [(one, other) for _, one, other in read]


def _notes(meanings: "dict[str, Meaning]") -> list[str]:
    found = [f"sense    {meaning.note}" for meaning in meanings.values() if meaning.others]
    more = [f"sense    {len(found) - SHOWN} more names have several"] if len(found) > SHOWN else []
    return [*found[:SHOWN], *more]


def _csv(lines: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO(newline="")
    names = list(lines[0]) if lines else list(COLUMNS)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[_exact(line[name]) for name in names] for line in lines])
    return text.getvalue()


def _exact(value: Any) -> str:
    if isinstance(value, float):
        if value != value:
            return ""  # word vectors that a name has not
        return repr(int(value)) if value.is_integer() else repr(value)
    return str(value)


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command
