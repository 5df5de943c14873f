"""Processes that train together, by mpi4py's communicator or anything like it."""

from __future__ import annotations

from typing import Any


class Ranks:
    """What the library asks of processes: how many they are, and bytes from each to each.

    ``comm`` has ``Get_rank``, ``Get_size``, ``bcast``, ``Isend`` and ``Irecv`` as mpi4py's communicators have them.
    """

    def __init__(self, comm: Any) -> None:
        for name in ("Get_rank", "Get_size", "bcast", "Isend", "Irecv"):
            if not callable(getattr(comm, name, None)):
                raise TypeError(f"mno: comm: expected a communicator as mpi4py has them, MPI.COMM_WORLD say, got {comm!r}.")
        self._comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()

    def exchange(self, send: list[memoryview], receive: list[memoryview]) -> None:
        """send[r] goes to rank r, and what comes from it is written to receive[r]."""
        receive[self.rank][:] = send[self.rank]
        others = [rank for rank in range(self.size) if rank != self.rank]
        open_ = [self._comm.Irecv(receive[rank], source=rank) for rank in others if len(receive[rank])]
        open_ += [self._comm.Isend(send[rank], dest=rank) for rank in others if len(send[rank])]
        for one in open_:
            one.Wait()

    def from_first(self, value: Any) -> Any:
        """What rank 0 has, on all."""
        return self._comm.bcast(value, root=0)
