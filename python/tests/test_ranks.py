"""Several processes train one operator: the bits of one, by mpi4py where it is there, and by threads that behave like it."""

import os
import queue
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import SHAPE, ensembles

import mno


class ThreadComm:
    """A communicator of threads, with the calls of mpi4py's that training uses."""

    def __init__(self, size):
        self.boxes = {(a, b): queue.Queue() for a in range(size) for b in range(size)}
        self.size, self.local = size, threading.local()

    def Get_rank(self):
        return self.local.rank

    def Get_size(self):
        return self.size

    def bcast(self, value, root):
        if self.local.rank != root:
            return self.boxes[root, self.local.rank].get(timeout=120)
        for other in range(self.size):
            if other != root:
                self.boxes[root, other].put(value)
        return value

    def Isend(self, part, dest):
        self.boxes[self.local.rank, dest].put(bytes(part))
        return self

    def Irecv(self, part, source):
        box = self.boxes[source, self.local.rank]

        class Receive:
            def Wait(self):
                part[:] = box.get(timeout=120)

        return Receive()

    def Wait(self):
        pass


def together(size, work):
    """work(comm) by so many threads; what each returned."""
    comm, results = ThreadComm(size), [None] * size

    def run(rank):
        comm.local.rank = rank
        try:
            results[rank] = work(comm)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return results


@pytest.mark.parametrize("size", [2, 3])
def test_ranks_come_to_the_bits_of_one(size):
    u0, uT = ensembles(40)
    alone = mno.Operator(**SHAPE, seed=1, threads=1).fit(u0, uT, 1.0, epochs=3, progress=False)
    trained = together(
        size, lambda comm: mno.Operator(**SHAPE, seed=1, threads=1).fit(u0, uT, 1.0, epochs=3, progress=False, comm=comm)
    )
    for one in trained:
        assert isinstance(one, mno.Operator), one
        np.testing.assert_array_equal(one.predict(u0, 1.0).mean, alone.predict(u0, 1.0).mean)
        assert one.report_["epochs"] == 3
        assert len(one.history_) == 3


def test_what_is_no_communicator_is_refused():
    u0, uT = ensembles(8)
    with pytest.raises(TypeError, match="expected a communicator as mpi4py has them"):
        mno.Operator(**SHAPE).fit(u0, uT, 1.0, comm="world")


def test_processes_of_mpi(tmp_path):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("there is no mpirun")
    script = tmp_path / "train.py"
    script.write_text(
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from conftest import SHAPE, ensembles\n"
        "import mno\n"
        "from mpi4py import MPI\n"
        "u0, uT = ensembles(40)\n"
        "one = mno.Operator(**SHAPE, seed=1, threads=1).fit(u0, uT, 1.0, epochs=3, progress=False, comm=MPI.COMM_WORLD)\n"
        "one.save(f'{sys.argv[2]}/{MPI.COMM_WORLD.Get_size()}-{MPI.COMM_WORLD.Get_rank()}.safetensors')\n"
    )
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    for size in (1, 2):
        subprocess.run(
            ["mpirun", "-n", str(size), sys.executable, str(script), str(ensembles.__code__.co_filename).rsplit("/", 1)[0], str(tmp_path)],
            check=True,
            timeout=300,
            env={**os.environ, **environment},
        )
    first = (tmp_path / "1-0.safetensors").read_bytes()
    assert (tmp_path / "2-0.safetensors").read_bytes() == first
    assert (tmp_path / "2-1.safetensors").read_bytes() == first
