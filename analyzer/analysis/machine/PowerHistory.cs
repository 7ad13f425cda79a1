using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>
/// What the trace shows about the speeds of CPUs: recent ones, over the whole trace how long each routine took at each speed; and how long
/// leaving an idle state takes.
/// </summary>
internal sealed class PowerHistory
{
    /// <summary>Most idle events, and changes of speed, that are kept for a CPU.</summary>
    private const int KeptChanges = 1 << 14;

    /// <summary>Most routines whose times are kept by speed.</summary>
    private const int MostRoutines = 50_000;

    /// <summary>Stands for the speed before the first speed record, which is not known yet; no record has this value.</summary>
    private const long BeforeFirst = 1L << 62;

    /// <summary>Fewest runs of a routine at a speed by which its time there is judged.</summary>
    private const int FewestRuns = 3;

    /// <summary>A routine counts as slowed down if it takes at least this many times as long as at another speed.</summary>
    public const double LeastSlowdown = 1.8;

    /// <summary>
    /// Least median slowdown of the other routines at the same speed: they need not depend on the speed as much as the routine in question.
    /// </summary>
    private const double LeastSlowdownOfOthers = 1.4;

    /// <summary>Offset of the speed in the provider's change of speed, in bytes.</summary>
    private const int SpeedAt = 4;

    /// <summary>Length of that event, in bytes.</summary>
    private const int ProviderBytes = 11;

    private readonly Ring<FrequencyChange>?[] _speeds;
    private readonly long?[] _firstSpeeds;
    private readonly bool _hasSpeeds;
    private readonly Func<ushort, byte, int> _indexOf;
    private readonly Dictionary<RoutineAt, RoutineTimes> _routines = [];
    private readonly Dictionary<uint, DurationCounts> _exits = [];
    private Dictionary<(ulong Routine, bool IsIsr), Dictionary<long, RoutineTimes>>? _resolved;

    /// <summary>Creates an empty history.</summary>
    /// <param name="cpus">Upper limit of the number of CPUs.</param>
    /// <param name="indexOf">The index of a processor by group and number; -1 where there is none.</param>
    public PowerHistory(int cpus, bool hasSpeeds, Func<ushort, byte, int> indexOf)
    {
        _speeds = new Ring<FrequencyChange>?[cpus];
        _firstSpeeds = new long?[cpus];
        _hasSpeeds = hasSpeeds;
        _indexOf = indexOf;
    }

    /// <summary>The group of a processor by its index; where it is not set there is one group.</summary>
    public Func<int, ushort> GroupOf { get; init; } = static _ => 0;

    /// <summary>Reads a record of the kernel about the speed of CPUs; what it gives does not depend on what was read before.</summary>
    /// <param name="cpu">The CPU that logged the event, which is the one it is about where it names none.</param>
    public static bool TryRead(int cpu, in EtlEvent traceEvent, out SpeedChange change)
    {
        change = default;
        if (!PerformanceStateRecord.TryRead(in traceEvent, out PerformanceStateRecord record))
        {
            return false;
        }

        uint kind = (uint)record.Type;
        change = new SpeedChange(cpu, record.Processors, Key(kind, record.New), Key(kind, record.Old));
        return true;
    }

    /// <summary>Reads an event of a provider that changes a speed; all others are none.</summary>
    public bool TryReadOther(in EtlEvent traceEvent, out SpeedChange change)
    {
        change = default;
        if (!traceEvent.IsEventHeader || traceEvent.Id != ParkedProcessors.SpeedChange || traceEvent.ProviderId != ParkedProcessors.Provider
            || traceEvent.Payload.Length < ProviderBytes)
        {
            return false;
        }

        ReadOnlySpan<byte> payload = traceEvent.Payload;
        int cpu = _indexOf(BinaryPrimitives.ReadUInt16LittleEndian(payload[8..]), payload[10]);
        change = new SpeedChange(cpu, 0, Key(0, BinaryPrimitives.ReadUInt32LittleEndian(payload[SpeedAt..])), null);
        return (uint)cpu < (uint)_speeds.Length;
    }

    /// <summary>Adds a change of speeds, in order of time.</summary>
    public void Add(in SpeedChange change, long ticks)
    {
        const int CpusOfMask = 64;
        if (change.Cpus == 0)
        {
            AddSpeed(change.Cpu, ticks, change.Speed, change.Before);
            return;
        }

        ushort group = GroupOf(change.Cpu);
        for (byte number = 0; number < CpusOfMask; number++)
        {
            if (((change.Cpus >> number) & 1) != 0 && _indexOf(group, number) is var other && (uint)other < (uint)_speeds.Length)
            {
                AddSpeed(other, ticks, change.Speed, change.Before);
            }
        }
    }

    /// <summary>The speed of a CPU at a time, as a key that can only be compared; null where the trace records no speeds.</summary>
    public long? SpeedOf(int cpu, long ticks)
    {
        if (!_hasSpeeds || (uint)cpu >= (uint)_speeds.Length)
        {
            return null;
        }

        if (_speeds[cpu] is not { } speeds || speeds.FirstAfter(ticks) is var next && next == speeds.First)
        {
            return Before(cpu);
        }

        return speeds[next - 1].Speed;
    }

    /// <summary>Whether the trace records speeds.</summary>
    public bool HasSpeeds => _hasSpeeds;

    /// <param name="netTicks">Length of the run without nested routines.</param>
    public void Ran(int cpu, ulong routine, bool isIsr, long startTicks, long netTicks)
    {
        if (netTicks <= 0 || SpeedOf(cpu, startTicks) is not { } speed)
        {
            return;
        }

        var key = new RoutineAt(routine, isIsr, speed);
        if (_routines.Count < MostRoutines || _routines.ContainsKey(key))
        {
            CollectionsMarshal.GetValueRefOrAddDefault(_routines, key, out _).Add(netTicks);
        }
    }

    /// <summary>
    /// Adds an exit from idle: a thread that another CPU had made ready was switched in on an idle CPU that served nothing in between.
    /// </summary>
    public void LeftIdle(uint state, long ticks)
    {
        const int MostStates = 64;
        if (!_exits.TryGetValue(state, out DurationCounts? exits) && _exits.Count < MostStates)
        {
            _exits.Add(state, exits = new DurationCounts());
        }

        exits?.Add(ticks);
    }

    /// <summary>The 95th percentile of the time to leave an idle state, in ticks; null where the trace shows too few exits.</summary>
    public long? UsualExit(uint state)
    {
        const int FewestExits = 20;
        const int Percent = 95;
        return _exits.TryGetValue(state, out DurationCounts? exits) && exits.Count >= FewestExits ? exits.Percentile(Percent) : null;
    }

    /// <summary>How much longer a routine took at one speed than at another; null where that cannot be shown.</summary>
    /// <param name="isIsr">Whether its runs as an ISR count; else those as a DPC.</param>
    public Slowdown? SlowdownOf(ulong routine, bool isIsr, long speed)
    {
        Dictionary<(ulong Routine, bool IsIsr), Dictionary<long, RoutineTimes>> all = Resolved();
        long slow = Resolve(speed);
        if (!all.TryGetValue((routine, isIsr), out Dictionary<long, RoutineTimes>? own)
            || !own.TryGetValue(slow, out RoutineTimes here) || here.Count < FewestRuns)
        {
            return null;
        }

        (long fast, RoutineTimes there) = own.Where(times => times.Key != slow && times.Value.Count >= FewestRuns)
            .OrderBy(times => times.Value.Typical).ThenBy(times => times.Key).Select(times => (times.Key, times.Value)).FirstOrDefault();
        if (there.Count == 0 || here.Typical < LeastSlowdown * there.Typical)
        {
            return null;
        }

        // A slow CPU slows all routines: if the others took no longer, this routine had more work to do.
        List<double> others = [.. all.Where(other => other.Key != (routine, isIsr)
            && other.Value.GetValueOrDefault(slow).Count >= FewestRuns && other.Value.GetValueOrDefault(fast).Count >= FewestRuns)
            .Select(other => other.Value[slow].Typical / other.Value[fast].Typical).Order()];
        return others.Count > 0 && others[others.Count / 2] < LeastSlowdownOfOthers
            ? null
            : new Slowdown(here.Typical / there.Typical, here.Count, there.Count, (long)Math.Round(there.Typical), others.Count);
    }

    /// <summary>Combines kind and value into a key, so that a damaged kind cannot look like <see cref="BeforeFirst"/>.</summary>
    private static long Key(uint kind, uint value) => ((long)(byte)kind << 32) | value;

    private static long Before(int cpu) => BeforeFirst | (uint)cpu;

    /// <summary>Replaces the placeholder for a CPU's speed before its first recorded change by the speed known from that change.</summary>
    private long Resolve(long speed) =>
        (speed & BeforeFirst) != 0 && _firstSpeeds[speed & ~BeforeFirst] is { } first ? first : speed;

    private Dictionary<(ulong Routine, bool IsIsr), Dictionary<long, RoutineTimes>> Resolved()
    {
        if (_resolved is not null)
        {
            return _resolved;
        }

        _resolved = [];
        foreach ((RoutineAt key, RoutineTimes times) in _routines)
        {
            if (!_resolved.TryGetValue((key.Routine, key.IsIsr), out Dictionary<long, RoutineTimes>? speeds))
            {
                _resolved.Add((key.Routine, key.IsIsr), speeds = []);
            }

            long speed = Resolve(key.Speed);
            speeds[speed] = speeds.GetValueOrDefault(speed).With(times);
        }

        return _resolved;
    }

    private void AddSpeed(int cpu, long ticks, long speed, long? before)
    {
        if ((uint)cpu >= (uint)_speeds.Length)
        {
            return;
        }

        if (_speeds[cpu] is null)
        {
            _speeds[cpu] = new Ring<FrequencyChange>(KeptChanges);
            _firstSpeeds[cpu] = before;
        }

        var change = new FrequencyChange { Ticks = ticks, Speed = speed };
        _speeds[cpu]!.Add(in change);
    }

    private readonly record struct RoutineAt(ulong Routine, bool IsIsr, long Speed);

    private struct FrequencyChange : ITimed
    {
        public readonly long OrderTicks => Ticks;

        public long Ticks;

        public long Speed;
    }

    /// <summary>
    /// Number of runs of a routine and sum of the logarithms of their times, which give little weight to a run that was long for another
    /// reason.
    /// </summary>
    private struct RoutineTimes
    {
        private double _logarithms;

        public int Count { get; private set; }

        public readonly double Typical => Count > 0 ? Math.Exp(_logarithms / Count) : 0;

        public void Add(long ticks)
        {
            Count++;
            _logarithms += Math.Log(ticks);
        }

        public readonly RoutineTimes With(RoutineTimes other) =>
            new() { Count = Count + other.Count, _logarithms = _logarithms + other._logarithms };
    }
}

/// <summary>A routine that took longer on a CPU at low speed.</summary>
/// <param name="Times">The factor by which it took longer.</param>
/// <param name="SlowRuns">Number of runs at the low speed; 0 where no record tells the speeds.</param>
/// <param name="FastRuns">Number of runs at the other speed.</param>
/// <param name="FastTicks">Time of a run at the other speed, in ticks.</param>
/// <param name="Others">How many other routines were slowed down as well.</param>
internal sealed record Slowdown(double Times, int SlowRuns, int FastRuns, long FastTicks, int Others)
{
    /// <summary>The ISRs of others that were slow at the same time, where only these show it.</summary>
    public IReadOnlyList<SlowedIsr> Meanwhile { get; init; } = [];
}

/// <summary>An ISR that took longer than usual on a slow CPU.</summary>
/// <param name="Times">The factor by which it took longer.</param>
/// <param name="UsualTicks">How long it usually takes, in ticks.</param>
internal readonly record struct SlowedIsr(ulong Routine, double Times, long UsualTicks);

/// <summary>A change of the speed of CPUs.</summary>
/// <param name="Cpu">The CPU that logged it.</param>
/// <param name="Cpus">The CPUs, one bit each, of the group of <paramref name="Cpu"/>; 0 for it alone.</param>
/// <param name="Speed">The new speed, as a key that can only be compared.</param>
/// <param name="Before">The speed before; null where the record does not tell.</param>
internal readonly record struct SpeedChange(int Cpu, ulong Cpus, long Speed, long? Before);

/// <summary>What an event about a CPU's idling says.</summary>
internal enum IdleEventKind : byte
{
    /// <summary>The CPU went idle.</summary>
    Enter,

    /// <summary>The CPU left idle.</summary>
    Exit,

    /// <summary>The time to leave idle was measured.</summary>
    Measured,
}

/// <summary>A record about an idle state of a CPU.</summary>
internal struct IdleEvent : ITimed
{
    public readonly long OrderTicks => Ticks;

    public long Ticks;

    public uint State;

    public IdleEventKind Kind;

    /// <summary>Reads a record of the kernel about the idle state of the CPU that logged it.</summary>
    public static bool TryRead(ushort hookId, in EtlEvent traceEvent, long ticks, out IdleEvent idle)
    {
        idle = hookId switch
        {
            KernelHook.IdleEnter when IdleEnterRecord.TryRead(in traceEvent, out IdleEnterRecord enter) =>
                new IdleEvent { Ticks = ticks, State = enter.State, Kind = IdleEventKind.Enter },
            KernelHook.IdleExit when IdleExitRecord.TryRead(in traceEvent, out IdleExitRecord exit) =>
                new IdleEvent { Ticks = ticks, State = exit.State, Kind = IdleEventKind.Exit },
            KernelHook.IdleExitLatency when IdleExitLatencyRecord.TryRead(in traceEvent, out IdleExitLatencyRecord latency) =>
                new IdleEvent { Ticks = ticks, State = latency.ProcessorState, Kind = IdleEventKind.Measured },
            _ => default,
        };
        return idle.Ticks != 0;
    }
}
