"""Which cases become vectors of a behaviour: chosen, not dumped.

1. For each planted bug the simplest case found that a port with the bug fails, unless one of the
   cases before does it already; bugs that show in answers alone are looked for there first,
   because few ports can show their draws and state.
2. Cases written by hand, and the simplest case of each class that the behaviour calls
   interesting and that is not among them yet. A bug has its flag on one written by hand, too, if
   more ports can be asked that one than its own.
3. A modest spread of generated cases.

Nothing here needs Java: cases are chosen with the Python port, and the real clients answer them
afterwards. That both agree is checked then, with every vector.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from conformance.clients.versions import client_named
from conformance.engine.check import cell_seed
from conformance.engine.generation import generate
from conformance.engine.plan import behaviour_named
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell
from conformance.model.trace import Trace
from conformance.model.values import is_error, to_json
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant, load_with_kernel
from conformance.subjects.python_port import PythonPort
from conformance.testees.message_bytes import longest_bytes
from conformance.testees.narrow import narrow_for_testee
from conformance.testees.protocol import JAVA_ERRORS, as_observed
from conformance.vectors.boundaries import BOUNDARIES
from conformance.vectors.document import OBSERVED, clients_with, identity_of
from conformance.vectors.flags import flag_of
from conformance.vectors.simplify import Holds, needed, simplify

_MOST_BYTES: Final = 4096
"""Bytes of a key, a value or a batch in a vector, at most: the files are for reading and for
repositories."""
BEYOND_VECTORS: Final[Mapping[str, str]] = {
    "1 MiB key": f"keys of vectors have {_MOST_BYTES} bytes at most",
    "record of 3 bytes of length": "a record of a mebibyte is too long to be read",
    "thousands of records": "their batch is too long to be read",
    "beyond the count": "a producer of another library may wait for such a partition",
    "neither": "where a producer chooses by chance, no answer is right",
}
"""Classes of interesting cases that no vector has, and why."""
_POOL: Final = 600
"""Generated cases of a behaviour of weight 1, from which most is chosen ..."""
_LARGE_POOL: Final = 4000
"""... and from which the rest is: generating takes most of the time."""
_SPREAD: Final = 12
"""Generated cases of a behaviour, with as many steps and characters as a person may read."""
_LONGEST_GENERATED: Final = 3000
_MOST_GENERATED_STEPS: Final = 30
_ODD: Final = ("null metadata", "unknown topics", "null topics")
"""What makes almost any bug fail, by accident; a bug's own case does without where it can."""
_MOST_RECORDS: Final = 200
"""Records that a case writes; each stands in the answer."""
_SEED_OF_ALL: Final = "every version"


@dataclass(frozen=True)
class Chosen:
    """A case that becomes a vector, and why."""

    case: Case
    comment: str
    flags: tuple[str, ...] = ()


def choose(name: str, seed: int) -> list[Chosen]:
    """The vectors of a behaviour, always the same for a seed.

    Raises :class:`SuiteError` if a planted bug or a class is not reached by any case.
    """
    chooser = _Chooser(behaviour_named(name), seed)
    chooser.choose_killers()
    chooser.add_classes()
    chooser.add_spread()
    return chooser.chosen()


class _Chooser:
    """The pool of generated cases of one behaviour, and what was chosen so far."""

    def __init__(self, behaviour: Behaviour, seed: int) -> None:
        self._behaviour = behaviour
        self._clients = clients_with(behaviour)
        port = PythonPort()
        self._port = {client.version: port.performer(behaviour, client) for client in self._clients}
        self._seed = seed
        # Of cases in pools, by what object they are: many bugs are tried on each of them.
        self._legal: dict[int, bool] = {}
        self._expected: dict[tuple[str, int], Trace] = {}
        self._chosen: dict[str, tuple[Case, str]] = {}
        self._flags: dict[str, dict[str, None]] = {}
        self._pool = self._generated(_POOL)
        self._large_pool: list[Case] = []

    def _generated(self, count: int) -> list[Case]:
        """Generated cases of all versions, each once, the plain and short ones first."""
        own_seed = cell_seed(self._seed, Cell(self._behaviour.name, _SEED_OF_ALL))
        # Versions that have the same operations have the same strategy.
        strategies = {id(one): one for one in map(self._behaviour.cases, self._clients)}
        found: dict[str, Case] = {}

        def use(case: Case, _number: int) -> None:
            case = _with_plain_draws(case)
            found.setdefault(to_json(case), case)

        for strategy in strategies.values():
            cases = round(count * self._behaviour.weight)
            generate(strategy, use, cases=cases, seed=own_seed, shrink=False)
        fitting = [case for case in found.values() if _is_short(case)]
        self._legal.update({id(case): _is_legal(case) for case in fitting})
        return sorted(fitting, key=_oddness_and_size)

    def _find(self, wanted: Holds, *, certain: bool) -> Case | None:
        """The plainest case that is wanted; if there must be one, from the large pool, too."""
        found = next(filter(wanted, self._pool), None)
        if found is None and certain:
            if not self._large_pool:
                self._large_pool = self._generated(_LARGE_POOL)
            found = next(filter(wanted, self._large_pool), None)
        return found

    def chosen(self) -> list[Chosen]:
        """All that was chosen, with its flags."""
        return [
            Chosen(case, comment, tuple(self._flags.get(identity, ())))
            for identity, (case, comment) in self._chosen.items()
        ]

    def choose_killers(self) -> None:
        """Add a case for each planted bug that those before miss, then what is written by hand.

        Of both, those that tell a bug best have its flag.
        """
        bugs = [
            _Planted(mutant, self._behaviour)
            for mutant in MUTANTS
            if mutant.behaviour == self._behaviour.name
        ]
        for planted in bugs:
            self._make_sure_of(planted)
        found = set(self._chosen)
        self._add_boundaries()
        self._flag_killers(bugs, found)

    def _make_sure_of(self, planted: "_Planted") -> None:
        """Have a case that a bug fails, by its answers if there is any such."""
        for shown in ((), OBSERVED):
            kills = partial(self._kills, planted, shown=shown)
            if any(kills(case) for case, _ in self._chosen.values()):
                return
            found = self._find(kills, certain=bool(shown))
            if found is not None:
                case = simplify(found, kills)
                hidden = not self._kills(planted, case, shown=())
                where = " It shows in draws or state only." if hidden else ""
                self._add(case, f"A port fails this with the bug: {planted.mutant.bug}.{where}")
                self._flag(next(reversed(self._chosen)), planted.mutant)
                return
        raise SuiteError(
            f"None of some {_LARGE_POOL} cases of {self._behaviour.name} finds the planted bug "
            f"{planted.mutant.name!r}.",
            "Plant one that shows, or generate what shows it.",
        )

    def _flag_killers(self, mutants: Iterable["_Planted"], generated: Collection[str]) -> None:
        """Each bug flags the case that tells most: of those that find it, found by fewest bugs.

        It flags one that was not generated, too, if that needs less of a port.
        """
        killers = {
            planted.mutant.name: [
                identity
                for identity, (case, _) in self._chosen.items()
                if self._kills(planted, case)
            ]
            for planted in mutants
        }
        finds = Counter(identity for found in killers.values() for identity in found)
        for planted in mutants:
            if not killers[planted.mutant.name]:
                raise SuiteError(
                    f"The planted bug {planted.mutant.name!r} shows in a case of "
                    f"{self._behaviour.name} once, and then no more.",
                    "It depends on what ran before, which no vector can: plant it elsewhere.",
                )
            found = killers[planted.mutant.name]
            telling = min(found, key=lambda identity: finds[identity])
            self._flag(telling, planted.mutant)
            needs = needed(self._chosen[telling][0])
            by_hand = [
                identity
                for identity in found
                if identity not in generated and needed(self._chosen[identity][0]) < needs
            ]
            if by_hand:
                self._flag(min(by_hand, key=lambda identity: finds[identity]), planted.mutant)

    def _flag(self, identity: str, mutant: Mutant) -> None:
        self._flags.setdefault(identity, {})[flag_of(mutant)] = None

    def _add_boundaries(self) -> None:
        name = self._behaviour.name
        if name not in BOUNDARIES:
            raise SuiteError(
                f"No vector of {name} is written by hand.",
                "Write some, in conformance/vectors/boundaries.py.",
            )
        for comment, case in BOUNDARIES[name]():
            self._add(case, comment)

    def add_classes(self) -> None:
        """Add the simplest case of each interesting class that nothing before belongs to."""
        for label, meaning in self._behaviour.interesting.items():
            has_label = partial(self._is_labelled, label)
            chosen = (case for case, _ in self._chosen.values())
            if label in BEYOND_VECTORS or any(map(has_label, chosen)):
                continue
            found = self._find(has_label, certain=True)
            if found is None:
                raise SuiteError(
                    f"None of some {_LARGE_POOL} cases of {self._behaviour.name} is of the class "
                    f"{label!r}.",
                    "Write one by hand, in conformance/vectors/boundaries.py.",
                )
            self._add(simplify(found, has_label), f"{label[:1].upper()}{label[1:]}: {meaning}.")

    def add_spread(self) -> None:
        """Add generated cases as they are, short ones and longer ones."""
        everywhere: list[Case] = []
        only_some: list[Case] = []
        for case in self._pool:
            short = len(case["steps"]) <= _MOST_GENERATED_STEPS
            if short and len(to_json(case)) <= _LONGEST_GENERATED and self._is_legal(case):
                everyone = len(self._having(case)) == len(self._clients)
                (everywhere if everyone else only_some).append(case)
        for cases, count in ((everywhere, _SPREAD), (only_some, _SPREAD // 2)):
            for at in range(min(count, len(cases))):
                self._add(cases[(at + 1) * len(cases) // count - 1], "Generated.")

    def _add(self, case: Case, comment: str) -> None:
        self._chosen.setdefault(identity_of(self._behaviour.name, case), (case, comment))

    def _having(self, case: Case) -> list[ClientVersion]:
        return [client for client in self._clients if self._behaviour.exists_in(client, case)]

    def _kills(self, planted: "_Planted", case: Case, shown: tuple[str, ...] = OBSERVED) -> bool:
        """Whether the bug shows in a case, by the answers and what else is shown."""
        if not self._behaviour.exists_in(planted.client, case) or not self._is_legal(case):
            return False
        try:
            expected = self._expected_of(case, planted.client.version)
            answered = planted.perform(case)
        except Exception:
            return False
        if not _is_of_java(expected):
            return False
        return as_observed(expected, shown) != as_observed(answered, shown)

    def _is_labelled(self, label: str, case: Case) -> bool:
        clients = self._having(case)
        if not clients or not self._is_legal(case):
            return False
        try:
            trace = self._port[clients[-1].version](case)
            return _is_of_java(trace) and label in self._behaviour.labels(case, trace)
        except Exception:
            return False

    def _is_legal(self, case: Case) -> bool:
        known = self._legal.get(id(case))
        return _is_legal(case) if known is None else known

    def _expected_of(self, case: Case, version: str) -> Trace:
        """What the port answers to a case; of one in a pool it is computed once."""
        if id(case) not in self._legal:
            return self._port[version](case)
        where = version, id(case)
        if where not in self._expected:
            self._expected[where] = self._port[version](case)
        return self._expected[where]


def _is_legal(case: Case) -> bool:
    """Whether a case is one that testees may be asked."""
    asked = narrow_for_testee(case)
    return asked is not None and to_json(asked) == to_json(case)


class _Planted:
    """A mutant that performs the behaviour that must find it."""

    def __init__(self, mutant: Mutant, behaviour: Behaviour) -> None:
        self.mutant = mutant
        self.client = client_named(mutant.client)
        port = PythonPort(load_with_kernel(mutant), mutant.name)
        self.perform = port.performer(behaviour, self.client)


def _is_of_java(trace: Trace) -> bool:
    """Whether a client could have answered so: a case that is none makes the port crash."""
    return all(step["answer"]["error"] in JAVA_ERRORS for step in trace if is_error(step["answer"]))


def _oddness_and_size(case: Case) -> tuple[int, int, str]:
    text = to_json(case)
    return sum(to_json(narrow_for_testee(case, (word,))) != text for word in _ODD), len(text), text


def _with_plain_draws(case: Case) -> Case:
    """The case with draws that all follow from the first: a file need not tell more."""
    steps = [
        {**operation, "draw": [operation["draw"][0], 0]} if "draw" in operation else operation
        for operation in case["steps"]
    ]
    return {**case, "steps": steps}


def _is_short(case: Case) -> bool:
    """Whether no key, value or batch of a case, and no batch that it writes, is too long."""
    written = sum(operation.get("times", 1) for operation in case["steps"])
    return written <= _MOST_RECORDS and longest_bytes(case) <= _MOST_BYTES
