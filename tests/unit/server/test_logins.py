"""Who calls: passwords, tokens, roles, and what strangers are told."""

from __future__ import annotations

import base64
import os
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from typer.testing import CliRunner

from kmirror.cli.verbs import program
from kmirror.clock import ManualClock
from kmirror.control.caller import Role
from kmirror.errors import ConfigError
from kmirror.events.emit import Occurrence, subscribed
from kmirror.policy.principal_names import PrincipalRules, read_principal_rules
from kmirror.server.answers import HttpProblem
from kmirror.server.connect.endpoints import connect_endpoints
from kmirror.server.login import FAILURE_S, FAILURES_MAX, Login, UsersFile
from kmirror.server.users import User, Users, read_users, token_digest
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, serving

PASSWORD = "correct horse battery"
TOKEN = "a-token-of-many-characters"
READS = {"GET", "HEAD", "OPTIONS"}


@pytest.fixture(scope="module")
def lines() -> str:
    """Return the text of a file of users."""
    # What people make takes 50 ms to check; see `test_the_command`.
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    made = [
        f"{name}:{role}:{hasher.hash(f'{PASSWORD}-{name}')}\n"
        for name, role in (("ada", "admin"), ("otto", "operator"), ("vera", "viewer"))
    ]
    made.append(f"bot:operator:{token_digest(TOKEN)}\n")
    made.append("CN=ops,O=Example:admin:certificate\n")
    return "# who may call\n\n" + "".join(made)


@pytest.fixture
def users_file(tmp_path: Path, lines: str) -> Path:
    """Write it."""
    return write(tmp_path / "users", lines)


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    """Write a file of users."""
    path.write_text(text)
    path.chmod(mode)
    return path


def basic(name: str, password: str | None = None) -> str:
    """Return the header of somebody."""
    spoken = f"{name}:{PASSWORD}-{name}" if password is None else f"{name}:{password}"
    return f"Basic {base64.b64encode(spoken.encode()).decode()}"


def login_of(users: Users, clock: ManualClock, anonymous: Role | None = None) -> Login:
    """Return a login for some users."""

    class Source:
        def users(self) -> Users:
            return users

    rules = read_principal_rules("DEFAULT")
    return Login(Source(), anonymous=anonymous, principals=rules, clock=clock)


def refused(login: Login, authorization: str | None, address: str = "10.0.0.1") -> HttpProblem:
    """Give what a caller is told."""
    with pytest.raises(HttpProblem) as problem:
        login.caller(authorization, None, address)
    return problem.value


def test_passwords_tokens_and_certificates(users_file: Path) -> None:
    """Each is somebody with a role."""
    login = login_of(read_users(users_file), ManualClock())
    for name, role in (("ada", Role.ADMIN), ("otto", Role.OPERATOR), ("vera", Role.VIEWER)):
        for _ in range(2):  # the second time it is known
            caller = login.caller(basic(name), None, "10.0.0.1")
            assert (caller.name, caller.role, caller.address) == (name, role, "10.0.0.1")
    bot = login.caller(f"bearer {TOKEN}", None, "::1")
    assert (bot.name, bot.role) == ("bot", Role.OPERATOR)
    ops = login.caller(None, "CN=ops,O=Example", "::1")
    assert (ops.name, ops.role) == ("CN=ops,O=Example", Role.ADMIN)


@pytest.mark.parametrize(
    "authorization",
    [
        basic("ada", "wrong"),
        basic("nobody", "wrong"),
        basic("ada", ""),
        "Basic !!!",
        "Basic \xe9",
        "Bearer \xe9",
        "Basic " + base64.b64encode(b"ada").decode(),
        "Basic " + base64.b64encode(b"\xff:\xff").decode(),
        "Bearer wrong",
        f"Bearer {token_digest(TOKEN)}",
        "Digest x",
        "",
    ],
)
def test_whoever_is_nobody_gets_the_same_answer(users_file: Path, authorization: str) -> None:
    """401 and the ways to log in, without what was wrong; also where others need no login."""
    for anonymous in (None, Role.VIEWER):
        login = login_of(read_users(users_file), ManualClock(), anonymous)
        problem = refused(login, authorization)
        assert (problem.status, str(problem)) == (401, "HTTP 401 Unauthorized")
        assert problem.headers["WWW-Authenticate"].startswith("Basic realm=")


def test_an_unknown_name_takes_as_long(users_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash is computed for it, too."""
    computed: list[str] = []
    verify = PasswordHasher.verify

    def counted(self: PasswordHasher, hashed: str, password: str) -> bool:
        computed.append(hashed)
        return verify(self, hashed, password)

    monkeypatch.setattr(PasswordHasher, "verify", counted)
    login = login_of(read_users(users_file), ManualClock())
    refused(login, basic("ada", "wrong"))
    refused(login, basic("nobody", "wrong"))
    assert len({*computed}) == 2


def test_failures_of_an_address_are_limited(users_file: Path) -> None:
    """Then even the right password has to wait; other addresses have not."""
    clock = ManualClock()
    login = login_of(read_users(users_file), clock)
    for _ in range(FAILURES_MAX):
        assert refused(login, "Bearer wrong").status == 401
    late = refused(login, f"Bearer {TOKEN}")
    assert (late.status, late.headers["Retry-After"]) == (429, "6")
    assert login.caller(f"Bearer {TOKEN}", None, "10.0.0.2").name == "bot"
    clock.advance(FAILURE_S)
    assert login.caller(f"Bearer {TOKEN}", None, "10.0.0.1").name == "bot"


def test_strangers(users_file: Path) -> None:
    """Without a word they are nobody, or what the file says."""
    users = read_users(users_file)
    assert refused(login_of(users, ManualClock()), None).status == 401
    reader = login_of(users, ManualClock(), Role.VIEWER).caller(None, None, "10.0.0.1")
    assert (reader.name, reader.role) == ("anonymous", Role.VIEWER)
    unknown = login_of(users, ManualClock()).caller
    with pytest.raises(HttpProblem):
        unknown(None, "CN=somebody else", "10.0.0.1")


def test_the_file_is_read_again(users_file: Path, lines: str) -> None:
    """Who was taken out is out; a file that is wrong changes nothing."""
    clock = ManualClock()
    source = UsersFile(users_file, clock)
    login = Login(source, anonymous=None, principals=PrincipalRules(), clock=clock)
    assert login.caller(basic("vera"), None, "a").name == "vera"
    told: list[Occurrence] = []

    def look() -> None:
        for _ in range(3):
            clock.advance(1.0)
            source.users()

    with subscribed(told.append):
        write(users_file, lines + "x\n")
        look()
        assert login.caller(basic("vera"), None, "a").name == "vera"
        assert [each.event.name for each in told] == ["users.refused"]
        write(users_file, "".join(line for line in lines.splitlines(True) if "vera" not in line))
        look()
    assert refused(login, basic("vera")).status == 401
    assert login.caller(basic("ada"), None, "a").name == "ada"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x", "expected NAME:ROLE:CREDENTIAL"),
        ("x:king:certificate", "expected NAME:ROLE:CREDENTIAL"),
        (":admin:certificate", "expected NAME:ROLE:CREDENTIAL"),
        ("x:admin:hunter2-canary", "expected NAME:ROLE:CREDENTIAL"),
        ("a:b:admin:$argon2id$x", "expected no colon"),
        ("x:admin:certificate\nx:viewer:certificate", "each name and token once"),
    ],
)
def test_lines_that_are_none(tmp_path: Path, line: str, expected: str) -> None:
    """With file and line, and without the line's text, which may be a password."""
    with pytest.raises(ConfigError) as error:
        read_users(write(tmp_path / "users", f"# head\n{line}\n"))
    (problem,) = error.value.problems
    assert problem.where == f"{tmp_path}/users:{2 + line.count(chr(10))}"
    assert expected in problem.expected
    assert "canary" not in str(error.value)


def test_files_that_others_may_read(tmp_path: Path) -> None:
    """They are refused, as are those that are none."""
    for mode in (0o644, 0o640, 0o602):
        with pytest.raises(ConfigError, match=r"may be read by others: chmod 600"):
            read_users(write(tmp_path / "users", "", mode))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_users(tmp_path / "absent")
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(ConfigError, match="is no file of users"):
        read_users(tmp_path / "pipe")


def test_roles_on_every_route(users_file: Path) -> None:
    """A viewer gets 403 on everything that writes, an operator on all but orders."""
    config = replace(HERE, users_file=users_file, anonymous_role="none", requests_per_s=10_000)
    herder = MemoryHerder()
    endpoints = connect_endpoints(herder)
    assert {each.role for each in endpoints if each.method not in READS} == {
        Role.OPERATOR,
        Role.ADMIN,
    }
    assert {each.role for each in endpoints if each.method in READS} == {Role.VIEWER}
    with serving(herder, config) as client:
        for each in endpoints:
            path = each.path.replace("{task}", "0").replace("{", "").replace("}", "")
            assert client.call(each.method, path).status == 401, path
            for name, role in (("vera", Role.VIEWER), ("otto", Role.OPERATOR), ("ada", Role.ADMIN)):
                found = client.with_headers(Authorization=basic(name)).call(each.method, path)
                assert (found.status == 403) is (role < each.role), (name, each.method, path)
                assert found.status != 401
        assert client.get("/nope").status == 401
    assert {who for _, who in herder.done} <= {"ada", "otto"}


def test_what_a_role_may_not_is_said(users_file: Path) -> None:
    """In Connect's shape, with the role that is needed."""
    config = replace(HERE, users_file=users_file, anonymous_role="viewer")
    with serving(MemoryHerder(), config) as client:
        assert client.get("/connectors").status == 200
        no = client.delete("/connectors/c")
        assert no.json == {
            "error_code": 403,
            "message": "anonymous may not DELETE /connectors/{connector}: that needs the role "
            "admin, and this is a viewer",
        }


def test_every_write_is_told(users_file: Path, config: dict[str, str]) -> None:
    """Who, what, from where, and with which result; also what was refused."""
    told: list[Occurrence] = []
    served = replace(HERE, users_file=users_file, anonymous_role="none")
    with subscribed(told.append), serving(MemoryHerder(), served) as client:
        ada = client.with_headers(Authorization=basic("ada"))
        ada.get("/connectors")
        ada.post("/connectors", {"name": "c", "config": config})
        client.with_headers(Authorization=basic("vera")).put("/connectors/c%0A/stop")
        client.with_headers(Authorization=basic("ada", "wrong")).put("/connectors/c/stop")
    lines = [str(each) for each in told if each.event.name != "server.listening"]
    assert lines == [
        "ada (admin) at 127.0.0.1: POST /connectors: 201",
        "vera (viewer) at 127.0.0.1: PUT /connectors/c%0A/stop: 403",
        "127.0.0.1: a wrong name, password or token",
    ]


def test_the_command(tmp_path: Path) -> None:
    """It refuses what would be weak, and shows a token once."""
    made = CliRunner().invoke(program(), ["user", "ada", "--role", "admin"], input=f"{PASSWORD}\n")
    users = read_users(write(tmp_path / "users", made.stdout))
    assert users.by_password("ada", PASSWORD) == User(name="ada", role=Role.ADMIN)
    assert users.by_password("ada", f"{PASSWORD} ") is None
    short = CliRunner().invoke(program(), ["user", "ada"], input="short\n")
    assert short.exit_code == 1
    assert "at least 12 characters" in short.stderr
    colon = CliRunner().invoke(program(), ["user", "a:b"], input=f"{PASSWORD}\n")
    assert "expected no colon" in colon.stderr
    token = CliRunner().invoke(program(), ["user", "bot", "--token"])
    text = token.stderr.strip().rpartition(" ")[2]
    assert token.stdout == f"bot:viewer:{token_digest(text)}\n"
    owner = CliRunner().invoke(program(), ["user", "CN=a:b", "--certificate", "--role", "admin"])
    assert owner.stdout == "CN=a:b:admin:certificate\n"
