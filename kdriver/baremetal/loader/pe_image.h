/*
 * PE32+ images: laid out in memory, relocated, bound. Input is what our own linker wrote; still every offset is checked, because a wrong
 * file should end in a message and not in a triple fault.
 */
#ifndef BAREMETAL_PE_IMAGE_H
#define BAREMETAL_PE_IMAGE_H

#include <stdint.h>

struct pe_image {
	const uint8_t *file;
	uint64_t file_bytes;
	uint64_t base;        /* where it stands; 0 before pe_place */
	uint64_t linked_base; /* that its addresses were linked for */
	uint32_t headers;     /* offset of the optional header */
	uint32_t image_bytes;
	uint32_t entry;
};

/* Reads the headers; false where it is no image for this machine. */
int pe_open(struct pe_image *image, const uint8_t *file, uint64_t bytes);

/* Lays headers and sections out at an address, whose memory is mapped and free. */
void pe_place(struct pe_image *image, uint64_t base);

/* Applies the base relocations. */
int pe_relocate(const struct pe_image *image);

/* Fills the import tables with addresses of another image's exports, by name. */
int pe_bind(const struct pe_image *image, const struct pe_image *exporter);

#endif
