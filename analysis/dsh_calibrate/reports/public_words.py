"""Words that say nothing about anybody: what masking leaves standing.

Everything that is not listed here is shortened, so a list that is too short costs
readability, never privacy.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VERBS = _words(
    """
    apk apt apt-get aria2c asdf awk aws axel az bash bitsadmin brew bun bundle bunx bzip2 cargo case
    cat cd certutil chmod choco chown clear cmake command composer conan conda corepack cp crane
    curl cut dash date deno df diff dig dnf do doas docker doctl done dotnet dpkg du echo egrep elif
    else env esac eval exec exit export expr false fd fetch fgrep fi find fish flatpak fly for
    function gcc gcloud gem get-childitem get-content gh git glab go gradle grep gsutil guix gunzip
    gzip head helm heroku history host hostname htop http httpie id if in invoke-restmethod
    invoke-webrequest irm iwr java javac jq kill killall ksh kubectl less lftp ln ls lsof lynx make
    mamba md5sum micromamba mkdir mktemp mv mvn mypy mysql nc netlify nice ninja nix node nohup npm
    npx nslookup oci open openssl pacman pdm pgrep php ping pip pip3 pipx pixi pkill pnpm podman
    poetry printenv printf ps psql pwd pwsh pytest python python3 rake rclone read redis-cli
    remove-item rg rm rmdir rpm rsync ruby ruff rustc rustup s3cmd s5cmd scoop scp sed select-string
    seq set set-content set-location sftp sh sha256sum skopeo sleep snap sort source sqlite3 ssh
    stat strace sudo systemctl tail tar tee terraform test tftp then time timeout top touch tr tree
    true tsc type uname uniq unset until unzip uv uvx vcpkg vercel vim w3m wait watch wc wget wget2
    whereis which while whoami winget write-output xargs xh yarn yay yes youtube-dl yt-dlp yum zcat
    zip zsh zstd zypper ! . : [ [[ { }
    """
)
"""Names of programs and shell words, lower case."""

WRAPPERS = _words("sudo doas command env time nice nohup exec do then else elif if while until ! {")
"""After these comes another verb."""

SHELLS = _words("bash sh zsh dash ksh fish pwsh eval")
"""Programs whose quoted argument is a command again."""

SUBCOMMANDS: dict[str, frozenset[str]] = (
    {
        "git": _words(
            "add am apply bisect blame branch checkout cherry-pick clean clone commit config "
            "describe diff fetch grep init log ls-files ls-remote merge mv pull push rebase remote "
            "reset restore revert rev-parse rm show stash status submodule switch tag worktree"
        ),
        "cargo": _words("add bench build check clean clippy doc fmt install new run test update"),
        "go": _words("build clean doc env fmt generate get install list mod run test tool vet"),
        "docker": _words(
            "build compose cp down exec images inspect login logs ps pull push rm run stop up"
        ),
        "kubectl": _words("apply create delete describe exec get logs port-forward rollout scale"),
        "systemctl": _words("disable enable reload restart start status stop"),
        "gh": _words("api auth browse issue pr release repo run workflow"),
        "uv": _words("add build lock pip publish remove run sync tool venv"),
        "dotnet": _words("add build clean new publish restore run test"),
        "terraform": _words("apply destroy fmt init plan validate"),
    }
    | dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"),
        _words(
            "add audit build ci exec info init install lint list ls publish run start test view"
        ),
    )
    | dict.fromkeys(
        ("pip", "pip3", "poetry", "apt", "apt-get", "brew", "gem"),
        _words(
            "add autoremove build cache check download freeze info install list lock publish "
            "remove run search show uninstall update upgrade"
        ),
    )
)
"""First arguments that are part of the verb, by verb."""

SINGLE_DASH_FLAGS = _words(
    "-delete -exec -iname -maxdepth -mindepth -mtime -name -newer -path -print -size -type"
)
"""Long flags with one dash."""

VARIABLES = _words(
    "CI DEBIAN_FRONTEND DEBUG HOME LANG LC_ALL NODE_ENV NO_COLOR PATH PWD PYTHONPATH TERM TZ USER"
)
"""Environment variables that every machine has."""

TEXT = _words(
    """
    error errors warning exit code http https status timed out after killed by signal sandbox
    file access denied traceback most recent call last exception curl not found ok true false
    null none undefined aborted repeat tool shell blocked authorization bearer basic accept
    content type user agent secret
    """
)
"""Words of failure markers and results, lower case."""

SCHEMES = _words("data file ftp git http https javascript mailto ssh svn ws wss")

PORTS = _words("80 443 3000 3001 4200 5000 5173 8000 8080 8081 8443 8888 9000")

TOP_DOMAINS = _words("info local test example invalid internal")
"""Last host labels longer than three letters that say nothing."""

FOLDERS = _words(
    "tmp usr etc var home root opt dev mnt proc sys srv bin lib run private users volumes windows"
)
"""First folders of an absolute path."""

WHOLE_PATHS = _words(
    "/ . .. ~ - /dev/null /dev/stdout /dev/stderr /dev/stdin /dev/zero /dev/tty &1 &2"
)

EXTENSIONS = _words(
    """
    7z bak bin bz2 c cc cfg cjs cmd conf cpp cs css csv cts dart db diff doc docx env exe gif go
    gz h hpp htm html ico ini ipynb java jpeg jpg js json jsonl jsx key kt less lock log lua md
    mdx mjs mp3 mp4 mts out parquet patch pdf pem php pl png ps1 py pyc pyi r rb rs rst scala
    scss sh sql sqlite svelte svg swift tar tgz tmp toml ts tsv tsx ttf txt vue wasm webp whl xls
    xlsx xml xz yaml yml zip zst zstd
    """
)

QUERY_KEYS = _words(
    "after before cursor format from id lang limit offset order page per_page q query search size "
    "sort start to type v version"
)

ARGUMENT_KEYS = _words(
    """
    args cmd code command content cwd description edits encoding end filename file_path format
    head href input justification key lang limit line lines method mode name new_string offset
    old_string output path pattern prompt query recursive replace replace_all run_in_background
    selector start tail text timeout timeoutms timeout_ms todos type uri url value workdir
    """
)
"""Keys of tool arguments, lower case."""
