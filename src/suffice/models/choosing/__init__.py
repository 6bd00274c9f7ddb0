"""Views: what is chosen by training rows, each judged by classes that have not seen it."""
