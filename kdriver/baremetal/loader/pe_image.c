#include "pe_image.h"

#include <stddef.h>

#define OPTIONAL_HEADER_BYTES 240u
#define SECTION_BYTES 40u
#define DIRECTORY_EXPORT 0u
#define DIRECTORY_IMPORT 1u
#define DIRECTORY_RELOCATION 5u
#define RELOCATION_ABSOLUTE 0u
#define RELOCATION_64 10u
#define RELOCATIONS_STRIPPED 1u

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

static uint16_t read_16(const uint8_t *at)
{
	uint16_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t read_32(const uint8_t *at)
{
	uint32_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t read_64(const uint8_t *at)
{
	uint64_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static void write_64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

int pe_open(struct pe_image *image, const uint8_t *file, uint64_t bytes)
{
	uint32_t at;

	if (bytes < 64 || read_16(file) != 0x5A4D)
		return 0;
	at = read_32(file + 60);
	if (at > bytes || bytes - at < 24 + OPTIONAL_HEADER_BYTES || read_32(file + at) != 0x4550 || read_16(file + at + 4) != 0x8664 ||
		read_16(file + at + 24) != 0x20B)
		return 0;
	*image = (struct pe_image){ .file = file, .file_bytes = bytes, .headers = at + 24 };
	image->entry = read_32(file + image->headers + 16);
	image->linked_base = read_64(file + image->headers + 24);
	image->image_bytes = read_32(file + image->headers + 56);
	return image->image_bytes >= read_32(file + image->headers + 60) && image->entry < image->image_bytes &&
		read_32(file + image->headers + 60) <= bytes;
}

void pe_place(struct pe_image *image, uint64_t base)
{
	const uint8_t *optional = image->file + image->headers;
	unsigned sections = read_16(optional - 18);
	const uint8_t *section = optional + read_16(optional - 4);
	uint8_t *memory = (uint8_t *)base;

	image->base = base;
	memset(memory, 0, image->image_bytes);
	memcpy(memory, image->file, read_32(optional + 60));
	for (unsigned i = 0; i < sections; i++, section += SECTION_BYTES) {
		uint32_t size = read_32(section + 8), address = read_32(section + 12);
		uint32_t stored = read_32(section + 16), offset = read_32(section + 20);
		uint32_t bytes = stored < size ? stored : size;
		if (address <= image->image_bytes && bytes <= image->image_bytes - address && offset <= image->file_bytes &&
			bytes <= image->file_bytes - offset)
			memcpy(memory + address, image->file + offset, bytes);
	}
}

/* A directory of the placed image; null where it has none that fits. */
static uint8_t *directory(const struct pe_image *image, unsigned number, uint32_t *bytes)
{
	const uint8_t *entry = image->file + image->headers + 112 + 8 * (size_t)number;
	uint32_t offset = read_32(entry);

	*bytes = read_32(entry + 4);
	if (offset == 0 || offset > image->image_bytes || *bytes > image->image_bytes - offset)
		return NULL;
	return (uint8_t *)image->base + offset;
}

int pe_relocate(const struct pe_image *image)
{
	uint32_t left;
	const uint8_t *block = directory(image, DIRECTORY_RELOCATION, &left);

	/* Without relocations it runs anywhere, unless the linker took them out. */
	if (block == NULL)
		return !(read_16(image->file + image->headers - 2) & RELOCATIONS_STRIPPED);
	while (left >= 8) {
		uint32_t page = read_32(block), bytes = read_32(block + 4);
		if (bytes < 8 || bytes > left)
			return 0;
		for (uint32_t at = 8; at + 2 <= bytes; at += 2) {
			uint16_t entry = read_16(block + at);
			uint64_t offset = (uint64_t)page + (entry & 0xFFFu);
			uint8_t *place = (uint8_t *)image->base + offset;
			if (entry >> 12 == RELOCATION_ABSOLUTE)
				continue;
			if (entry >> 12 != RELOCATION_64 || offset + 8 > image->image_bytes)
				return 0;
			write_64(place, read_64(place) + image->base - image->linked_base);
		}
		block += bytes;
		left -= bytes;
	}
	return 1;
}

static int are_equal(const char *a, const char *b)
{
	while (*a != 0 && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* The address of an export; 0 where there is none of this name. */
static uint64_t find_export(const struct pe_image *image, const char *name)
{
	uint32_t bytes;
	const uint8_t *exports = directory(image, DIRECTORY_EXPORT, &bytes);
	const uint8_t *memory = (const uint8_t *)image->base;
	uint32_t names;

	if (exports == NULL || bytes < 40)
		return 0;
	names = read_32(exports + 24);
	for (uint32_t i = 0; i < names; i++) {
		const uint8_t *entry = memory + read_32(exports + 32) + 4 * (size_t)i;
		if (are_equal((const char *)memory + read_32(entry), name)) {
			uint16_t ordinal = read_16(memory + read_32(exports + 36) + 2 * (size_t)i);
			return image->base + read_32(memory + read_32(exports + 28) + 4 * (size_t)ordinal);
		}
	}
	return 0;
}

int pe_bind(const struct pe_image *image, const struct pe_image *exporter)
{
	uint32_t left;
	const uint8_t *import = directory(image, DIRECTORY_IMPORT, &left);
	uint8_t *memory = (uint8_t *)image->base;

	for (; import != NULL && left >= 20 && read_32(import + 12) != 0; import += 20, left -= 20) {
		const uint8_t *lookup = memory + read_32(import);
		uint8_t *table = memory + read_32(import + 16);
		for (; read_64(lookup) != 0; lookup += 8, table += 8) {
			uint64_t address = read_64(lookup) >> 63 ? 0 : find_export(exporter, (const char *)memory + read_32(lookup) + 2);
			if (address == 0)
				return 0;
			write_64(table, address);
		}
	}
	return 1;
}
