from ._core import version as __version__
