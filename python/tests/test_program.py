"""Benchmarks and pages of the program, asked from Python."""

import os
import signal
import stat
import threading
import time

import pytest

import mno
import mno._program


def stand_in(folder, script):
    """A program that is not mno: what it is told, and how its end becomes an exception."""
    path = folder / "mno"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_arguments_become_flags_and_rows_come_back(tmp_path):
    program = stand_in(tmp_path, 'printf "%s\\n" "$@" >"${0%/*}/words"; printf \'{"rows": [{"metric": "crps", "value": 1}]}\' >"$6/results.json"')
    rows = mno.experiment("heat", tmp_path, program=program, pairs=2, progress=False)
    assert rows == [{"metric": "crps", "value": 1}]
    assert (tmp_path / "words").read_text().split("\n")[:-1] == ["experiment", "heat", "--pairs", "2", "--output", str(tmp_path)]
    words = list(mno._program._flags({"full": True, "rivals": ["noise-fno", "fno"], "data_seed": 3, "restart": False, "epochs": None}))
    assert words == ["--full", "--rivals", "noise-fno", "fno", "--data-seed", "3"]


@pytest.mark.parametrize("code, error", [(2, ValueError), (1, RuntimeError), (3, KeyboardInterrupt)])
def test_how_it_ends_is_an_exception_with_its_sentence(tmp_path, capsys, code, error):
    program = stand_in(tmp_path, f"echo 'mno: a sentence.' >&2; exit {code}")
    with pytest.raises(error) as caught:
        mno.experiment("heat", tmp_path, program=program)
    if code != 3:
        assert str(caught.value) == "mno: a sentence."
    assert capsys.readouterr().err == "mno: a sentence.\n"


def test_ctrl_c_ends_the_program_too(tmp_path):
    program = stand_in(tmp_path, 'trap "touch \'${0%/*}/told\'; exit 3" INT; touch "${0%/*}/begun"; while :; do sleep .05; done')

    def press():
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        mno.experiment("heat", tmp_path, program=program, progress=False)
    assert (tmp_path / "told").exists()


def test_without_the_program_it_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MNO_PROGRAM", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match="quickstart"):
        mno.report(tmp_path)
    with pytest.raises(ValueError, match="at least one folder"):
        mno.report()


def test_the_program_itself(tmp_path):
    program = os.environ.get("MNO_PROGRAM_PATH")
    if not program:
        pytest.skip("MNO_PROGRAM_PATH does not name the program mno")
    with pytest.raises(ValueError, match="--no-such"):
        mno.experiment("heat", tmp_path, program=program, progress=False, no_such=1)
    with pytest.raises(ValueError, match="subcommand"):
        mno.experiment("nothing", tmp_path, program=program, progress=False)
    with pytest.raises(ValueError, match="run.json"):
        mno.report(tmp_path, program=program)
