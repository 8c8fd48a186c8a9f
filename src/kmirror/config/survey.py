"""
Every line of the file looked at once, whatever flow it belongs to.

Wrong values are problems even in a flow that is switched off; lines without effect and
unknown names are warnings, with what to write instead. Kafka drops them in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kmirror.config.client_settings import ADMIN, CONSUMER, PRODUCER, SETTINGS_OF_ROLE
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.foot_guns import COMMENT_WORDS, Ends, has_comment, mistaken_key, old_exclude
from kmirror.config.keys.key import Key, KeyType, Scope, ValueProblem, list_oddity, split_list
from kmirror.config.keys.kmirror import ALIAS_PREFIX, SPARK_PREFIX
from kmirror.config.keys.table import CLIENT_NAMES, KEYS, POLICY_PREFIX, client_key
from kmirror.config.keys.worker import BYTES_CONVERTER
from kmirror.config.place import ARROW, Place, place_of
from kmirror.config.suggest import did_you_mean, nearest
from kmirror.model import Flow
from kmirror.policy.unmatched import spelling_doubt

_PROVIDERS_PREFIX = "config.providers."
_CLIENT_ENDS = ("source.cluster.", "target.cluster.")
# Prefixes of a flow's own clients, and the role whose names may follow.
_FLOW_CLIENTS = {
    "source.consumer.": "consumer",
    "source.admin.": "admin",
    "target.admin.": "admin",
    "consumer.": "consumer",
    "admin.": "admin",
    "producer.override.": "producer",
}
_SYNC_PRODUCERS = ("source.producer.", "target.producer.", "producer.")
_EXCLUDES = ("topics.exclude", "topics.blacklist")
_IDLE_CONSUMER = "target.consumer."
_IDLE_FLOW_PREFIXES = (_IDLE_CONSUMER, "topic.creation.")
_TRANSFORM_PREFIXES = ("transforms.", "predicates.")
_ANY_CLIENT_NAMES = PRODUCER.keys() | CONSUMER.keys() | ADMIN.keys()


class Survey:
    """
    Looks at every entry of a file.

    Args:
        aliases: The clusters.
        findings: Receives what is wrong or doubtful.
    """

    def __init__(self, aliases: Sequence[str], findings: Findings) -> None:
        self._aliases = tuple(aliases)
        self._findings = findings
        self._inactive: dict[str, None] = {}
        self._ends = Ends(sources=(), targets=())

    def run(self, file: Entries) -> tuple[str, ...]:
        """Look at all of *file*; the names that are accepted, but not active yet."""
        self._ends = self._find_ends(file)
        for entry in file.values():
            place = place_of(entry.key, self._aliases)
            if place.stray:
                self._stray(entry)
            elif mistake := mistaken_key(place, self._ends):
                self._doubt(entry, mistake)
            elif place.flow is not None:
                self._flow(entry, place.name, place.flow)
            elif place.cluster is not None:
                self._cluster(entry, place, place.cluster)
            else:
                self._top(entry)
        return tuple(self._inactive)

    def _find_ends(self, file: Entries) -> Ends:
        """Return the ends of the flows that lines of their own switch on."""
        flows = [
            place.flow
            for entry in file.values()
            for place in [place_of(entry.key, self._aliases)]
            if place.name == "enabled" and entry.text.strip().lower() == "true"
            if place.flow is not None
        ]
        return Ends(
            sources=tuple(dict.fromkeys(flow.source for flow in flows)),
            targets=tuple(dict.fromkeys(flow.target for flow in flows)),
        )

    def _top(self, entry: Entry) -> None:
        name = entry.key
        key = KEYS.get(name)
        if name.startswith((_PROVIDERS_PREFIX, SPARK_PREFIX)):
            return
        if name.startswith(ALIAS_PREFIX):
            self._doubt(entry, f"has no effect at top level: write {self._alias()}.{name}")
            return
        if key is None:
            self._unknown_top(entry)
        elif key.scope is Scope.WORKER:
            self._doubt(
                entry, f"has no effect at top level: write T.{name} with the target's alias"
            )
        elif key.scope is Scope.FLOW_ONLY:
            self._doubt(entry, f"has no effect at top level: write S{ARROW}T.{name}")
        else:
            self._known(entry, key)

    def _unknown_top(self, entry: Entry) -> None:
        name = entry.key
        if name.startswith(POLICY_PREFIX):
            self._unknown(entry, KEYS)
            return
        if name in _ANY_CLIENT_NAMES:
            self._doubt(entry, f"has no effect at top level: {self._client_forms(name)}")
            return
        if name.startswith(_TRANSFORM_PREFIXES):
            self._doubt(entry, f"has no effect at top level: write S{ARROW}T.{name}")
            return
        if entry.text.startswith(ARROW):
            self._doubt(entry, f"no blanks around {ARROW}: a blank ends the key")
            return
        alias, _, rest = name.partition(".")
        if rest in KEYS or rest.startswith(tuple(f"{role}." for role in SETTINGS_OF_ROLE)):
            self._doubt(entry, f"has no effect: {alias} is not in `clusters`{self._like(alias)}")
            return
        self._unknown(entry, KEYS)

    def _cluster(self, entry: Entry, place: Place, alias: str) -> None:
        name = place.name
        key = KEYS.get(name)
        for role in SETTINGS_OF_ROLE:
            if name.startswith(f"{role}."):
                self._client(entry, f"{alias}.{role}.", name.removeprefix(f"{role}."), role)
                return
        if name.startswith(ALIAS_PREFIX):
            return
        if name.startswith(_PROVIDERS_PREFIX):
            self._doubt(entry, f"has no effect here: write {name} at top level")
        elif key is None and name in _ANY_CLIENT_NAMES:
            self._doubt(entry, f"reaches no client: {self._client_forms(name, alias)}")
        elif key is None:
            self._unknown(entry, KEYS, f"{alias}.")
        elif key.scope in (Scope.CLUSTER, Scope.WORKER, Scope.WORKER_OR_TOP, Scope.EVERYWHERE):
            self._known(entry, key)
        elif key.scope is Scope.DRIVER:
            self._doubt(entry, f"has no effect here: write {name} at top level")
        else:
            self._doubt(
                entry, f"has no effect here: write S{ARROW}T.{name}, or {name} for all flows"
            )

    def _flow(self, entry: Entry, name: str, flow: Flow) -> None:
        key = KEYS.get(name)
        if flow.source == flow.target:
            self._findings.wrong(entry, "expected two different clusters")
        elif name.startswith(_IDLE_FLOW_PREFIXES):
            self._inactive.setdefault(name)
            if name.startswith(_IDLE_CONSUMER):
                bare = name.removeprefix(_IDLE_CONSUMER)
                self._client(entry, f"{flow}.{_IDLE_CONSUMER}", bare, "consumer")
        elif name.startswith(_TRANSFORM_PREFIXES) or self._flow_client(entry, name, flow):
            return
        elif key is None:
            self._unknown(entry, KEYS, f"{flow}.")
        elif key.scope in (Scope.FLOW, Scope.FLOW_ONLY, Scope.EVERYWHERE):
            self._known(entry, key)
        elif key.scope is Scope.DRIVER:
            self._doubt(entry, f"has no effect here: write {name} at top level")
        elif key.scope is Scope.CLUSTER:
            ends = f"{flow.source}.{name} or {flow.target}.{name}"
            self._doubt(entry, f"has no effect here: write {ends}")
        else:
            self._doubt(entry, f"has no effect here: write {flow.target}.{name}")

    def _flow_client(self, entry: Entry, name: str, flow: Flow) -> bool:
        """Look at a setting of one of the flow's own clients; tell whether it is one."""
        for prefix, role in _FLOW_CLIENTS.items():
            if name.startswith(prefix):
                self._client(entry, f"{flow}.{prefix}", name.removeprefix(prefix), role)
                return True
        if name.startswith(_SYNC_PRODUCERS):
            bare = name.partition("producer.")[2]
            self._inactive.setdefault(name)
            key = client_key("producer", bare)
            if key is not None:
                self._value(entry, key)
            self._doubt(
                entry,
                "reaches only the producer of offset syncs, never the records: "
                f"write {flow.target}.producer.{bare}",
            )
            return True
        if name.startswith(_CLIENT_ENDS):
            self._client_end(entry, f"{flow}.", name)
            return True
        return False

    def _client_end(self, entry: Entry, prefix: str, name: str) -> None:
        end = next(end for end in _CLIENT_ENDS if name.startswith(end))
        bare = name.removeprefix(end)
        if KEYS.get(name) is not None:
            self._known(entry, KEYS[name])
        elif bare in CLIENT_NAMES:
            self._value(entry, KEYS[bare])
        else:
            self._unknown(entry, CLIENT_NAMES, prefix + end)

    def _client(self, entry: Entry, prefix: str, name: str, role: str) -> None:
        key = client_key(role, name)
        if key is None:
            self._unknown(entry, SETTINGS_OF_ROLE[role], prefix, client=True)
        else:
            self._value(entry, key)

    def _known(self, entry: Entry, key: Key) -> None:
        if not key.active:
            self._inactive.setdefault(key.name)
        self._value(entry, key)
        if key.default == BYTES_CONVERTER and entry.text.strip() != BYTES_CONVERTER:
            self._doubt(
                entry, "not applied: keys, values and headers are copied as the bytes they are"
            )

    def _value(self, entry: Entry, key: Key) -> None:
        has_words = not entry.secret and has_comment(entry.text)
        if has_words:
            self._doubt(entry, COMMENT_WORDS)
        try:
            key.parse(entry.text)
        except ValueProblem as problem:
            self._findings.wrong(entry, str(problem))
            return
        if key.type in (KeyType.LIST, KeyType.REGEXES) and (oddity := list_oddity(entry.text)):
            self._doubt(entry, oddity)
        if key.type is KeyType.REGEXES and not has_words:
            self._spelling(entry, key)
        if key.name in _EXCLUDES and (doubt := old_exclude(entry.text)):
            self._doubt(entry, doubt)

    def _spelling(self, entry: Entry, key: Key) -> None:
        # Kafka gives groups any name, topics and settings none with a blank.
        blanks = not key.name.startswith("groups")
        doubted: dict[str, list[str]] = {}
        for part in split_list(entry.text):
            if doubt := spelling_doubt(part, blanks=blanks):
                doubted.setdefault(doubt, []).append(part)
        for doubt, parts in doubted.items():
            self._doubt(entry, f"{' and '.join(parts)}: {doubt}")

    def _unknown(
        self,
        entry: Entry,
        known: Iterable[str],
        prefix: str = "",
        *,
        client: bool = False,
    ) -> None:
        hint = did_you_mean(entry.key.removeprefix(prefix), known, prefix)
        kept = "unknown to Kafka's clients, passed on" if client else "unknown key, no effect"
        self._doubt(entry, kept + hint)

    def _stray(self, entry: Entry) -> None:
        left, _, right = entry.key.partition(ARROW)
        # The alias on the right ends at a dot, but which one nobody knows: the first will do.
        pair = (left, right.partition(".")[0])
        strangers = [alias for alias in pair if alias not in self._aliases]
        named = " and ".join(f"{alias}{self._like(alias)}" for alias in strangers) or entry.key
        self._findings.wrong(entry, f"expected aliases that are in `clusters`; not there: {named}")

    def _like(self, alias: str) -> str:
        meant = nearest(alias, self._aliases)
        return f" (did you mean {meant}?)" if meant else ""

    def _alias(self) -> str:
        return " or ".join(self._aliases[:2]) or "T"

    def _client_forms(self, name: str, alias: str = "A") -> str:
        roles = [role for role, names in SETTINGS_OF_ROLE.items() if name in names]
        return "write " + " or ".join(f"{alias}.{role}.{name}" for role in roles)

    @property
    def _doubt(self) -> Callable[[Entry, str], None]:
        return self._findings.doubt
