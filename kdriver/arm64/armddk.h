/*
 * What the kernel's headers include for an ARM processor and mingw-w64 10 does not have: kdriver/build.sh --arch arm64 says _M_ARM, as
 * those headers know no 64-bit ARM. Nothing here is inline but one instruction: levels and locks are the kernel's own routines.
 */
#ifndef ARMDDK_H
#define ARMDDK_H

#define PASSIVE_LEVEL 0
#define LOW_LEVEL 0
#define APC_LEVEL 1
#define DISPATCH_LEVEL 2
#define CLOCK_LEVEL 13
#define IPI_LEVEL 14
#define HIGH_LEVEL 15

#define PAGE_SIZE 0x1000
#define PAGE_SHIFT 12L

#define YieldProcessor() __asm__ volatile("yield" : : : "memory")

NTKERNELAPI KIRQL NTAPI KeGetCurrentIrql(VOID);
NTKERNELAPI KIRQL NTAPI KfRaiseIrql(KIRQL level);
NTKERNELAPI VOID NTAPI KeLowerIrql(KIRQL level);
#define KeRaiseIrql(level, before) (*(before) = KfRaiseIrql(level))

NTKERNELAPI KIRQL NTAPI KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK lock);
NTKERNELAPI VOID NTAPI KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK lock);
NTKERNELAPI VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK lock, KIRQL before);
NTKERNELAPI VOID NTAPI KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK lock);
#define KeAcquireSpinLock(lock, before) (*(before) = KeAcquireSpinLockRaiseToDpc(lock))

#ifndef InterlockedExchangePointer
#define InterlockedExchangePointer(target, value) ((PVOID)__atomic_exchange_n((PVOID volatile *)(target), (PVOID)(value), __ATOMIC_SEQ_CST))
#endif

#endif
