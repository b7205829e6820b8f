# contrib: what users copy: schema, completion, examples.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = contrib/bash-completion/egressfw
