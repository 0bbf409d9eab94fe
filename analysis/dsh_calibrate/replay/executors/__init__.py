"""Where the work on logs runs: processes of this machine, or a Dask cluster.

:func:`dsh_calibrate.replay.pool.map_logs` is the one seam; nothing else knows where a log
is read. An executor hands back the results in the order of the logs.
"""
