"""The guards do on the corpus what was agreed."""


def test_the_guards_behave_as_agreed(check_dsh_corpus):
    """Fails with the changed decisions, each with the command that shows it."""
    report = check_dsh_corpus("tests/corpus")
    assert report.expectations, "label what the guards must catch"
