"""Mutations made by machine: every place of the port's source that an operator can change.

The operators are cosmic-ray's: each arithmetic, bit and comparison operator by each other one,
numbers by their neighbours, conditions negated, ``and`` and ``or`` exchanged, ``break`` and
``continue`` exchanged, loops that never run, handlers of another exception, decorators removed.

What is no behaviour is left out by rule: see :func:`excluded_places`, and in
:func:`mutations_of` the marks of signatures and comparisons of identity.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider

from conformance.mutants.mutant import ROOT, Mutant

Place: TypeAlias = tuple[int, int]
"""A line, from 1, and a column in characters, from 0."""

Places: TypeAlias = list[tuple[Place, Place]]
"""Stretches of source, each from a place to a place (that is not in it)."""

_OPERATORS = OperatorProvider()


@dataclass(frozen=True)
class Mutation:
    """One change of one place."""

    file: str
    """Relative to ``python_impl``."""
    operator: str
    """The name that cosmic-ray gives it, such as ``NumberReplacer``."""
    occurrence: int
    """Which of the operator's changes of this file it is, from 0."""
    line: int
    text: str
    """The line as it stands, without indentation."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.operator} #{self.occurrence}: {self.text}"

    def source(self) -> str:
        """The file with the change in it."""
        changed: str | None = mutate_code(
            source_of(self.file), _OPERATORS[self.operator](), self.occurrence
        )
        if changed is None:
            raise LookupError(f"{self} is no longer there: the source has changed")
        return changed

    def mutant(self) -> Mutant:
        """The same as what a person plants; raises ``SyntaxError`` where it is no program."""
        changed = self.source()
        compile(changed, self.file, "exec")
        name = f"{self.file} {self.operator} {self.occurrence}"
        return Mutant(name, str(self), self.file, source_of(self.file), changed, "", "")


@cache
def source_of(file: str) -> str:
    """The source of a file of the port."""
    return (ROOT / file).read_text("utf-8")


SAMPLED: Final[Mapping[str, int]] = dict.fromkeys(
    (
        "deserializers.py",
        "hash_order.py",
        "producer/backoff.py",
        "producer/buffer_pool.py",
        "producer/kafka_producer.py",
        "producer/partition_accumulator.py",
        "producer/producer_batch.py",
        "producer/producer_id.py",
        "producer/producer_settings.py",
        "producer/protocol_errors.py",
        "producer/record_accumulator.py",
        "producer/resetting_transaction_manager.py",
        "producer/sender.py",
        "producer/topic_accumulator.py",
        "producer/transaction_manager.py",
        "producer/txn_partition_map.py",
        "records/column_writer.py",
        "records/column_writer_kernel.py",
        "records/compiled.py",
        "records/decompression.py",
        "records/loops.py",
        "records/reader.py",
        "records/segment.py",
        "records/segment_columns.py",
        "records/segment_kernel.py",
        "records/segment_pieces.py",
        "records/xxhash32.py",
        "records/zstd_frames.py",
    ),
    8,
)
"""Files of which one mutation in so many is tried: a mutation of these costs many seconds, because
most cases of ``batch-reading`` have to be read, those of ``accumulator`` are long, or Numba has to
compile it anew."""


def files() -> list[str]:
    """Every source file of the port, relative to it."""
    return sorted(str(file.relative_to(ROOT)) for file in ROOT.rglob("*.py"))


def mutations_of(file: str) -> list[Mutation]:
    """Every mutation of a file, in the order of operators, then places."""
    excused = excluded_places(source_of(file))
    return [
        mutation
        for mutation, node in _all_mutations(file)
        # The marks * and / of a signature are no arithmetic.
        if (node.parent is None or node.parent.type != "parameters")
        and not _compares_identities(mutation.operator)
        and not any(first <= node.start_pos < last for first, last in excused)
    ]


def tried_of(file: str) -> list[Mutation]:
    """Those of a file's mutations that the score tries: all, or a sample of them."""
    return mutations_of(file)[:: SAMPLED.get(file, 1)]


def excluded(file: str) -> int:
    """How many mutations of a file are left out by rule."""
    return sum(1 for _ in _all_mutations(file)) - len(mutations_of(file))


def _all_mutations(file: str) -> Iterator[tuple[Mutation, Any]]:
    """Every mutation, with parso's node of the place that is changed."""
    source = source_of(file)
    lines = source.splitlines()
    nodes = list(ast_nodes(get_ast(source)))
    for name in _OPERATORS:
        operator_class = _OPERATORS[name]
        if operator_class.arguments():
            continue  # those that replace variables by random numbers want to be told which
        operator = operator_class()
        spots = [(node, at) for node in nodes for at, _ in operator.mutation_positions(node)]
        for occurrence, (node, (line, _column)) in enumerate(spots):
            yield Mutation(file, name, occurrence, line, lines[line - 1].strip()), node


def _compares_identities(operator: str) -> bool:
    """Whether it puts ``is`` where values are compared.

    Whether two equal integers are one object is CPython's affair (up to 256 they are), and
    nothing that Java knows.
    """
    _, _, change = operator.partition("ReplaceComparisonOperator_")
    before, _, after = change.partition("_")
    return after in ("Is", "IsNot") and before not in ("Is", "IsNot")


def excluded_places(source: str) -> Places:
    """Where a change is no change of behaviour: the rules.

    Type annotations and the right sides of type aliases; the texts of errors (what ``raise``
    hands to the exception, and f-strings); what stands under ``if TYPE_CHECKING``, the condition
    included; ``__all__``.
    """
    lines = source.splitlines()

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1].encode()[:offset].decode())

    def stretch(node: ast.expr | ast.stmt) -> tuple[Place, Place]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            (node.lineno, column(node.lineno, node.col_offset)),
            (node.end_lineno, column(node.end_lineno, node.end_col_offset)),
        )

    return [
        stretch(part) for node in ast.walk(ast.parse(source)) for part in _without_behaviour(node)
    ]


def _without_behaviour(node: ast.AST) -> list[ast.expr | ast.stmt]:
    """The parts of a node that a rule of :func:`excluded_places` names."""
    match node:
        case (
            ast.AnnAssign(annotation=ast.Name(id="TypeAlias"))
            | ast.If(test=ast.Name(id="TYPE_CHECKING"))
            | ast.Assign(targets=[ast.Name(id="__all__")])
            | ast.JoinedStr()
        ):
            return [node]
        case ast.Raise(exc=ast.Call(args=texts)):
            return [*texts]
        case (
            ast.FunctionDef(returns=annotation)
            | ast.arg(annotation=annotation)
            | ast.AnnAssign(annotation=annotation)
        ):
            return [annotation] if annotation else []
    return []
