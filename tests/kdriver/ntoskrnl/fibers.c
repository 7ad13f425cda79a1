/* Fibers: stacks of their own, and the switch from one to another, which both sanitizers are told of. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "machine.h"
#include "order.h"

#define STACK_BYTES 0x80000u
#define GUARD_BYTES 0x1000u

struct fake_fiber main_fiber = { .name = "start", .irql = PASSIVE_LEVEL };
struct fake_fiber *self = &main_fiber;

#ifdef THREAD_SANITIZER
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void *__tsan_get_current_fiber(void);
#define WITHOUT_ORDER 1u
#elif defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t bytes);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom, size_t *bytes);
void __asan_unpoison_memory_region(const volatile void *memory, size_t bytes);
static const void *main_bottom;
static size_t main_bytes;
#endif

/* void swap_stacks(void **from, void *to): what a called function keeps is kept on the stack that is left. */
void swap_stacks(void **from, void *to);
__asm__(".globl swap_stacks\n"
	"swap_stacks:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n");

/* On the stack of who was switched to. */
static void arrived(void)
{
#ifdef ADDRESS_SANITIZER
	const void *bottom;
	size_t bytes;

	__sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &bytes);
	if (main_bottom == NULL) {
		main_bottom = bottom;
		main_bytes = bytes;
	}
#endif
}

static void begin(void)
{
	arrived();
	self->routine(self->context);
	fiber_end();
}

static void leave_for(struct fake_fiber *to, bool is_ending)
{
	struct fake_fiber *from = self;

	self = to;
#ifdef THREAD_SANITIZER
	(void)is_ending;
	__tsan_switch_to_fiber(to->sanitizer, WITHOUT_ORDER);
#elif defined(ADDRESS_SANITIZER)
	__sanitizer_start_switch_fiber(is_ending ? NULL : &from->fake_stack, to->stack != NULL ? to->stack : main_bottom,
		to->stack != NULL ? STACK_BYTES : main_bytes);
#else
	(void)is_ending;
#endif
	swap_stacks(&from->stack_pointer, to->stack_pointer);
	arrived();
}

void fiber_switch(struct fake_fiber *to)
{
	if (to != self)
		leave_for(to, self->state == FIBER_ENDED);
}

struct fake_fiber *fiber_create(const char *name, void (*routine)(void *context), void *context)
{
	struct fake_fiber *fiber = calloc(1, sizeof(*fiber));
	uintptr_t *top;

#ifdef THREAD_SANITIZER
	if (main_fiber.sanitizer == NULL)
		main_fiber.sanitizer = __tsan_get_current_fiber();
	fiber->sanitizer = __tsan_create_fiber(0);
#endif
	fiber->magic = MAGIC_THREAD;
	fiber->routine = routine;
	fiber->context = context;
	fiber->only_on = -1;
	fiber->processor = -1;
	fiber->until_ns = NEVER;
	fiber->priority = 8;
	fiber->references = 1;
	snprintf(fiber->name, sizeof(fiber->name), "%s", name);
	fiber->stack = (char *)mmap(NULL, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		-1, 0) + GUARD_BYTES;
#ifdef ADDRESS_SANITIZER
	__asan_unpoison_memory_region(fiber->stack, STACK_BYTES); /* an earlier fiber's frames may have been here */
#endif
	mprotect((char *)fiber->stack - GUARD_BYTES, GUARD_BYTES, PROT_NONE);
	top = (uintptr_t *)(void *)((char *)fiber->stack + STACK_BYTES) - 2;
	*top = (uintptr_t)begin;
	fiber->stack_pointer = top - 6; /* the six registers that swap_stacks takes back: zero */
	fiber->next = fibers;
	fibers = fiber;
	COMES_BEFORE(fiber);
	return fiber;
}

void fiber_free(struct fake_fiber *fiber)
{
	struct fake_fiber **link = &fibers;

	COMES_BEHIND(fiber);
	while (*link != fiber)
		link = &(*link)->next;
	*link = fiber->next;
	munmap((char *)fiber->stack - GUARD_BYTES, STACK_BYTES + GUARD_BYTES);
#ifdef THREAD_SANITIZER
	__tsan_destroy_fiber(fiber->sanitizer);
#endif
	free(fiber);
}

void fiber_end(void)
{
	self->state = FIBER_ENDED;
	COMES_BEFORE(self);
	wake_all(self);
	schedule();
	__builtin_unreachable();
}
