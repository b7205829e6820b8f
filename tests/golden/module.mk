# tests/golden/module.mk
