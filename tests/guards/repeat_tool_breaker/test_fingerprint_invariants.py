"""What holds for the fingerprints of any call, and addresses at their edges."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.guards.repeat_tool_breaker import urls
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.guards.repeat_tool_breaker.shell_http import refused

CONFIG = configure({}, PROFILES["0.8"])
OLD = configure({}, PROFILES["0.5.2"])

ARGUMENTS = st.dictionaries(
    st.sampled_from(["command", "url", "href", "uri", "description", "timeoutMs", "x", "__proto__"])
    | st.text(max_size=3),
    st.sampled_from(["curl https://a.example.org/x -o f", "http://localhost/", "b.example.org", ""])
    | st.none()
    | st.integers()
    | st.lists(st.booleans(), max_size=2)
    | st.text(max_size=20),
    max_size=5,
)
TOOLS = st.sampled_from(["bash", "pwsh", "shell", "web_fetch", "Search", "read", ""])


@given(TOOLS, ARGUMENTS, st.randoms())
def test_order_and_spelling_of_arguments_are_irrelevant(tool, arguments, random):
    items = list(arguments.items())
    random.shuffle(items)
    plain = fingerprint(tool, json.dumps(arguments), CONFIG)
    assert fingerprint(tool, json.dumps(dict(items), ensure_ascii=False, indent=1), CONFIG) == plain


@given(TOOLS, ARGUMENTS)
def test_local_calls_relaxed_keep_only_what_they_had(tool, arguments):
    raw = json.dumps(arguments)
    strict = fingerprint(tool, raw, CONFIG)
    relaxed = fingerprint(tool, raw, configure({"localHosts": "allow"}, PROFILES["0.8"]))
    assert not relaxed.local
    if strict.local:
        kept = [p for p in strict.all if p.partition(":")[0] in {"exact", "cmd"}]
        assert list(relaxed.all) == kept
        assert not [p for p in strict.all if p.startswith("host:")]
    else:
        assert relaxed == strict


@given(st.sampled_from(["bash", "pwsh", "shell"]), ARGUMENTS, st.text(max_size=5))
def test_a_decoy_argument_changes_nothing(tool, arguments, label):
    decoyed = {**arguments, "justification": label, "run_in_background": True}
    plain = {k: v for k, v in arguments.items() if k not in ("justification", "run_in_background")}
    one, other = (fingerprint(tool, json.dumps(a), CONFIG) for a in (decoyed, plain))
    assert one == other


@given(st.text(max_size=80), st.lists(st.sampled_from(["git", "grep", "rg", "curl"]), max_size=3))
def test_a_longer_allowlist_never_refuses_more(tail, names):
    command = f"rg https://a.example.org/{tail}"
    short = configure({"shellHttpAllow": names}, PROFILES["0.8"])
    long = configure({"shellHttpAllow": [*names, "rg"]}, PROFILES["0.8"])
    assert refused("bash", command, short) >= refused("bash", command, long)


@pytest.mark.parametrize(
    ("row", "command", "is_refused"),
    [
        ({}, "curl http://localhost/", False),
        ({"blockLocalHttp": True}, "curl http://localhost/", True),
        ({"blockLocalHttp": True}, "make http://localhost/", True),
        ({"blockLocalHttp": True}, "git clone http://localhost/", False),
        ({"blockLocalHttp": True, "blockShellHttp": False}, "curl http://localhost/", False),
        ({}, "git clone http://localhost/ https://a.example.org/", False),
        ({"shellHttpAllow": []}, "git clone https://a.example.org/", True),
        ({"shellHttpAllow": ["curl"]}, "curl --version", False),
        ({"shellHttpAllow": []}, "make", False),
    ],
)
def test_settings_of_the_block(row, command, is_refused):
    assert refused("bash", command, configure(row, PROFILES["0.8"])) is is_refused
    assert not refused("read", command, configure(row, PROFILES["0.8"]))
    assert not refused("bash", command, configure(row, PROFILES["0.5.2"]))


@pytest.mark.parametrize(
    ("url", "host", "identity"),
    [
        ("https://www.www.example.org", "www.example.org", "www.example.org/"),
        ("https://example.org.", "example.org", "example.org/"),
        ("\ufeff example.org ", "example.org", "example.org/"),
        ("git://Example.org/a", "example.org", "example.org/a"),
        ("https://example.org/\ud83d", "example.org", "example.org/%EF%BF%BD"),
        ("https://example.org/?UTM_x=1&_GA=2", "example.org", "example.org/"),
        ("https://example.org/?b&a&&=", "example.org", "example.org/?=&a=&b="),
    ],
)
def test_normal(url, host, identity):
    found = urls.normal(url, {}, drop_brackets=True)
    assert found is not None
    assert (found.host, found.identity) == (host, identity)


@pytest.mark.parametrize(
    "url", ["", "   ", "https://", "file:///a", "http://[::1", "http://a b/", "http://./"]
)
def test_no_address(url):
    assert urls.normal(url, {}, drop_brackets=True) is None


@pytest.mark.parametrize(
    ("host", "is_local", "site"),
    [
        ("localhost", True, "localhost"),
        ("a.b.localhost", True, "b.localhost"),
        ("localhost.example.org", False, "example.org"),
        ("127.9.9.9", True, "127.9.9.9"),
        ("172.15.0.1", False, "172.15.0.1"),
        ("172.31.0.1", True, "172.31.0.1"),
        ("172.32.0.1", False, "172.32.0.1"),
        ("169.254.1.1", True, "169.254.1.1"),
        ("0.0.0.0", True, "0.0.0.0"),
        ("::1", True, "::1"),
        ("[::1]", False, "[::1]"),
        ("a..b", False, "a..b"),
        ("x.a..b", False, "a.b"),
        ("fd12:3::4", True, "fd12:3::4"),
        ("fe80::1", True, "fe80::1"),
        ("::ffff:7f00:1", False, "::ffff:7f00:1"),
        ("a.b.example.co.uk", False, "co.uk"),
    ],
)
def test_locality_and_site(host, is_local, site):
    assert urls.is_local(host) is is_local
    assert urls.site(host) == site


def test_one_alias_look_up():
    row = {"hostAliases": {"a.example.org": "B.example.org", "b.example.org": "c.example.org"}}
    config = configure(row, PROFILES["0.8"])
    found = fingerprint("web_fetch", '{"url":"https://www.a.example.org/"}', config)
    assert "host:b.example.org" in found.all


def test_the_older_profile_keeps_the_brackets():
    arguments = json.dumps({"command": "curl http://[::1]/ http://[2001:db8::1]/"})
    assert "host:[2001:db8::1]" in fingerprint("bash", arguments, OLD).all
    assert "host:2001:db8::1" in fingerprint("bash", arguments, CONFIG).all


@pytest.mark.parametrize(
    "command",
    ["/" * 300_000 + " x", "a/" * 150_000, "> " + "./" * 150_000, '"\\' * 150_000,
     "https://e.example.org:" + "1" * 300_000 + "/", "https://" + "\u00e9" * 300_000],
    ids=["slashes", "path", "dots", "quotes", "port", "host"],
)  # fmt: skip
def test_long_words_take_linear_time(command):
    started = time.perf_counter()
    assert fingerprint("bash", json.dumps({"command": command}), CONFIG).all
    assert time.perf_counter() - started < 5
