"""DoPeJar: governed long-term memory for agents and coding assistants."""
