"""What would be done, decided from snapshots of both clusters; pure, never applied here."""
