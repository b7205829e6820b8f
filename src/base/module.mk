# src/base: values without which nothing else can be said; pure.
noinst_LIBRARIES += libbase.a
libbase_a_CFLAGS = $(PURE_CFLAGS)
libbase_a_SOURCES = \
	src/base/address.c src/base/address.h \
	src/base/buffer.c src/base/buffer.h \
	src/base/cursor.c src/base/cursor.h \
	src/base/err.c src/base/err.h \
	src/base/keyset.c src/base/keyset.h \
	src/base/memory.c src/base/memory.h \
	src/base/rangeset.c src/base/rangeset.h \
	src/base/text.c src/base/text.h
