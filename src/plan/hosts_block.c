/* hosts_block.c: which lines of ours stand in a hosts file, and how they look. */
#include "plan/hosts_block.h"

#include "base/memory.h"
#include "plan/hosts_line.h"

#include <stdlib.h>

void hosts_block_free(struct hosts_block *block)
{
	for (size_t i = 0; i < block->count; i++)
		free(block->items[i].name);
	free(block->items);
	*block = (struct hosts_block){ 0 };
}

void hosts_block_build(const struct resolved *resolved, struct hosts_block *ret)
{
	struct hosts_block block = { 0 };
	size_t total = 0;

	for (size_t i = 0; i < resolved->count; i++)
		total += resolved->items[i].found.count;
	block.items = memory_allocate(total, sizeof(*block.items));
	for (size_t i = 0; i < resolved->count; i++) {
		const struct resolved_name *name = &resolved->items[i];

		for (size_t j = 0; j < name->found.count; j++)
			block.items[block.count++] = (struct hosts_entry){
				.address = name->found.items[j],
				.name = memory_copy_string(name->name),
			};
	}
	*ret = block;
}

void hosts_entry_print(const struct hosts_entry *entry, const char *instance, struct buffer *out)
{
	char text[ADDRESS_TEXT_SIZE];

	buffer_append_text(out, address_format(&entry->address, text));
	buffer_append_text(out, " ");
	buffer_append_text(out, entry->name);
	buffer_append_text(out, " ");
	hosts_label_print(instance, out);
}

void hosts_block_print(const struct hosts_block *block, const char *instance, struct buffer *out)
{
	hosts_label_print(instance, out);
	buffer_append_text(out, " begin\n");
	for (size_t i = 0; i < block->count; i++) {
		hosts_entry_print(&block->items[i], instance, out);
		buffer_append_text(out, "\n");
	}
	hosts_label_print(instance, out);
	buffer_append_text(out, " end\n");
}
