using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>A small trace that a person wrote down: a machine, its records, and what an analysis should say of them.</summary>
internal sealed record Scenario
{
    public required string Name { get; init; }

    public int Cpus { get; init; } = 1;

    public int PointerBytes { get; init; } = 8;

    public long TicksPerSecond { get; init; } = 10_000_000;

    /// <summary>What the time stamps count.</summary>
    public TraceClockKind ClockKind { get; init; } = TraceClockKind.Qpc;

    /// <summary>The clock moves on in steps of so many ns; 0 for the finest.</summary>
    public long StepNanoseconds { get; init; }

    /// <summary>How the session wrote its file.</summary>
    public EtlLogFileMode Mode { get; init; } = EtlLogFileMode.Sequential;

    /// <summary>Cycles that a processor counts in a microsecond.</summary>
    public uint Mhz { get; init; } = 1000;

    /// <summary>Size of the file's buffers.</summary>
    public int BufferBytes { get; init; } = 64 * 1024;

    /// <summary>The sample interval that the trace tells of; null for none.</summary>
    public long? IntervalNanoseconds { get; init; }

    /// <summary>Group masks of what was switched on; empty where the trace does not tell.</summary>
    public IReadOnlyList<uint> Groups { get; init; } = [];

    public IReadOnlyList<ScenarioRecord> Records { get; init; } = [];

    public IReadOnlyList<ScenarioLoss> Losses { get; init; } = [];

    public BlameRequest Request { get; init; } = new();

    public ScenarioExpectation Expected { get; init; } = new();

    /// <summary>What its report said when it was last looked at (<see cref="ReportText"/>).</summary>
    public string Report { get; init; } = "";
}

/// <summary>A record, at the time at which it is logged.</summary>
/// <param name="At">When, in ns from the start of the trace.</param>
internal sealed record ScenarioRecord(long At, int Cpu, Action<IEtlWriter, ScenarioShape> Write);

/// <summary>Records of a CPU that never came into the file.</summary>
/// <param name="From">The first that is lost, in ns from the start of the trace.</param>
/// <param name="To">The last that is lost.</param>
/// <param name="Events">How many events the file says are lost; 0 where it is a whole buffer.</param>
internal sealed record ScenarioLoss(int Cpu, long From, long To, uint Events)
{
    public bool Takes(ScenarioRecord record) => record.Cpu == Cpu && record.At >= From && record.At <= To;
}

/// <summary>What the same scenario may look like in different files.</summary>
internal sealed record ScenarioShape
{
    /// <summary>Where a trace starts that nobody shifted.</summary>
    public const long UsualStart = 5_000_000_000;

    public int PointerBytes { get; init; } = 8;

    public long TicksPerSecond { get; init; } = 10_000_000;

    /// <summary>The clock moves on in steps of so many ns; 0 for the finest.</summary>
    public long StepNanoseconds { get; init; }

    /// <summary>Cycles that a processor counts in a microsecond.</summary>
    public uint Mhz { get; init; } = 1000;

    /// <summary>Time stamp of the header event, in ticks.</summary>
    public long StartTicks { get; init; } = UsualStart;

    /// <summary>Gives a module another name.</summary>
    public Func<string, string> Rename { get; init; } = name => name;

    public long Ticks(long nanoseconds)
    {
        long past = StepNanoseconds > 0 ? nanoseconds % StepNanoseconds : 0;
        return StartTicks + (long)((Int128)(nanoseconds - past) * TicksPerSecond / 1_000_000_000);
    }
}
