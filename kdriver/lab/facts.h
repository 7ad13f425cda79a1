#ifndef FACTS_H
#define FACTS_H

#include "kernel.h"

#include "tracer_lab.h"

/* What this machine is. Reads CPUID, CR4, IA32_APIC_BASE, the local APIC, the system's own answers and its boot options; writes nothing. */
_IRQL_requires_(PASSIVE_LEVEL) void facts_collect(struct tracer_lab_facts *facts);

#endif
