# tests/unit/kernel.mk
