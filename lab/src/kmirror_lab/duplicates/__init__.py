"""The duplicates laboratory: a mirror on a bad link, and what of its copies is there twice."""

from kmirror_lab.duplicates.audit import Audit, audit
from kmirror_lab.duplicates.result import Effect, Peer, Run
from kmirror_lab.duplicates.runner import Laboratory
from kmirror_lab.duplicates.runs_file import runs_from_json, to_json
from kmirror_lab.duplicates.scenario import Scenario, find_scenario, names, read_scenario
from kmirror_lab.duplicates.vary import read_vary, varied, with_records

__all__ = [
    "Audit",
    "Effect",
    "Laboratory",
    "Peer",
    "Run",
    "Scenario",
    "audit",
    "find_scenario",
    "names",
    "read_scenario",
    "read_vary",
    "runs_from_json",
    "to_json",
    "varied",
    "with_records",
]
