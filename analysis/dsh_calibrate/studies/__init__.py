"""Questions people ask of a corpus."""
