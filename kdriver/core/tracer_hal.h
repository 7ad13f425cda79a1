/*
 * What the core asks of the shell it runs in: the Windows laboratory driver, the bare-metal kernel, a fake machine in the unit tests.
 * Each shell defines the functions that the core files it links call, and no others; nothing here is called through a pointer.
 *
 * "Any level" means: with interrupts disabled and from inside an NMI too, so the function takes no lock, uses no FS or GS and does not
 * fault. Functions about the local APIC, MSRs and interrupts speak of the CPU they are called on.
 */
#ifndef TRACER_HAL_H
#define TRACER_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer_records.h"

struct tracer_gate;

/* The time stamp counter (TRACER_CLOCK_TSC) or whatever clock the run counts in. Any level. */
uint64_t tracer_hal_clock(void);

/* I/O ports, one byte. Any level. */
uint8_t tracer_hal_port_read(uint16_t port);
void tracer_hal_port_write(uint16_t port, uint8_t value);

/* Model-specific registers. The core reads and writes only those that CPUID announces. Any level. */
uint64_t tracer_hal_msr_read(uint32_t msr);
void tracer_hal_msr_write(uint32_t msr, uint64_t value);

/* Memory-mapped local APIC registers by offset (0x20 = id). Never called in x2APIC mode: the core uses the MSRs then. Any level. */
uint32_t tracer_hal_apic_read(uint32_t offset);
void tracer_hal_apic_write(uint32_t offset, uint32_t value);

/* CPUID: registers[] = eax, ebx, ecx, edx. Of the CPU it is called on. The core asks for no leaf above what leaf 0 announces. Any level. */
void tracer_hal_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);

/*
 * Disables interrupts on this CPU and returns what to hand back to restore them: as they were, which may be off. Calls nest; each value is
 * given back once, on the same CPU, the last first. In between no page may be touched that is not resident, and no other CPU waited for.
 */
uintptr_t tracer_hal_interrupts_off(void);
void tracer_hal_interrupts_restore(uintptr_t before);

/* Copies one gate of a CPU's IDT; false where the IDT has no such vector. Any CPU may ask for any CPU's. */
bool tracer_hal_gate_read(uint16_t cpu, uint8_t vector, struct tracer_gate *gate);

/*
 * Replaces a gate only if it still equals `expected`, in one step (CMPXCHG16B, CMPXCHG8B), with that CPU's interrupts off or from an
 * IPI on it: it can take no interrupt through half a gate. False, and nothing is written, where the gate is another by now.
 */
bool tracer_hal_gate_exchange(uint16_t cpu, uint8_t vector, const struct tracer_gate *expected, const struct tracer_gate *wanted);

/*
 * Queues the probe's DPC on the CPU it is called on, which is `cpu`. The probe calls it in the latency ISR, with interrupts off, so it
 * takes no lock and does not block. It may not fail, nor queue a DPC that still is queued: the probe calls it once for each wake-up.
 */
void tracer_hal_queue_dpc(uint16_t cpu);

/*
 * Wakes the thread that measures priorities[index] on this CPU. Called from the DPC, at DISPATCH_LEVEL, once for each thread and wake-up.
 * It may not fail: a wake-up of which one thread does not come is never finished, and nothing is armed again.
 */
void tracer_hal_wake_thread(uint16_t cpu, unsigned index);

/*
 * Takes one record of tracer_records.h, of record->size bytes, and copies it before it returns: to ETW, a queue, a serial port. Thread
 * level. It may not fail and not block for a reader: what finds no room is dropped and counted by who keeps it. Several CPUs call it at
 * once; records of one CPU arrive in the order of the calls.
 */
void tracer_hal_emit(const struct tracer_record_header *record);

/*
 * MSR_SMI_COUNT (0x34) of this CPU, or TRACER_SMI_NOT_READ where it has none or the shell does not ask. Where the probe is armed, and at
 * thread level: both on the probe's CPU, or the difference of two calls means nothing.
 */
uint32_t tracer_hal_smi_count(void);

#endif
