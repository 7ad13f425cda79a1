/* The module records: what the PE headers of the images say. */
#include "measurement.h"

#define DEBUG_CODE_VIEW 2u
#define RSDS 0x53445352u

static uint32_t read_32(const uint8_t *at)
{
	uint32_t value;
	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

void modules_emit(const struct boot_module *module)
{
	struct tracer_module record = {
		.header = { .type = TRACER_RECORD_MODULE, .size = sizeof(record) },
		.base = module->base,
		.image_bytes = module->bytes,
	};
	const uint8_t *image = (const uint8_t *)module->copy;
	const uint8_t *headers = image + read_32(image + 60);
	uint32_t debug = read_32(headers + 24 + 160), bytes = read_32(headers + 24 + 164);

	record.timestamp = read_32(headers + 8);
	record.checksum = read_32(headers + 24 + 64);
	for (unsigned i = 0; i < BOOT_WORD_BYTES && module->name[i] != 0; i++)
		record.name[i] = module->name[i];
	for (; bytes >= 28; bytes -= 28, debug += 28) {
		const uint8_t *rsds = image + read_32(image + debug + 20);
		if (read_32(image + debug + 12) != DEBUG_CODE_VIEW || read_32(rsds) != RSDS)
			continue;
		__builtin_memcpy(record.pdb_guid, rsds + 4, sizeof(record.pdb_guid));
		record.pdb_age = read_32(rsds + 20);
		for (unsigned at = 0; at < TRACER_NAME_BYTES - 1 && rsds[24 + at] != 0; at++)
			record.pdb_name[at] = (char)rsds[24 + at];
	}
	tracer_hal_emit(&record.header);
}
