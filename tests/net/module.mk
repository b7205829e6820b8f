# tests/net/module.mk
