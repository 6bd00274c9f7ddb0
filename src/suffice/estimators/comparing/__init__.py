"""Compare models by evidence and by held-out rows, check them, and select features."""
