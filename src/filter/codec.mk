# src/filter/codec.mk: what understands octets, apart from sockets: ClientHello, HTTP; pure.
noinst_LIBRARIES += libcodec.a
libcodec_a_CFLAGS = $(PURE_CFLAGS)
libcodec_a_SOURCES = \
	src/filter/client_hello.c src/filter/client_hello.h \
	src/filter/hello_message.c src/filter/hello_message.h \
	src/filter/hello_watch.c src/filter/hello_watch.h
CODEC_LIBS = libcodec.a $(POLICY_LIBS)
