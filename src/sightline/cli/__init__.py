"""The command line: wiring only. One module a command, imported when it is called."""
