# src/kernel: nf_tables and its log group over netlink, legacy xtables; see HACKING for what the folder holds.
noinst_LIBRARIES += libkernel.a
libkernel_a_CFLAGS = $(AM_CFLAGS)
libkernel_a_SOURCES = \
	src/kernel/feature.c src/kernel/feature.h \
	src/kernel/connection_mark.c src/kernel/connection_mark.h \
	src/kernel/conntrack.c src/kernel/conntrack.h \
	src/kernel/log_group.c src/kernel/log_group.h \
	src/kernel/log_record.c \
	src/kernel/netlink.c src/kernel/netlink.h \
	src/kernel/nft.h \
	src/kernel/nft_ask.c \
	src/kernel/nft_batch.c src/kernel/nft_batch.h \
	src/kernel/nft_commit.c src/kernel/nft_commit.h \
	src/kernel/nft_elements.c src/kernel/nft_elements.h \
	src/kernel/nft_encode.c src/kernel/nft_encode.h \
	src/kernel/nft_expression.c src/kernel/nft_expression.h \
	src/kernel/nft_expression_read.c \
	src/kernel/nft_guess.c src/kernel/nft_guess.h \
	src/kernel/nft_guess_header.c \
	src/kernel/nft_link.c src/kernel/nft_link.h \
	src/kernel/nft_match.c src/kernel/nft_match.h \
	src/kernel/nft_match_header.c \
	src/kernel/nft_match_value.c src/kernel/nft_match_value.h \
	src/kernel/nft_query.c \
	src/kernel/nft_read.c \
	src/kernel/nft_replace.c src/kernel/nft_replace.h \
	src/kernel/nft_rule_decode.c \
	src/kernel/nft_set_reader.c \
	src/kernel/nft_shape.h \
	src/kernel/nft_standing.c src/kernel/nft_standing.h \
	src/kernel/nft_statement.c src/kernel/nft_statement.h \
	src/kernel/nft_table_reader.c src/kernel/nft_table_reader.h \
	src/kernel/nft_transact.c \
	src/kernel/port_holder.c src/kernel/port_holder.h \
	src/kernel/set_stream.c src/kernel/set_stream.h \
	src/kernel/sock_diag.c src/kernel/sock_diag.h \
	src/kernel/sock_packet.c src/kernel/sock_packet.h \
	src/kernel/socket_count.c src/kernel/socket_count.h \
	src/kernel/socket_end.c src/kernel/socket_end.h \
	src/kernel/unix_diag.c src/kernel/unix_diag.h \
	src/kernel/xt.c src/kernel/xt.h \
	src/kernel/xt_append.c \
	src/kernel/xt_assembly.c src/kernel/xt_assembly.h \
	src/kernel/xt_chain_name.c \
	src/kernel/xt_commit.c \
	src/kernel/xt_entry.c src/kernel/xt_entry.h \
	src/kernel/xt_entry_decode.c \
	src/kernel/xt_link.c src/kernel/xt_link.h \
	src/kernel/xt_loaded.c \
	src/kernel/xt_lock.c \
	src/kernel/xt_match.c src/kernel/xt_match.h \
	src/kernel/xt_parts.c src/kernel/xt_parts.h \
	src/kernel/xt_shape.h \
	src/kernel/xt_standing.h \
	src/kernel/xt_table.c src/kernel/xt_table.h \
	src/kernel/xt_table_replace.c
KERNEL_LIBS = libkernel.a libdoctor.a $(PLAN_LIBS)
