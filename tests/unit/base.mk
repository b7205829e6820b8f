# tests/unit/base.mk
