"""Features that tell most about the class."""
