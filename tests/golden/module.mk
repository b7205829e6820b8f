# tests/golden/module.mk
# The manual pages and the completion, beside what the program says of itself.
if ENABLE_TESTS
TESTS += tests/golden/man.sh tests/golden/completion.sh
endif
EXTRA_DIST += tests/golden/man.sh tests/golden/completion.sh
