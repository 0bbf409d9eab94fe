"""The few JavaScript semantics that the guards rely on (spec/parity.md)."""
