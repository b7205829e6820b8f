# src/filter/codec.mk: what understands octets, apart from sockets: ClientHello, HTTP; pure.
if ENABLE_FILTER
noinst_LIBRARIES += libcodec.a
libcodec_a_CFLAGS = $(PURE_CFLAGS) $(LLHTTP_CFLAGS)
libcodec_a_SOURCES = \
	src/filter/answer.c src/filter/answer.h \
	src/filter/client_hello.c src/filter/client_hello.h \
	src/filter/hello_message.c src/filter/hello_message.h \
	src/filter/hello_watch.c src/filter/hello_watch.h \
	src/filter/http_answer.c src/filter/http_answer.h \
	src/filter/http_body.c src/filter/http_body.h \
	src/filter/http_framing.c src/filter/http_framing.h \
	src/filter/http_head.c src/filter/http_head.h \
	src/filter/http_hop.c src/filter/http_hop.h \
	src/filter/http_reader.c src/filter/http_reader.h \
	src/filter/http_request.c src/filter/http_request.h src/filter/http_request_write.c \
	src/filter/http_text.c
CODEC_LIBS = libcodec.a libllhttp.a $(SETTINGS_LIBS)
endif
