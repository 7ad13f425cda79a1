/*
 * What every file of the Windows shell begins with: the kernel's headers, the IRQL each function runs at, and the pool tags.
 *
 * Every function says its level twice: an annotation for static analysis, and as its first statement a macro that asserts it in checked
 * builds (build.sh --checked). Released builds carry no assertion: nothing the driver does may bring the machine down. What may run at any
 * level says HIGH_LEVEL and asserts nothing. tests/kdriver/irql.sh checks all calls against the annotations.
 */
#ifndef KERNEL_H
#define KERNEL_H

/*
 * mingw-w64 defines these two functions twice, in psdk_inc/intrin-impl.h and in wdm.h, and clang then puts a copy of both into every
 * object. This leaves out the first definition.
 */
#define __INTRINSIC_DEFINED_InterlockedBitTestAndSet
#define __INTRINSIC_DEFINED_InterlockedBitTestAndReset
#include <ntifs.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if DBG
#define AT_LEVEL(condition) ((condition) ? (void)0 : DbgRaiseAssertionFailure())
#else
#define AT_LEVEL(condition) ((void)0)
#endif

#define AT_PASSIVE() AT_LEVEL(KeGetCurrentIrql() == PASSIVE_LEVEL)
#define AT_MOST_APC() AT_LEVEL(KeGetCurrentIrql() <= APC_LEVEL)
#define AT_MOST_DISPATCH() AT_LEVEL(KeGetCurrentIrql() <= DISPATCH_LEVEL)
#define AT_DISPATCH() AT_LEVEL(KeGetCurrentIrql() == DISPATCH_LEVEL)

/* Code that is needed only while DriverEntry runs; the system throws its section away afterwards. */
#define INIT_ONLY __attribute__((section("INIT")))

/* Pool tags, one for each subject; poolmon and the verifier show them as written here. */
#define POOL_TAG(a, b, c, d) ((ULONG)(a) | (ULONG)(b) << 8 | (ULONG)(c) << 16 | (ULONG)(d) << 24)
#define TAG_REMOVE_LOCK POOL_TAG('T', 'r', 'c', 'L')
#define TAG_MEASUREMENT POOL_TAG('T', 'r', 'c', 'M')
#define TAG_RECORDS POOL_TAG('T', 'r', 'c', 'R')
#define TAG_SECURITY POOL_TAG('T', 'r', 'c', 'S')
#define TAG_TIMERS POOL_TAG('T', 'r', 'c', 'T')

#endif
