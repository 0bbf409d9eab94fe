"""Makes the fixture check_dsh_corpus known to this suite."""

pytest_plugins = ["dsh_calibrate.studies.check_pytest"]
