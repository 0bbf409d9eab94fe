"""Guard settings as users keep them: files, homes, profiles and single keys."""
