namespace Tracer.Analysis.Modules;

/// <summary>What kernel code that spins on a CPU waits for.</summary>
internal enum WaitKind : byte
{
    /// <summary>It does not wait for others, or that is unknown.</summary>
    None,

    /// <summary>A spin lock.</summary>
    Lock,

    /// <summary>Other CPUs, which have to take an inter-processor interrupt.</summary>
    Processors,
}

internal enum CodeLevel : byte
{
    Unknown,

    /// <summary>An interrupt service routine.</summary>
    Isr,

    /// <summary>A deferred procedure call.</summary>
    Dpc,

    /// <summary>A thread, whatever IRQL it has raised.</summary>
    Thread,
}

internal readonly record struct KernelRoutine(WaitKind Wait, CodeLevel Level, bool IsNamed);
