namespace Tracer.Analysis;

/// <summary>What the kernel's code on a CPU waits for when it spins.</summary>
internal enum WaitKind : byte
{
    /// <summary>It does not wait for others, or that is not known.</summary>
    None,

    /// <summary>A spin lock.</summary>
    Lock,

    /// <summary>Other CPUs, that have to take an interrupt.</summary>
    Processors,
}

/// <summary>From where the kernel called a piece of code.</summary>
internal enum CodeLevel : byte
{
    /// <summary>Not known.</summary>
    Unknown,

    /// <summary>An interrupt service routine.</summary>
    Isr,

    /// <summary>A deferred procedure call.</summary>
    Dpc,

    /// <summary>A thread, whatever IRQL it has raised itself to.</summary>
    Thread,
}

/// <summary>What the name of a kernel's routine tells.</summary>
/// <param name="Wait">What it waits for.</param>
/// <param name="Level">What it calls.</param>
/// <param name="IsNamed">Whether it has a name at all.</param>
internal readonly record struct KernelRoutine(WaitKind Wait, CodeLevel Level, bool IsNamed);
