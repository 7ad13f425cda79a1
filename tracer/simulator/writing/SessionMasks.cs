using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>The group masks of a session: which switches of the kernel are on for what it records (PERF_* of ntwmi.h).</summary>
internal static class SessionMasks
{
    private const int Words = 8;

    private static readonly (RecordKinds Kind, int Word, uint Bits)[] Switches =
    [
        (RecordKinds.Samples, 1, 0x2),
        (RecordKinds.ContextSwitches, 1, 0x4),
        (RecordKinds.Dpcs, 1, 0x80),
        (RecordKinds.ReadyThreads, 1, 0x200),
        (RecordKinds.Interrupts, 1, 0x4000),
        (RecordKinds.DpcQueue, 1, 0x4_0000),
        (RecordKinds.Priorities, 1, 0x2000),
        (RecordKinds.SpinLocks, 1, 0x1_0000),
        (RecordKinds.IdleStates, 2, 0x8000),
        (RecordKinds.ClockInterrupts, 2, 0x4_0000),
        (RecordKinds.ExitLatencies, 2, 0x400_0000),
        (RecordKinds.SpeedChanges, 4, 0x8000),
        (RecordKinds.Wdf, 4, 0x300_0000),
        (RecordKinds.DiskTransfers, 0, 0x100),
        (RecordKinds.HardFaults, 0, 0x2000),
    ];

    /// <summary>Lays out the record: eight words and the version of the kernel's event set.</summary>
    public static void Lay(ref PayloadSpan payload, WindowsBuild build, RecordKinds kinds, Rundowns rundown)
    {
        Span<uint> words = stackalloc uint[Words];
        words.Clear();
        words[0] = rundown == Rundowns.None ? 0 : 0x7u; // Processes, threads, images.
        words[6] = 0x3F; // The machine's configuration.
        foreach ((RecordKinds kind, int word, uint bits) in Switches)
        {
            words[word] |= kinds.HasFlag(kind) ? bits : 0;
        }

        foreach (uint word in words)
        {
            payload.UInt32(word);
        }

        payload.UInt32(build.KernelEventVersion);
    }

    /// <summary>Lays out what the user's session of a merged file has: nothing of the kernel is on.</summary>
    public static void LayNone(ref PayloadSpan payload, WindowsBuild build)
    {
        payload.Zeros(4 * Words);
        payload.UInt32(build.KernelEventVersion);
    }
}
