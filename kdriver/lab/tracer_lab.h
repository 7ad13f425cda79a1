/*
 * Whether `apic` mode may run on this machine: facts in, a refusal out. Nothing is forced: what is not known counts against it.
 *
 *   Hyper-V (or who says so)   the local APIC is the hypervisor's: its guests' and its own root's timers are synthetic
 *   memory integrity (HVCI)    the hypervisor guards the tables
 *   KVA shadow                 an interrupt from user mode would reach a stub that is not mapped
 *   PatchGuard                 stop 0x109 for a changed IDT; not known to be off unless a debugger was there from the start (below)
 *   Driver Verifier            of this driver: it stops the machine where memory that is in use is mapped once more, as an IDT is to write
 *                              a gate (MmMapIoSpace; bug check 0x1A, 0x1233)
 *   FRED (CR4)                 events do not go through the IDT
 *   CET (CR4)                  an interrupt has a shadow stack and its target may have to be marked; the stubs never ran with either
 *   x2APIC                     no registers in memory; the code for it never ran on a machine
 *   no APIC of the system's    off, or one that the system does not use
 *
 * SMEP and SMAP (CR4) are no reasons: stubs are kernel code and touch no memory of a program; where SMAP is on they clear AC before they
 * call C (tracer_stub_clear_ac).
 *
 * PatchGuard does not start where a kernel debugger is attached when the system boots; that one is enabled, or attached later, does not
 * stop it. The proof asked for: the boot options DEBUG and BREAK (bcdedit: debug, halbreakpoint), with which the system waits for its
 * debugger before it goes on, and a debugger now. 32-bit systems after Windows 7 are treated the same, as nobody documents that they
 * check nothing. (Inference from public descriptions: neither was tried.)
 */
#ifndef TRACER_LAB_H
#define TRACER_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer_ioctl.h"

#define TRACER_LAB_WINDOWS(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor))

/* Control register 4. */
#define TRACER_LAB_CR4_SMEP (UINT64_C(1) << 20)
#define TRACER_LAB_CR4_SMAP (UINT64_C(1) << 21)
#define TRACER_LAB_CR4_CET (UINT64_C(1) << 23)
#define TRACER_LAB_CR4_FRED (UINT64_C(1) << 32)

struct tracer_lab_facts {
	uint64_t control_4; /* CR4 */
	uint32_t windows;   /* TRACER_LAB_WINDOWS */
	uint8_t word_bytes; /* 8 or 4 */
	bool is_hyper_v;    /* CPUID says so; other hypervisors are test machines */
	bool has_hvci;
	bool has_kva_shadow;
	bool is_debugger_attached; /* now */
	bool has_option_debug;     /* of the boot */
	bool has_option_break;
	bool is_verified;     /* by Driver Verifier, or not known */
	bool has_apic;        /* CPUID, and on in IA32_APIC_BASE */
	bool is_x2_apic;
	bool is_apic_enabled; /* spurious vector register */
	bool can_exchange;    /* CMPXCHG16B, CMPXCHG8B: a gate in one step */
};

/* TRACER_REFUSAL_NONE, or the first reason against it. */
enum tracer_refusal tracer_lab_decide(const struct tracer_lab_facts *facts);

/*
 * Whether a word stands in the boot options (UTF-16, separated by blanks, each perhaps with "=value"): upper or lower case.
 */
bool tracer_lab_has_option(const uint16_t *options, size_t count, const char *word);

/*
 * A vector that no device and no part of the system has: 0 where there is none. `handlers` are those of the present interrupt gates, 0
 * for others.
 *
 * Devices' vectors follow their levels, 3 to 11, and the clock's is 13: nothing but single vectors of the system is at level 12 (0xC0 to
 * 0xCF), and those are known: 0xC0, 0xC1, 0xCE. Of the others one is taken whose handler stands in a row with its neighbours', one stub
 * behind the other: that is how the system fills the vectors that it gives no handler of their own.
 */
uint8_t tracer_lab_free_vector(const uint64_t handlers[256]);

#endif
