"""The published keep-list: the only words that a redacted log shares with its original.

A word is kept because a guard compares it (verbs, options, sinks, markers, tracking
parameters), because the log's format is made of it (types, fields, states), or because
nobody is told by it. Everything else is replaced. Matching is by whole word, whatever the
case.
"""

from __future__ import annotations

import re

from dsh_calibrate.guards.reasoning_loop.config import DEFAULTS as _REASONING
from dsh_calibrate.guards.repeat_tool_breaker.config import DEFAULTS as _BREAKER

_WORDS = re.compile(r"[^\W_]+")

SHELL = """
    apt apt-get awk bash brew bun bundle busybox cargo cat cd chmod chown clear cmd cmake code
    command cp curl cut date deno df diff docker doas dotnet du echo egrep env eval exec exit
    export expr false fgrep find fish gcc gem git go gradle grep gunzip gzip head helm history
    host hostname htop http httpie https httpx id invoke-restmethod invoke-webrequest iwr java
    javac jq kill killall ksh kubectl less ln ls lsof make md5sum mkdir mktemp mv mvn mypy mysql
    nc nice ninja node nohup npm npx nslookup open openssl parallel pgrep php ping pip pip3 pkill
    pnpm podman poetry printenv printf ps psql pwd pwsh pytest python python3 rake rg rm rmdir
    rsync ruby ruff rustc rustup scp sed seq set sh sha256sum shell sleep sort source sqlite3 ssh
    stat stdbuf strace sudo systemctl tail tar tee terraform test time timeout top touch tr tree
    true tsc type uname uniq unset unzip uv uvx vim wait watch wc wget whereis which whoami xargs
    yarn yes zcat zip zsh zstd dash
    do then done else elif if fi for while until case esac function in
    install build clone commit fetch pull push status log checkout branch merge rebase reset
    stash restore config remote run start stop update upgrade list add remove show clean
"""
"""Programs, shell words and common subcommands."""

OPTIONS = """
    max time connect timeout retry delay speed limit redirs user agent silent show error fail
    location insecure compressed no progress meter output document write out header data request
    method url get post put delete head patch options version help verbose quiet force recursive
    all name type size null stdout stderr stdin zero tty dev
    urllib requests aiohttp axios got client
"""
"""Options that the guards read, and those that every program has."""

MARKERS = """
    exit code http timed out after ms killed by signal sandbox file access denied under mode
    escalation available escalate to traceback most recent call last error exception curl
    aborted repeat tool blocked shell the identical already failed stopped still running moved
    background job output truncated full formatted result stored at status detail before
    retry started completed warning errors
    sigterm sigkill sigint sighup sigsegv sigabrt sigpipe
    abort timeout unknown not started outcome dispatch invalid auto review denied unavailable
    found rejected cancelled user approval fs web fetch provider too large unsupported content
    args arguments
"""
"""Words of the harness's and the guards' own messages, as far as they are matched or typed."""

EVENTS = """
    session turn start end step llm retry started assistant chunk chunks message attempt reasoning
    text tool call user steering result code ptc dispatch approval asked decided policy permission
    preset sandbox mode request header context system developer compaction summary prune checkpoint
    title inbox spliced agent selected model selection todo write plan goal change schedule command
    run done hook invoked image offload deliverables presented workspace changes delta set seed
    web search feedback team workflow subagent descriptor catalog delivery accepted plugin runtime
    snapshot prompt instructions reference invocation skill coordinator report settled webhook
    notice relay recall form tools jobs hooks claude codex reminder circuit breaker loop guard tmux
    interaction cordis host runner basic compact deepseek ai dsh harness log
    completed interrupted forked max tokens stop calls finish usage block kind hook disposed legacy
    normal always initial resume series standard minimal append replace once allowed never ask
    next inherited top level continuable one shot delegated role addition removal failure function
"""
"""Types, kinds, states and producers of the log format (session-format.md 4 to 6)."""

TOOLS = """
    read edit write multi_edit grep glob ls todo_write todo_read web_fetch web_search run_code
    code_execution job_output job_kill list_jobs terminal_send terminal_open ask_user task
    spawn_agent view create str_replace apply_patch bash pwsh shell python browser mcp
"""
"""Names of the harness's own tools; names of others are replaced."""

FIELDS = """
    type seq seq0 time time0 data ignorable surfaceop sourceeventseqs op startseq endseq version id
    createdat cwd parentsession seedlength isseeded origin delegationdepth agentpreset turn step
    chunk index text texts dt args name argumentsdelta blocktype block usage reason kind replaystate
    failure message code status providerretryafterms requestid content role source callid toolcallid
    iserror error meta statuscode url truncated provider model reasoningeffort effort config tools
    arguments rootcallid parentcallid subcallid toolname outcome plugin form summary sections rpcid
    clienttimezone stream interrupted inputtokens outputtokens cachereadtokens cachewritetokens
    reasoningtokens totaltokens retryid policykey maxretries delayms compactionid sourcecommandid
    shadowedrange shadowedseqs shadowedtokencount maxtokens rawoutput llmstreamcall start end
    inserted target headerseq childid childcreatedat label attachment provenance trigger
    path offset lines totallines lang diffs shape paths total files groups sources answer query
    viewport waitreason sessionstatus description parameters properties required items enum default
    object string number integer boolean array additionalproperties anyof input schema
    command href uri filepath pattern old new limit cmd workdir timeoutms runinbackground
    justification title comment todos priority pending progress active
    proto low medium high
"""
"""Names of fields and their ordinary values."""

ADDRESSES = """
    http https www localhost utm fbclid gclid msclkid mc eid ga ref src igshid
"""
"""Schemes, and the parts of an address that the guards treat as a class."""

EVERYBODY = """
    usr etc var home tmp bin lib opt root mnt proc srv run users
    json html md py js ts txt csv xml yaml yml toml tar gz zip lock
    utf8 utf sha256 sha1 md5 base64 x86 arm64 python2 es6 h1 h2 h3 v0 v1 v2 v3 v4
    port bearer authorization none true false null nan
"""
"""Root folders and extensions that tell nobody anything."""


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORDS.findall(text))


def _keep() -> frozenset[str]:
    texts = [SHELL, OPTIONS, MARKERS, EVENTS, TOOLS, FIELDS, ADDRESSES, EVERYBODY]
    texts.append(repr((dict(_BREAKER), dict(_REASONING))))
    return _words(" ".join(texts))


KEEP = _keep()
"""Every kept word in lower case; the guards' default settings are part of it."""

PORTS = _words("1080 3000 3001 4200 5000 5173 5432 6379 8000 8080 8081 8443 8888 9000")
"""Numbers of more than three digits that are kept."""

TOP_DOMAINS = _words(
    """
    com org net edu gov mil int biz pro xyz app dev top info name site shop club live news blog
    tech page cloud online store world email group media space work team game games link click
    zone wiki host mobi asia jobs travel museum coop aero arpa tel cat post onion zip mov foo dad
    phd prof esq nexus how new soy boo day ing meme ads win bid men vip fun icu one ltd bio art
    bar pub vet fit tax car cab red ski dog sex run law inc llc
    ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs
    bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec
    ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy
    hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz
    la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx
    my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re
    ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th
    tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw
    """
)
"""Top-level names that exist: no pseudonym is one of them if it can be helped."""

_CLUSTER = re.compile(r"[sflk]{1,6}")


def is_kept(word: str) -> bool:
    """Whether a word (a run of letters and digits, in lower case) stays as it is.

    Short clusters of the letters that ``-sSfLk`` is made of stay too, since such an option
    vanishes from ``cmd:`` (guards.md 1.3).
    """
    return word in KEEP or word in PORTS or _CLUSTER.fullmatch(word) is not None
