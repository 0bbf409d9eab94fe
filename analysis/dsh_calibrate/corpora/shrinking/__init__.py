"""The smallest session that still shows a chosen decision, by delta debugging."""
