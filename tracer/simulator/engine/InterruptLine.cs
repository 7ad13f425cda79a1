using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>An interrupt service routine, connected to a line; its device raises it.</summary>
public sealed class Isr
{
    public Isr(CodeOwner owner, ulong routine, Func<IEnumerable<Step>> body)
    {
        Owner = owner;
        Routine = routine;
        Body = body;
    }

    /// <summary>Who answers for its time.</summary>
    public CodeOwner Owner { get; }

    public ulong Routine { get; }

    /// <summary>Name of its routine in causes, <c>module!function</c> or <c>module+0x1234</c>; null for none.</summary>
    public string? RoutineName { get; init; }

    /// <summary>Number of its message, where it is message-signalled; null for a line.</summary>
    public uint? Message { get; init; }

    /// <summary>What it does when another device of a shared line has interrupted; null on lines of its own.</summary>
    public Func<IEnumerable<Step>>? NotMine { get; init; }

    internal Func<IEnumerable<Step>> Body { get; }

    internal InterruptLine? Line { get; set; }

    internal bool IsAsserted { get; set; }

    /// <summary>What its device interrupted for last.</summary>
    internal ulong Occasion { get; set; }
}

/// <summary>
/// An interrupt vector and the ISRs connected to it, called in order until one claims the interrupt. Made by
/// <see cref="Machine.Connect"/>.
/// </summary>
public sealed class InterruptLine
{
    private readonly Isr[] _chain;
    private readonly int[] _cpus;
    private readonly RandomSequence _random;

    internal InterruptLine(ushort vector, int irql, int[] cpus, RandomSequence random, Isr[] chain)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(irql, Tracer.Simulator.Engine.Irql.LowestDevice);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(irql, Tracer.Simulator.Engine.Irql.HighestDevice);
        Vector = vector;
        Irql = irql;
        _cpus = cpus;
        _random = random;
        _chain = chain;
        foreach (Isr isr in chain)
        {
            isr.Line = this;
        }
    }

    /// <summary>The vector, as ISR records give it.</summary>
    public ushort Vector { get; }

    /// <summary>The level its ISRs run at.</summary>
    public int Irql { get; }

    internal ReadOnlySpan<Isr> Chain => _chain;

    internal int NextCpu() => _cpus.Length == 1 ? _cpus[0] : _cpus[_random.NextBelow(_cpus.Length)];
}
