"""Installing and compiling: cached build folders, recipes, Debian packages, runtimes."""
