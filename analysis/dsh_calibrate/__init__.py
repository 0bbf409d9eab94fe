"""Replay recorded DeepSeek Harness sessions through guard detectors and calibrate them.

The library behind ``dsh-calibrate``: importable, prints nothing, knows no command line.
"""

__version__ = "0.1.0"
