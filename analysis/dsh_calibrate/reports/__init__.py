"""What people read: masking, and one renderer per format over the same report model."""
