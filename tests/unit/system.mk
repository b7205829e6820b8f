# tests/unit/system.mk
