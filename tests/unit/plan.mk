# tests/unit/plan.mk
