"""The console's pages: thin templates over what `kmirror.console` answers."""
