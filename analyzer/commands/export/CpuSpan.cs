namespace Tracer.AnalyzerCommand.Commands.Export;

internal enum CpuSpanKind : byte
{
    Thread,

    /// <summary>A threaded DPC, within its thread.</summary>
    ThreadedDpc,

    /// <summary>An ISR at passive level, within its thread.</summary>
    PassiveIsr,

    Dpc,

    TimerDpc,

    Isr,
}

/// <summary>A stretch in which a CPU ran a thread or routine; what interrupted it lies within. Times in ticks.</summary>
internal sealed class CpuSpan
{
    public required CpuSpanKind Kind { get; init; }

    public required int Cpu { get; init; }

    public required long StartTicks { get; set; }

    public required long EndTicks { get; set; }

    /// <summary>Address of the routine; 0 for a thread.</summary>
    public ulong Routine { get; init; }

    /// <summary>Interrupt vector; null where there is none.</summary>
    public ushort? Vector { get; init; }

    /// <summary>The thread; for a routine the thread beneath it, null where it is not known.</summary>
    public uint? ThreadId { get; set; }

    public int Priority { get; init; }

    /// <summary>When the thread was made ready; null where it was not, or the trace does not tell.</summary>
    public long? ReadyTicks { get; init; }

    /// <summary>Numbers of the flows that begin or pass here; null for none.</summary>
    public List<ulong>? FlowsOut { get; private set; }

    /// <summary>Numbers of the flows that end here; null for none.</summary>
    public List<ulong>? FlowsIn { get; private set; }

    /// <summary>Whether it is a DPC or ISR proper, which a CPU leaves before it switches threads.</summary>
    public bool IsRaised => Kind >= CpuSpanKind.Dpc;

    /// <summary>Notes that a flow begins or passes here.</summary>
    public void Leave(ulong flow) => (FlowsOut ??= []).Add(flow);

    public void Arrive(ulong flow) => (FlowsIn ??= []).Add(flow);
}
