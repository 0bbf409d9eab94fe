"""Field cases of cases.md, sections A to C, as far as fingerprints and the block go."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.guards.repeat_tool_breaker import commands, tokens
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.guards.repeat_tool_breaker.shell_http import refused

CONFIG = configure({}, PROFILES["0.8"])


def prints(command: str, tool: str = "bash") -> tuple[str, ...]:
    return fingerprint(tool, json.dumps({"command": command}), CONFIG).all


def of_kind(command: str, kind: str, tool: str = "bash") -> list[str]:
    start = f"{kind}:"
    return [p.removeprefix(start) for p in prints(command, tool) if p.startswith(start)]


def verb(command: str) -> str:
    return tokens.verb(tokens.tokens(command))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        # C20
        ("timeout 30 curl -s https://example.org/a", "curl"),
        ("timeout -k 5 30 curl -s https://example.org/a", "-k"),
        ("timeout -s KILL 30 curl https://example.org/a", "-s"),
        ("timeout --signal=KILL 2m curl https://example.org/a", "curl"),
        # C21
        ("/usr/bin/timeout 30 curl https://example.org/a", "timeout"),
        ("stdbuf -oL curl https://example.org/a", "stdbuf"),
        ("xargs -n1 curl -s < urls.txt", "xargs"),
        ("sudo -u deploy -H curl https://example.org/a", "curl"),
        ('env FOO=1 BAR="x y" curl https://example.org/a', "curl"),
        ("time -p make", ""),
        # C41
        (r"C:\Windows\System32\curl.exe https://example.org/a", "c:windowssystem32curl.exe"),
        ("Invoke-WebRequest -Uri https://example.org/a", "invoke-webrequest"),
        # C04
        ("", ""),
        ("   ", ""),
        ("./", ""),
        ("nice -n 5 make", "make"),
        ("A=1 B=2 timeout 3 sudo env C=1 make", "make"),
    ],
)
def test_verb(command, name):
    assert verb(command) == name


@pytest.mark.parametrize(
    ("command", "stripped"),
    [
        ("timeout -k 5 30 curl -s https://example.org/a", "5 30 curl https://example.org/a"),
        ("sudo -u deploy -H curl -sSL https://example.org/a",
         "sudo -u deploy -H curl https://example.org/a"),
        ("curl --max-time 60 -m5x -A 'my agent' --retry=3 -fsS x -", "curl x -"),
        ('echo "unterminated', "echo unterminated"),
        ("curl -s https://example.org\\\n/x", "curl https://example.org\n/x"),
    ],
)  # fmt: skip
def test_stripped(command, stripped):
    assert tokens.stripped(tokens.tokens(command)) == stripped


@pytest.mark.parametrize(
    ("command", "is_refused"),
    [
        # C20
        ("timeout -k 5 60 git clone https://git.example.org/a.git", True),
        ("timeout 60 git clone https://git.example.org/a.git", False),
        ("xargs -n1 curl -s < urls.txt", False),
        # C22
        ("command -v curl wget jq", True),
        ("curl --version", True),
        ("which curl", False),
        ("ssh -o ConnectTimeout=15 ops@192.0.2.10 'command -v curl; uptime'", False),
        # C23
        ("B=http://127.0.0.1:4100/api; curl -s -X POST -d "
         "'{\"publicOrigin\":\"https://tunnel.example.net\"}' $B/settings -o /tmp/s.json", True),
        # C24
        ("cat > README.md <<'MD'\n# Tool\nDocs: https://docs.example.org/guide\nMD", True),
        ("# see https://example.org/spec\nmake test", True),
        ("jq -r '.url' <<< '{\"url\":\"https://example.org/a\"}'", True),
        ('git commit -m "docs: link https://example.org/guide"', False),
        ('grep -rn "https://api.example.org" src | head -5', False),
        # C25
        ("cd /srv && git clone https://git.example.org/a.git", False),
        ("git clone https://git.example.org/a.git && curl -s https://other.example.org/x", True),
        ("(git clone https://git.example.org/a.git)", True),
        ("git log --format='%h|%s' https://x.example.org", True),
        ('grep "a|https://example.org|b" f.txt', False),
        ("rg \"https://old.example.org\" -l | xargs sed -i "
         "'s#https://old.example.org#https://new.example.org#'", True),
        # C26
        ("grep -oE 'https://api.example.org/v1' c.yml | xargs curl -s", False),
        ("U=$(grep -oE 'https://api.example.org/v1' c.yml); curl -s \"$U\"", True),
        ("U=$(grep -oE 'https://[a-z.]+' c.yml); curl -s \"$U\"", False),
        ("docker run --rm alpine wget -qO- https://example.org/", False),
        ("bash /tmp/fetch.sh", False),
        # C27 to C29
        (r'grep -oE "http://127\.0\.0\.1:3080/\?token=[a-z]+" run.log', False),
        ("curl http://[::1]:8080/", False),
        ("curl http://[::ffff:127.0.0.1]/", True),
        ('curl "http://[fe80::1%25eth0]/"', True),
        ("curl -s http://127.0.0.1:$PORT/health", True),
        ("curl -s http://localhost:${PORT}/health", True),
        ('curl -s "http://localhost:3000/$id"', False),
        ("curl -s http://${HOST}/x", True),
        # C30
        ("curl HTTP://Example.ORG:80/P/?b=2&a=1#f", True),
        ("curl ftp://example.org/x", True),
        # C32
        ("curl http://2130706433/", False),
        ("curl http://0x7f000001:8080/", False),
        ("curl http://0177.0.0.1/", False),
        ("curl http://127.1/", False),
        ("curl https://1.1.1/", True),
        ("curl http://256.1.1.1/", True),
        # C41, C43
        ("Invoke-WebRequest -Uri https://example.org/a", True),
        ("for u in \\\n https://a.example.org/1 \\\n https://a.example.org/2; do echo $u; done",
         True),
    ],
)  # fmt: skip
def test_block(command, is_refused):
    assert refused("bash", command, CONFIG) is is_refused


@pytest.mark.parametrize(
    ("command", "net"),
    [
        (r'grep -oE "http://127\.0\.0\.1:3080/\?token=[a-z]+" run.log',
         ["127.0.0.1/?token=[a-z] "]),
        ("curl http://[::1]:8080/", ["::1/"]),
        ("curl http://[0:0:0:0:0:0:0:1]/", ["::1/"]),
        ("curl http://[::ffff:127.0.0.1]/", ["::ffff:7f00:1/"]),
        ('curl "http://[fe80::1%25eth0]/"', []),
        ("curl -s http://${HOST}/x", ["${host}/x"]),
        ("curl example.org/x", []),
        ("curl //example.org/x", []),
        # C33
        ("curl https://m\u00fcller.example/", ["xn--mller-kva.example/"]),
        ("curl https://xn--mller-kva.example/", ["xn--mller-kva.example/"]),
        ("curl https://fa\u00df.example/", ["xn--fa-hia.example/"]),
        ("curl https://\uff25\uff38\uff21\uff2d\uff30\uff2c\uff25.org/", ["example.org/"]),
        ("curl https://\u4f8b\u3048.\u30c6\u30b9\u30c8/\u30d1\u30b9",
         ["xn--r8jz45g.xn--zckzah/%E3%83%91%E3%82%B9"]),
        # C34
        ("echo see https://example.org/a.", ["example.org/a"]),
        ('echo "(https://example.org/a)"', ["example.org/a"]),
        ("echo https://example.org/a\uff0c\u7136\u540e",
         ["example.org/a%EF%BC%8C%E7%84%B6%E5%90%8E"]),
        ("echo https://example.org/wiki/Foo_(bar)", ["example.org/wiki/Foo_(bar"]),
        ("echo https://example.org/a|cat", ["example.org/a|cat"]),
        ("curl https://example.org/{a,b}", ["example.org/%7Ba,b"]),
        # C35
        ("curl http://user:pa%40ss@example.org:8080/x", ["example.org/x"]),
        ("curl https://example.org:443/x/", ["example.org/x"]),
        # C36
        ("curl 'https://example.org/a?utm_source=x&page=2'", ["example.org/a?page=2"]),
        ("curl 'https://example.org/s?q=a+b'", ["example.org/s?q=a b"]),
        ("curl 'https://example.org/s?q=a%20b'", ["example.org/s?q=a b"]),
        ("curl 'https://example.org/?flag&x='", ["example.org/?flag=&x="]),
        ("curl 'https://example.org/a?utm_\u6e90=1&a=2'", ["example.org/a?a=2&utm_\u6e90=1"]),
        ("curl 'https://example.org/?q=%zz&r=%E4%BD'", ["example.org/?q=%zz&r=\ufffd"]),
        ("curl https://example.org/../a/./b", ["example.org/a/b"]),
        ("curl https://example.org/a/%2e%2e/b", ["example.org/b"]),
        # C43
        ("curl -s https://example.org\\\n/x", ["example.org/"]),
    ],
)  # fmt: skip
def test_net(command, net):
    assert of_kind(command, "net") == net


def test_quoted_addresses_still_emit_hosts():  # C24
    assert of_kind('grep -rn "https://api.example.org" src | head -5', "host") == [
        "api.example.org"
    ]


@pytest.mark.parametrize(
    ("command", "sink"),
    [
        # C37
        ("make 2>build.log", []),
        ("make &> build.log", []),
        ("cmd 1> out.txt", []),
        ("echo hi>out.txt", []),
        ("echo hi >> ./out.txt", ["out.txt"]),
        ("echo hi >|out.txt", ["|out.txt"]),
        ("echo hi >| out.txt", ["|"]),
        ("make >&2", ["&2"]),
        ("make | tee -a build.log >/dev/null", [">/dev/null"]),
        # C38
        ("grep '>' notes.md", ["notes.md"]),
        ('echo "> quoted reply"', ["quoted reply"]),
        ("awk '$3 > 100' data.txt", []),
        ("python3 - <<'PY'\nprint(1 > 2)\nPY", ["2)"]),
        (r"echo a \> b", ["b"]),
        # C39
        ("ssh -o ConnectTimeout=15 ops@192.0.2.10 'step 1'", ["ConnectTimeout=15"]),
        ("set -o pipefail; make", ["pipefail;"]),
        ("ps -o pid,cmd -p 1", ["pid,cmd"]),
        ('grep -o "abc" f.txt', ["abc"]),
        ('find . -name "*.py" -o -name "*.js"', []),
        # C40
        ("curl --output=/tmp/a.html U", ["/tmp/a.html"]),
        ("curl --output /tmp/a.html U", ["/tmp/a.html"]),
        ("curl -o/tmp/a.html U", []),
        ("curl -sSLo /tmp/a.html U", []),
        ("wget -O page.html U", ["page.html"]),
        ("wget -qO- U", []),
        ("curl -O https://example.org/f.tgz", []),
        ('curl -o /dev/null -w "%{http_code}" U', []),
    ],
)
def test_sink(command, sink):
    assert of_kind(command, "sink") == sink


@pytest.mark.parametrize(
    ("command", "words"),
    [  # C42: JavaScript's white space
        ("curl\u00a0-s x", ["curl", "-s", "x"]),
        ("ls a\ufeffb", ["ls", "a", "b"]),
        ("ls a\u2028b", ["ls", "a", "b"]),
        ("ls a\u0085b", ["ls", "a\u0085b"]),
        ("ls a\x1cb", ["ls", "a\x1cb"]),
        ("a '' \"\" b", ["a", "", "", "b"]),
        ("a\"b c\"d'e f'", ["ab cde f"]),
        ("a\\ b c\\", ["a b", "c\\"]),
        ('"a\\"b\\n', ['a"bn']),
        ('"ab\\', ["ab\\"]),
        ("'a\\' b", ["a\\", "b"]),
    ],
)
def test_tokens(command, words):
    assert tokens.tokens(command) == words


def test_windows_paths_collapse():  # C41
    command = r"curl.exe -o C:\tmp\a.html https://example.org/a"
    assert of_kind(command, "verb", "pwsh") == ["curl.exe"]
    assert of_kind(command, "sink", "pwsh") == ["C:tmpa.html"]
    assert of_kind(command, "family", "pwsh") == []


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        # C31
        ("symbol_search", '{"uri":"src/app.ts","q":"x"}',
         ["net:src/app.ts", "site:src", "host:src", "family:http-fetch"]),
        ("lsp_search", '{"uri":"file:///a/b.ts"}', []),
        ("web_fetch", '{"url":"","href":"https://a.example.org"}', []),
        ("web_fetch", '{"url":null,"href":"https://a.example.org"}',
         ["net:a.example.org/", "site:example.org", "host:a.example.org", "family:http-fetch"]),
        ("web_fetch", '{"url":["https://a.example.org"]}', []),
        # C30
        ("web_fetch", '{"url":"HTTP://Example.org/P"}',
         ["net:example.org/P", "site:example.org", "host:example.org", "family:http-fetch"]),
        ("web_fetch", '{"url":"example.org/a"}',
         ["net:example.org/a", "site:example.org", "host:example.org", "family:http-fetch"]),
        ("read", '{"url":"https://example.org/a"}', []),
        # C52, C53
        ("bash", '{"command":"ls"', []),
        ("bash", '{"command":["ls","-la"]}', []),
        ("bash", "null", []),
        ("bash", "[1,2]", []),
    ],
)  # fmt: skip
def test_other_measures(tool, arguments, expected):
    assert list(fingerprint(tool, arguments, CONFIG).all[1:]) == expected


@pytest.mark.parametrize(
    ("tool", "arguments", "exact"),
    [
        # C07
        ("bash", '{"command":"make","description":"try 2","timeoutMs":9000}', '{"command":"make"}'),
        ("bash", '{"command":"make","opts":{"description":"try 1"}}',
         '{"command":"make","opts":{"description":"try 1"}}'),
        ("bash", '{"command":"make","Description":"try 1"}',
         '{"Description":"try 1","command":"make"}'),
        # C04, C52, C53
        ("bash", '{"command":""}', '{"command":""}'),
        ("bash", '{"command":"   "}', '{"command":"   "}'),
        ("bash", '{"command":"ls"', '{"value":"{\\"command\\":\\"ls\\""}'),
        ("bash", "", "{}"),
        ("bash", " ", '{"value":" "}'),
        ("read", "null", "{}"),
        ("read", "[]", '{"value":[]}'),
        ("read", '"ls"', '{"value":"ls"}'),
        ("read", "42", '{"value":42}'),
        # C05
        ("read", '{"file_path":"/srv/app/views.py","offset":200,"limit":200}',
         '{"file_path":"/srv/app/views.py","limit":200,"offset":200}'),
    ],
)  # fmt: skip
def test_exact(tool, arguments, exact):
    assert fingerprint(tool, arguments, CONFIG).all[0] == f"exact:{tool}:{exact}"


def test_profile_052_keeps_backslashes_and_brackets():
    old = configure({}, PROFILES["0.5.2"])
    command = r'grep -oE "http://127\.0\.0\.1:3080/" f; curl http://[::1]/x'
    assert commands.analyse(command, old).normal_urls == ("0.0.0.127/", "[::1]/x")


def test_local_calls_relax_only_where_the_setting_says_so():
    relaxed = configure({"localHosts": "allow"}, PROFILES["0.8"])
    arguments = '{"command":"curl -s http://localhost:3000/a -o x.html"}'
    assert [p.partition(":")[0] for p in fingerprint("bash", arguments, relaxed).all] == [
        "exact",
        "cmd",
    ]
    strict = fingerprint("bash", arguments, CONFIG)
    assert strict.local
    assert "host" not in [p.partition(":")[0] for p in strict.all]
    assert "sink:x.html" in strict.all


SHELL_TEXT = st.lists(
    st.sampled_from("abc -=>|&;'\"\\\n\t$(){}[]<`./:?#~\u00a0\ufeff\u2028\U0001f600\ud83d")
    | st.sampled_from(["curl ", "https://", "example.org", "timeout ", "sudo ", "-o ", "tee "]),
    max_size=60,
).map("".join)


@given(SHELL_TEXT, st.sampled_from(["bash", "pwsh", "web_fetch", "read"]))
def test_any_command_is_fingerprinted_without_repeats(command, tool):
    arguments = json.dumps({"command": command, "url": command})
    found = fingerprint(tool, arguments, CONFIG).all
    assert found[0].startswith(f"exact:{tool}:")
    assert len(set(found)) == len(found)
    assert refused(tool, command, CONFIG) in (True, False)


@given(st.text(max_size=300))
def test_any_arguments_are_fingerprinted(arguments):
    assert fingerprint("bash", arguments, CONFIG).all


def test_hostile_commands_take_linear_time():
    for command in ("'" * 200_000, '"\\' * 100_000, "a=" * 100_000, "https://" * 50_000,
                    "-" * 200_000, "\\" * 200_001, "x ; " * 50_000):  # fmt: skip
        assert fingerprint("bash", json.dumps({"command": command}), CONFIG).all
        refused("bash", command, CONFIG)
