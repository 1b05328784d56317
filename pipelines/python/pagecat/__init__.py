"""Runs pagecat from Python.

    import pagecat

    for coin in pagecat.records("coins.yaml", currency="eur"):
        print(coin["id"])
    pagecat.run("coins.yaml", output="coins.ndjson", state="coins.state", merge=True, env={"TOKEN": token})

A SPEC is a path, a URL, a list of paths, or the spec itself as a dict. A keyword that is an option of `pagecat run` is
that option, with `_` for `-`, and `from_` for `--from`. True is an option without a value; a list gives an option several
times. Every other keyword is a parameter of the spec. `params` has those that are named like an option.

`env` has further variables for the run. Secrets belong there, since other users can see a command line. `input` has the
records that the spec reads: an open file of NDJSON, or an iterable of dicts. Messages go to the logger 'pagecat'.
"""
from __future__ import annotations

import collections
import contextlib
import json
import logging
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
from typing import IO, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union, cast

__all__ = ["Error", "program", "records", "run"]

Path = Union[str, "os.PathLike[str]"]
Spec = Union[Path, Sequence[Path], Mapping[str, Any]]
Input = Union[IO[Any], Iterable[Any], None]

OPTIONS = frozenset(
    "output append merge changes manifest resume once state tokens secrets every rejects stream from dir max_records max_pages"
    " concurrency rate pace allow record replay summary label progress quiet verbose log header data request user save".split())
LAST_LINES = 50  # of the messages, for an error
PATIENCE = 10  # seconds that a run has for its end, after SIGTERM


class Error(RuntimeError):
    """A run that is not complete: its exit code, its last messages, and its summary, which has 'verdict' and 'reason'."""

    def __init__(self, exit: int, messages: str, summary: dict[str, Any]) -> None:
        super().__init__(exit, messages, summary)
        self.exit, self.messages, self.summary = exit, messages, summary

    def __str__(self) -> str:
        ended = f"exit {self.exit}" if self.exit >= 0 else f"ended by signal {-self.exit}"
        return f"{self.summary.get('verdict', 'failed')}, {ended}: {self.messages or self.summary.get('reason', 'no message')}"


def program() -> str:
    """Path of the program: $PAGECAT, the one that was installed with this module, or the first on PATH."""
    if os.environ.get("PAGECAT"):
        return os.path.abspath(shutil.which(os.environ["PAGECAT"]) or os.environ["PAGECAT"])
    # An environment has lib/python3.X/site-packages/pagecat beside bin; what `pip install --target` makes has pagecat beside bin.
    folders = pathlib.Path(__file__).resolve().parents
    beside = [str(folders[up] / "bin") for up in (4, 1) if up < len(folders)]
    path = shutil.which("pagecat", path=os.pathsep.join(beside)) or shutil.which("pagecat")
    if not path:
        raise FileNotFoundError(f"there is no program 'pagecat' in {beside[0]} and on PATH: set PAGECAT to its path")
    return path


def run(
    spec: Spec, *words: str, input: Input = None, env: Optional[Mapping[str, str]] = None, cwd: Optional[Path] = None,
    params: Optional[Mapping[str, Any]] = None, **keywords: Any,
) -> dict[str, Any]:
    """Runs a spec, and returns the summary. Without 'output', the records go to standard output.

    Raises Error if the run is not complete. 'words' are further words of the command line.
    """
    with _running(spec, words, input, env, cwd, params, keywords) as (process, summary):
        process.wait()
    return summary


def records(
    spec: Spec, *words: str, loads: Callable[[bytes], Any] = json.loads, input: Input = None,
    env: Optional[Mapping[str, str]] = None, cwd: Optional[Path] = None, params: Optional[Mapping[str, Any]] = None,
    **keywords: Any,
) -> Iterator[Any]:
    """Yields the records while they are fetched. Raises Error after the last one if the run is not complete.

    Closing the iterator ends the run. 'loads' makes the value of a line: json.loads, orjson.loads, bytes.decode, or
    functools.partial(json.loads, parse_float=decimal.Decimal), which keeps every digit.
    """
    if keywords.get("output") and keywords.get("changes") != "-":
        raise TypeError("with 'output', the records go to that file: call run(), then read the file")
    with _running(spec, words, input, env, cwd, params, keywords, subprocess.PIPE) as (process, _):
        for line in process.stdout or ():
            if line.endswith(b"\n"):  # A process that is killed may leave a part of a line. It has an exit code, too.
                yield loads(line)
        process.wait()


@contextlib.contextmanager
def _running(
    spec: Spec, words: Sequence[str], given: Input, env: Optional[Mapping[str, str]], cwd: Optional[Path],
    params: Optional[Mapping[str, Any]], keywords: Mapping[str, Any], stdout: Optional[int] = None,
) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    """Yields the process, and the summary, which has its members at the end. A block that fails ends the process."""
    command = [program(), *_command(spec, words, params, keywords)]
    last: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
    summary: dict[str, Any] = {}
    with _standard_input(spec, given) as stdin, subprocess.Popen(
            command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, cwd=cwd, env={**os.environ, **(env or {})}) as process:
        reader = threading.Thread(target=_read_messages, args=(process.stderr, last, summary), daemon=True)
        reader.start()
        try:
            yield process, summary
        except BaseException:  # GeneratorExit, too
            if process.stdout:
                process.stdout.close()
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            process.kill()
            raise
        finally:
            reader.join()
    if process.returncode:
        raise Error(process.returncode, "\n".join(last), summary)


def _command(spec: Spec, words: Sequence[str], params: Optional[Mapping[str, Any]], keywords: Mapping[str, Any]) -> list[str]:
    """The words of the command line. What follows '--' is never an option."""
    options: dict[str, Any] = {"summary": "json"}
    parameters = dict(params or {})
    for name, value in keywords.items():
        option = name[:-1] if name.endswith("_") else name
        if option in OPTIONS:
            options[option] = value
        else:
            parameters[name] = value
    command = ["run"]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        command += [flag if one is True else f"{flag}={_text(one)}" for one in _values(value) if one is not False]
    specs: Sequence[Path] = ["-"] if isinstance(spec, Mapping) else [spec] if isinstance(spec, (str, os.PathLike)) else spec
    command += [*words, "--", *(os.fspath(one) for one in specs)]
    return command + [f"{name}={_text(one)}" for name, value in parameters.items() for one in _values(value)]


def _values(value: Any) -> Iterable[Any]:
    return value if isinstance(value, (list, tuple, set, frozenset)) else () if value is None else (value,)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.isoformat() if hasattr(value, "isoformat") else value)


@contextlib.contextmanager
def _standard_input(spec: Spec, given: Input) -> Iterator[IO[Any]]:
    """A file. A pipe would end early if this process were killed, and the run would look complete."""
    if isinstance(spec, Mapping):
        if given is not None:
            raise TypeError("a spec that is a dict comes by standard input: to read 'input', write the spec to a file")
        given = [spec]
    if given is None:
        # Reading fails, so that a spec that needs records does not find none, and look complete.
        with open(os.devnull, "wb") as nothing:
            yield nothing
    elif hasattr(given, "fileno"):
        yield cast("IO[Any]", given)
    else:
        with tempfile.TemporaryFile() as file:
            file.writelines(json.dumps(record).encode() + b"\n" for record in given)
            file.seek(0)
            yield file


def _read_messages(stream: IO[bytes], last: collections.deque[str], summary: dict[str, Any]) -> None:
    """Logs each message when it comes. The last line is the summary."""
    log, level = logging.getLogger("pagecat"), logging.INFO
    for line in stream:
        text = line.decode(errors="replace").rstrip("\n")
        if text.startswith('{"name":'):
            with contextlib.suppress(ValueError):
                found = json.loads(text)
                summary.clear()
                summary.update(found)
                continue
        if not text.startswith(" "):
            level = logging.ERROR if ": error: " in text else logging.WARNING if ": warning: " in text else logging.INFO
        last.append(text)
        log.log(level, "%s", text)
