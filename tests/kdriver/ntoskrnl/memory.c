/* The nonpaged pool: malloc, so that the address sanitizer guards it, filled with rubbish, and written down. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

struct block {
	void *memory;
	SIZE_T bytes;
	ULONG tag;
	struct block *next;
};

static struct block *blocks;

void memory_reset(void)
{
	blocks = NULL;
}

PVOID ExAllocatePoolWithTag(POOL_TYPE type, SIZE_T bytes, ULONG tag)
{
	struct block *block;

	ROUTINE(DISPATCH_LEVEL);
	if (bytes == 0 || tag == 0)
		bug("ExAllocatePoolWithTag of %zu bytes with tag 0x%x", (size_t)bytes, tag);
	if (type == NonPagedPoolNx && setup.windows < 0x602)
		bug("NonPagedPoolNx before Windows 8");
	if (type == NonPagedPool && setup.windows >= 0x602)
		bug("memory that can be executed where it need not be");
	if (fails("ExAllocatePoolWithTag"))
		return NULL;
	block = malloc(sizeof(*block));
	*block = (struct block){ .memory = malloc(bytes), .bytes = bytes, .tag = tag, .next = blocks };
	blocks = block;
	for (SIZE_T i = 0; i < bytes; i++)
		((volatile UCHAR *)block->memory)[i] = 0xCD;
	return block->memory;
}

void ExFreePoolWithTag(PVOID memory, ULONG tag)
{
	struct block **link = &blocks, *block;
	const char *by;

	ROUTINE(DISPATCH_LEVEL);
	while (*link != NULL && (*link)->memory != memory)
		link = &(*link)->next;
	block = *link;
	if (block == NULL)
		bug("memory is freed that was not allocated, or twice");
	if (block->tag != tag)
		bug("memory is freed with another tag than it was allocated with");
	if (is_in_use(memory, block->bytes, &by))
		bug("memory is freed that %s still needs", by);
	*link = block->next;
	free(memory);
	free(block);
}

void memory_check(void)
{
	if (blocks != NULL)
		bug("the driver is gone and %zu bytes of its memory are left, tag %.4s", (size_t)blocks->bytes, (const char *)&blocks->tag);
}
