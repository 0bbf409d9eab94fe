"""The command line of dsh-calibrate: arguments, progress and exit codes, nothing else."""
