"""Drives guards over the events of a log, under an operator policy, over many processes."""
