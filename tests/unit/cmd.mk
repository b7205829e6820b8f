# tests/unit/cmd.mk
