from __future__ import annotations

import pytest

from dsh_calibrate.reports.masking import (
    mask_arguments,
    mask_command,
    mask_fingerprint,
    mask_host,
    mask_log_key,
    mask_log_keys,
    mask_path,
    mask_text,
    mask_tool,
    mask_url,
    mask_verb,
)


@pytest.mark.parametrize(
    ("command", "masked"),
    [
        (
            'curl -sS -o /tmp/report.html "https://api.example.org:8080/v1/users?page=2&name=x"',
            "curl -sS -o /tmp/r….html https://a…e.org:8080/…/u…?page=…&…=…",
        ),
        ("aria2c https://api.example.org/x", "aria2c https://a…e.org/…"),
        ("wget2 -q https://api.example.org/x", "wget2 -q https://a…e.org/…"),
        ("secrettool https://api.example.org/x", "s… https://a…e.org/…"),
        ("git commit -m 'fix the login'", "git commit -m 'f… t… l…'"),
        ("git -C /home/ada/work status", "git -C /home/…/w… s…"),
        (
            "sudo -u ada bash -lc \"cd /srv/app && curl -H 'Authorization: Bearer abcdef'\"",
            "sudo -u a… bash -lc 'cd /srv/… && curl -H 'Authorization: Bearer <secret>''",
        ),
        (
            "ACME_TOKEN=hunter2 LANG=C timeout 30 python3 run_job.py --name=ada -pHunter2 > o.txt",
            "A…=<secret> LANG=C timeout 30 python3 r….py --name=a… -p… > ….txt",
        ),
        ("mysql --password hunter2 shop", "mysql --password <secret> s…"),
        ("./deploy.sh production", "./d….sh p…"),
        ("/usr/bin/curl x", "…/curl x"),
        ("acmectl rollout", "a… r…"),
        ("cat <<EOF > /etc/x\nhello world\nEOF", "cat <<… > /etc/… ⏎ h… w… ⏎ E…"),
        ("find . -name '*.py' -exec rm {} \\;", "find . -name *.py -exec rm {} ;"),
        ("ls 2>/dev/null | wc -l; echo x>&2", "ls 2>/dev/null | wc -l; echo x>&2"),
        ("npm run build && docker compose up -d", "npm run build && docker compose up -d"),
        ("pytest --customer-acme-x-y-z-w --maxfail=3 -20", "pytest --… --maxfail=3 -20"),
        ('echo "unclosed', "echo u…"),
        ("", ""),
    ],
)
def test_commands(command: str, masked: str) -> None:
    assert mask_command(command) == masked


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("https://www.acme-corp.com/login", "https://w…p.com/l…"),
        ("http://ada:pw@localhost:3000/", "http://<secret>@localhost:3000/"),
        ("http://ada@192.0.2.7:4711/x.json#top", "http://…@<private-ip>:…/….json#…"),
        ("http://8.8.8.8", "http://<ip>"),
        ("http://[::1]:3000/x", "http://[::1]:3000/…"),
        ("http://db.localhost/a/b/c/d/e/f.html", "http://….localhost/…/…/…/….html"),
        ("https://host/?a=1&b=2&c=3&d=4&e=5", "https://…/?…=…&…=…&…=…&…=…&…"),
        ("myapp://open/doc", "m…://…/…"),
        ("https://münchen.example", "https://….example"),
        ("example.org/x", "e…/…"),
    ],
)
def test_urls(url: str, masked: str) -> None:
    assert mask_url(url) == masked


@pytest.mark.parametrize(
    ("host", "masked"),
    [
        ("api.example.org", "a…e.org"),
        ("ibm.com", "….com"),
        ("buildserver", "b…r"),
        ("shop.berlin", "….…"),
        ("10.0.0.1", "<private-ip>"),
        ("fe80::1", "<private-ip>"),
        ("localhost", "localhost"),
        ("db.acme.internal:5432", "d…e.internal:…"),
    ],
)
def test_hosts(host: str, masked: str) -> None:
    assert mask_host(host) == masked


@pytest.mark.parametrize(
    ("path", "masked"),
    [
        ("/home/ada/shop/src/api/main.py", "/home/…/…/m….py"),
        ("/etc/passwd", "/etc/p…"),
        ("C:\\Users\\lovelace\\plan.docx", "C:\\U…\\l…\\p….docx"),
        ("../foo", "../…"),
        ("~/.ssh/id_rsa", "~/s…/i…"),
        ("/dev/null", "/dev/null"),
        ("a.b", "…"),
        ("notes.secretext", "n…"),
    ],
)
def test_paths(path: str, masked: str) -> None:
    assert mask_path(path) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Wait, let me check. Wait, no.", "W…, l… m… c…. W…, n…."),
        (
            "[exit code: 127]\nTraceback (most recent call last)\nHTTP Error 404",
            "[exit code: 127] ⏎ Traceback (most recent call last) ⏎ HTTP Error 404",
        ),
        ("pin 4711, room 12", "p… 4…, r… 12"),
        ("我需要检查，等等", "我…，…"),
        ("mail ada@example.org now", "m… …@e… n…"),
        ("see https://ada.example.org/x.", "s… https://a…e.org/…."),
        ("\x1b[31mred\u202eevil\x00", "·[3…·e…·"),
        ("ⓟⓐⓢⓢ ………", "ⓟ… ………"),
        ("a \t\r\n\n b", "a ⏎ b"),
        ("lone \ud83d end", "l… · e…"),
    ],
)
def test_texts(text: str, masked: str) -> None:
    assert mask_text(text) == masked


@pytest.mark.parametrize(
    ("fingerprint", "masked"),
    [
        (
            'exact:bash:{"command":"curl https://example.org","note":"to bob"}',
            'exact:bash:{"command":"curl https://e…e.org","n…":"t… b…"}',
        ),
        (
            'exact:read:{"file_path":"/home/ada/a.py","limit":2000,"pin":4711,"raw":true}',
            'exact:read:{"file_path":"/home/…/….py","limit":2000,"p…":…,"r…":true}',
        ),
        ('exact:web_fetch:{"url":"https://example.org/x"}', 'exact:web_fetch:{"url":"https://e…e.'),
        ('exact:bash:{"value":[1,[2,[3,[4]]],{}]}', 'exact:bash:{"value":[1,[2,[…]],{}]}'),
        ("exact:bash:{broken json", "exact:bash:{b… j…"),
        (
            "cmd:curl:curl http://localhost/a https://example.org/b",
            "cmd:curl:curl http://localhost/",
        ),
        ("cmd:acme:acme up", "cmd:a…:a… u…"),
        ("verb:curl", "verb:curl"),
        ("verb:acme-tool", "verb:a…"),
        ("family:http-fetch", "family:http-fetch"),
        ("net:b.example.org/x?a=2&page=1", "net:b…e.org/…?…=…&page=…"),
        ("net:::1/x", "net:::1/…"),
        ("host:10.0.0.1", "host:<private-ip>"),
        ("site:example.org", "site:e…e.org"),
        ("sink:/tmp/report.txt", "sink:/tmp/r….txt"),
        ("sink:&2", "sink:&2"),
        ('read:{"path":"/home/ada"}', 'read:{"path":"/home/…"}'),
        ("something else", "s… e…"),
    ],
)
def test_fingerprints(fingerprint: str, masked: str) -> None:
    found = mask_fingerprint(fingerprint)
    assert found.startswith(masked)
    assert len(found) == len(masked) or masked.endswith(("/", "."))


def test_huge_or_deep_arguments_are_not_opened() -> None:
    assert mask_arguments('{"a":"' + "x" * 300_000 + '"}') == "{…}"
    assert len(mask_arguments("[" * 50_000)) < 300
    assert mask_arguments("{" + ",".join(f'"k{i}":{i}' for i in range(99)) + "}").endswith(",…}")


@pytest.mark.parametrize(
    ("tool", "masked"),
    [("mcp__files.read", "mcp__files.read"), ("evil\x1b tool", "e…· tool"), ("", "")],
)
def test_tools(tool: str, masked: str) -> None:
    assert mask_tool(tool) == masked


@pytest.mark.parametrize(("verb", "masked"), [("python3", "python3"), ("acme", "a…"), ("[", "[")])
def test_verbs(verb: str, masked: str) -> None:
    assert mask_verb(verb) == masked


@pytest.mark.parametrize(
    ("key", "masked"),
    [
        ("--home-ada-shop--/3f2a9c1e-1111-2222/session.v4.jsonl.zstd",
         "--h…--/3f2…222/session.v4.jsonl.zstd"),
        ("v0/loop.v3.jsonl", "v0/l….v3.jsonl"),
        ("_no-cwd/abcd/session.1.jsonl", "_no-cwd/a…/session.1.jsonl"),
        ("notes-of-customer", "not…mer"),
    ],
)  # fmt: skip
def test_log_keys(key: str, masked: str) -> None:
    assert mask_log_key(key) == masked


def test_log_keys_that_look_alike_are_numbered() -> None:
    keys = ["alpha/session.jsonl", "amber/session.jsonl", "beta/session.jsonl"]
    shown = mask_log_keys(reversed(keys))
    assert list(shown.values()) == [
        "a…/session.jsonl",
        "a…/session.jsonl#2",
        "b…/session.jsonl",
    ]
    assert mask_log_keys(keys) == shown


def test_what_is_shown_is_short() -> None:
    assert 155 <= len(mask_text("word " * 9000)) <= 160
    assert 45 <= len(mask_command("echo word " * 9000, limit=50)) <= 50
    assert len(mask_fingerprint("cmd:curl:" + "curl x " * 900)) <= 240
