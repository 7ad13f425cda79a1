/* What the compiler tells of the image's branches (-fsanitize-coverage=trace-pc-guard,pc-table). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

#include "machine.h"

#define MOST_BRANCHES 16384u
#define IS_FUNCTION 1u

struct point {
	uintptr_t address;
	uintptr_t flags;
};

/* Of all tests' processes. */
static struct shared {
	uint8_t has_run[MOST_BRANCHES];
	uint32_t functions[MOST_BRANCHES]; /* their offsets in the image; 0: a branch inside of one */
	uint32_t count;
} *shared;

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
void __sanitizer_cov_pcs_init(const struct point *start, const struct point *stop);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);

void branches_share(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
	uint32_t number = 0;

	if (*start != 0)
		return; /* each source's constructor says the same */
	for (uint32_t *guard = start; guard < stop; guard++)
		*guard = ++number < MOST_BRANCHES ? number : 0;
}

void __sanitizer_cov_pcs_init(const struct point *start, const struct point *stop)
{
	uint32_t number = 0;
	Dl_info image;

	if (shared->count != 0 || dladdr((const void *)start, &image) == 0)
		return;
	for (const struct point *point = start; point < stop && ++number < MOST_BRANCHES; point++) {
		if (point->flags & IS_FUNCTION)
			shared->functions[number] = (uint32_t)(point->address - (uintptr_t)image.dli_fbase);
	}
	shared->count = number;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
	shared->has_run[*guard] = 1;
	branch_taken();
}

void branches_write(const char *path)
{
	FILE *file = fopen(path, "w");

	for (uint32_t i = 1; i <= shared->count; i++) {
		if (shared->functions[i] != 0 && !shared->has_run[i])
			fprintf(file, "0x%x\n", shared->functions[i]);
	}
	fclose(file);
}
