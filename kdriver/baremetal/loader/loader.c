/*
 * Loads the test kernel and the driver modules: PE images in a tar archive that QEMU hands over as the initial RAM disk. Each gets a large
 * page of its own at an address that follows the seed; relocations are applied and imports bound as the loader of Windows does. Programs
 * (.exe, but for the kernel) go to the user's part of the address space.
 */
#include <stddef.h>

#include "../boot_info.h"
#include "pe_image.h"

#define START_MAGIC 0x336EC578u
#define HIGH_BASE UINT64_C(0xFFFFF80000000000)
#define USER_BASE UINT64_C(0x00007FF600000000)
#define SLOTS 512u
#define SLOT_BYTES (UINT64_C(1) << 21)
#define PAGE_BYTES 4096u
#define LARGE_PAGE 0x83u
#define USER_PAGE 4u
#define USER_STACK_BYTES 0x10000u /* at the end of a program's page */
#define FIRST_FRAME UINT64_C(0x2000000) /* physical memory that nobody else uses: 32 MB */
#define TAR_BLOCK 512u
#define EXIT_PORT 0xF4u

struct start_info {
	uint32_t magic, version, flags, module_count;
	uint64_t modules, command_line;
};

struct start_module {
	uint64_t address, bytes;
};

struct file {
	const char *name;
	const uint8_t *bytes;
	uint64_t size;
};

extern uint64_t loader_high_directory[SLOTS], loader_user_directory[SLOTS];
extern struct boot_second_cpu loader_second;
extern const uint8_t loader_second_start[];
extern const uint32_t loader_second_bytes;

static struct boot_info info;
static struct pe_image kernel;
static uint32_t used_slots[BOOT_MAX_MODULES];

void loader_main(const struct start_info *start);

/* Tells the host that nothing could be started, by QEMU's exit status, and by a line on the first serial port. */
static _Noreturn void fail(const char *why)
{
	for (const char *text = "loader: "; *text != 0; text++)
		__asm__ volatile("outb %0, %1" : : "a"(*text), "Nd"((uint16_t)0x3F8));
	for (; *why != 0; why++)
		__asm__ volatile("outb %0, %1" : : "a"(*why), "Nd"((uint16_t)0x3F8));
	__asm__ volatile("outb %0, %1" : : "a"((uint8_t)'\n'), "Nd"((uint16_t)0x3F8));
	for (;;)
		__asm__ volatile("outl %0, %1" : : "a"(0x7F), "Nd"((uint16_t)EXIT_PORT));
}

void *memcpy(void *to, const void *from, size_t bytes)
{
	uint8_t *destination = to;
	const uint8_t *source = from;

	while (bytes-- > 0)
		*destination++ = *source++;
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	uint8_t *destination = to;

	while (bytes-- > 0)
		*destination++ = (uint8_t)value;
	return to;
}

static int are_equal(const char *a, const char *b)
{
	while (*a != 0 && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static int ends_with_exe(const char *name)
{
	while (*name != 0 && !are_equal(name, ".exe"))
		name++;
	return *name != 0;
}

/* The value behind "name=" on the command line, copied; false where it is not there. */
static int find_option(const char *line, const char *name, char value[BOOT_WORD_BYTES])
{
	while (*line != 0) {
		const char *at = name;
		while (*line == ' ')
			line++;
		while (*at != 0 && *line == *at) {
			line++;
			at++;
		}
		if (*at == 0 && *line == '=') {
			unsigned length = 0;
			for (line++; *line != 0 && *line != ' ' && length < BOOT_WORD_BYTES - 1; line++)
				value[length++] = *line;
			value[length] = 0;
			return 1;
		}
		while (*line != 0 && *line != ' ')
			line++;
	}
	return 0;
}

static uint64_t number_option(const char *line, const char *name)
{
	char text[BOOT_WORD_BYTES];
	uint64_t value = 0;

	if (!find_option(line, name, text))
		fail("an option is missing");
	for (const char *digit = text; *digit != 0; digit++) {
		if (*digit < '0' || *digit > '9')
			fail("an option is no number");
		value = value * 10 + (uint64_t)(*digit - '0');
	}
	return value;
}

/* The next regular file of the archive; moves on to the one behind it. */
static int next_file(const uint8_t **at, const uint8_t *end, struct file *file)
{
	while (end - *at >= (ptrdiff_t)TAR_BLOCK && **at != 0) {
		const uint8_t *header = *at;
		uint64_t size = 0;
		for (unsigned i = 124; i < 135; i++)
			size = size * 8 + (header[i] >= '0' && header[i] <= '7' ? (uint64_t)(header[i] - '0') : 0);
		if (size > (uint64_t)(end - header) - TAR_BLOCK)
			fail("the archive is cut off");
		*file = (struct file){ .name = (const char *)header, .bytes = header + TAR_BLOCK, .size = size };
		*at = header + TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		if (header[156] == '0' || header[156] == 0)
			return 1;
	}
	return 0;
}

/* A free large page, and a place in it, by the seed. */
static uint64_t choose_base(uint64_t *random, uint32_t image_bytes, int is_program)
{
	uint32_t slot, taken;
	uint64_t places = (SLOT_BYTES - USER_STACK_BYTES - image_bytes) / PAGE_BYTES;
	uint64_t frame = FIRST_FRAME + info.module_count * SLOT_BYTES;

	do {
		slot = (uint32_t)(boot_random(random) % SLOTS);
		taken = 0;
		for (uint32_t i = 0; i < info.module_count; i++)
			taken |= used_slots[i] == slot;
	} while (taken);
	used_slots[info.module_count] = slot;
	(is_program ? loader_user_directory : loader_high_directory)[slot] = frame | LARGE_PAGE | (is_program ? USER_PAGE : 0);
	return (is_program ? USER_BASE : HIGH_BASE) + slot * SLOT_BYTES + boot_random(random) % places * PAGE_BYTES;
}

/* All memory is mapped one to one, too. */
static uint64_t copy_of(uint64_t base)
{
	return FIRST_FRAME + info.module_count * SLOT_BYTES + base % SLOT_BYTES;
}

static void load(const struct file *file, uint64_t *random, const struct pe_image *exporter)
{
	struct boot_module *module = &info.modules[info.module_count];
	int is_program = exporter != NULL && ends_with_exe(file->name);
	struct pe_image image;
	unsigned length = 0;

	if (info.module_count == BOOT_MAX_MODULES || !pe_open(&image, file->bytes, file->size) ||
		image.image_bytes >= SLOT_BYTES - USER_STACK_BYTES)
		fail("a file is no PE image of this machine");
	pe_place(&image, choose_base(random, image.image_bytes, is_program));
	if (!pe_relocate(&image))
		fail("relocations do not fit");
	if (exporter != NULL && !pe_bind(&image, exporter))
		fail("an import is not exported");
	for (; length < BOOT_WORD_BYTES - 1 && file->name[length] != 0; length++)
		module->name[length] = file->name[length];
	module->base = image.base;
	module->copy = copy_of(image.base);
	module->bytes = image.image_bytes;
	module->entry = image.entry;
	module->user_stack = is_program ? (image.base / SLOT_BYTES + 1) * SLOT_BYTES : 0;
	info.module_count++;
	if (exporter == NULL)
		kernel = image;
}

static void load_all(const char *line, const struct start_module *archive)
{
	struct file files[BOOT_MAX_MODULES];
	uint32_t count = 0;
	const uint8_t *at, *end;
	uint64_t random;

	info.seed = number_option(line, "seed");
	info.milliseconds = number_option(line, "milliseconds");
	info.rate = number_option(line, "rate");
	info.window_us = number_option(line, "window");
	info.cpus = (uint32_t)number_option(line, "cpus");
	if (!find_option(line, "scenario", info.scenario) || !find_option(line, "sampling", info.sampling) ||
		!find_option(line, "timer", info.timer))
		fail("no scenario, sampling and timer");
	info.second = &loader_second;
	memcpy((void *)((uintptr_t)BOOT_START_PAGE * PAGE_BYTES), loader_second_start, loader_second_bytes);
	random = info.seed;
	at = (const uint8_t *)archive->address;
	end = at + archive->bytes;
	while (count < BOOT_MAX_MODULES && next_file(&at, end, &files[count]))
		count++;
	/* The kernel first, the others shuffled. */
	for (uint32_t i = 0; i < count; i++) {
		if (are_equal(files[i].name, "ntoskrnl.exe")) {
			struct file first = files[i];
			files[i] = files[0];
			files[0] = first;
		}
	}
	if (count == 0 || !are_equal(files[0].name, "ntoskrnl.exe"))
		fail("no kernel in the archive");
	for (uint32_t i = count - 1; i > 1; i--) {
		uint32_t other = 1 + (uint32_t)(boot_random(&random) % i);
		struct file swapped = files[i];
		files[i] = files[other];
		files[other] = swapped;
	}
	load(&files[0], &random, NULL);
	for (uint32_t i = 1; i < count; i++)
		load(&files[i], &random, &kernel);
	((void (__attribute__((ms_abi)) *)(const struct boot_info *))(kernel.base + kernel.entry))(&info);
}

void loader_main(const struct start_info *start)
{
	if (start->magic == START_MAGIC && start->module_count == 1 && start->command_line != 0)
		load_all((const char *)start->command_line, (const struct start_module *)start->modules);
	fail("no archive and command line");
}
