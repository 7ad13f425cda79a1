using System.Runtime.InteropServices;

namespace Tracer.Analysis.Facts;

/// <summary>
/// The events of our own provider: measured wake-ups, and the samples of dumped buffers, in the trace's clock. Add events in any order,
/// call <see cref="Complete"/> once, then query. Memory is bounded; a wake-up costs no allocation.
/// </summary>
/// <remarks>
/// The clock of a run is given by the last <c>Start</c> event of the same mode before the run's events. If it is the performance counter
/// and the trace uses that as well, no conversion is needed; every other clock is converted by the <c>ClockSync</c> events. In a run that
/// measures in the performance counter these events give that counter twice; in other runs they relate the cycle counter to it.
/// </remarks>
public sealed class TracerEvents
{
    /// <summary>Most wake-ups that are kept.</summary>
    public const int MaximumWakeups = 4_000_000;

    private const int MaximumSamples = 1 << 18;
    private const int MaximumEpisodes = 1 << 16;
    private const int MaximumRuns = 1 << 16;
    private const long LongestLatencySeconds = 60;
    private const byte QpcClock = 1;
    private const int FewestIntervals = 4;

    private readonly TraceClock _clock;
    private readonly ProviderEventShapes _shapes = new();

    private readonly List<Run>[] _runsOfMode = [[], [], []];
    private readonly ProbeClock _cycles = new();
    private readonly ProbeClock _counter = new();

    /// <summary>The wake-ups, in the probes' clocks until they are converted in place.</summary>
    private readonly List<MeasuredWakeup> _wakeups = [];
    private readonly List<(long Logged, uint Episode, PitSample Sample, ulong Clock)> _rawSamples = [];
    private readonly List<DriverEpisode> _begins = [];
    private readonly List<(long Ticks, uint Number, uint Samples, ulong Overwritten, uint Smis)> _ends = [];
    private readonly Dictionary<uint, List<int>> _episodesOfNumber = [];
    private readonly List<PitSample> _samples = [];
    private DriverEpisode[] _episodes = [];

    /// <summary>Creates an empty collection.</summary>
    public TracerEvents(TraceClock clock) => _clock = clock;

    /// <summary>The wake-ups, sorted by due time.</summary>
    public IReadOnlyList<MeasuredWakeup> Wakeups => _wakeups;

    /// <summary>The dumped samples, sorted by episode and number.</summary>
    public IReadOnlyList<PitSample> PitSamples => _samples;

    /// <summary>Median interval between successive dumped samples of a CPU, in ticks; null where there are too few samples.</summary>
    public long? SampleIntervalTicks { get; private set; }

    /// <summary>The episodes that the driver announced, in order of time.</summary>
    public IReadOnlyList<DriverEpisode> Episodes => _episodes;

    /// <summary>What the flight recorder wrote about itself.</summary>
    public CaptureEvents Recorder { get; } = new();

    /// <summary>What the driver told of its timer of all CPUs.</summary>
    public TimerStates Timers { get; } = new();

    /// <summary>Number of probe runs whose start is in the trace.</summary>
    public int Runs { get; private set; }

    /// <summary>The lowest threshold of the runs in nanoseconds; null where none gives one.</summary>
    public ulong? ThresholdNanoseconds { get; private set; }

    /// <summary>Records that the driver lost because nobody read them in time, according to the stop events of its runs.</summary>
    public ulong LostByDriver { get; private set; }

    /// <summary>Events that were dropped because they made no sense or their clock could not be converted.</summary>
    public long Bad { get; private set; }

    /// <summary>Events that were dropped because of the limits of memory.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds an event without a hook id; events of other providers are ignored.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (!traceEvent.IsEventHeader || traceEvent.ProviderId != TracerProvider.Id)
        {
            return;
        }

        if (_shapes.Of(in traceEvent) is not { } shape)
        {
            Bad++;
        }
        else if (!Add(in traceEvent, shape))
        {
            Bad++;
        }
    }

    /// <summary>Converts and sorts all events.</summary>
    public void Complete()
    {
        foreach (List<Run> runs in _runsOfMode)
        {
            runs.Sort();
        }

        _cycles.Complete();
        _counter.Complete();
        Bad += _cycles.Dropped + _counter.Dropped;
        int kept = 0;
        Span<MeasuredWakeup> wakeups = CollectionsMarshal.AsSpan(_wakeups);
        foreach (ref readonly MeasuredWakeup raw in wakeups)
        {
            if (Converted(in raw) is { } converted)
            {
                wakeups[kept++] = converted;
            }
            else
            {
                Bad++;
            }
        }

        _wakeups.RemoveRange(kept, _wakeups.Count - kept);
        _wakeups.Sort(Compare);
        Timers.Complete();
        CompleteEpisodes();
        CompleteSamples();
    }

    /// <summary>
    /// A moment of the driver's clock in ticks of the trace's, once <see cref="Complete"/> was called; null where it is not known.
    /// </summary>
    internal long? TimeOfDriver(long loggedTicks, ulong clock) =>
        RunOfDriver(loggedTicks) is { ClockHz: > 0 } run ? Ticks(run, clock) : null;

    private static int Compare(MeasuredWakeup first, MeasuredWakeup second)
    {
        int order = first.ExpectedTicks.CompareTo(second.ExpectedTicks);
        order = order != 0 ? order : first.FromTicks.CompareTo(second.FromTicks);
        order = order != 0 ? order : first.LoggedTicks.CompareTo(second.LoggedTicks);
        order = order != 0 ? order : first.Cpu.CompareTo(second.Cpu);
        return order != 0 ? order : first.ThreadId.CompareTo(second.ThreadId);
    }

    /// <returns>False where the payload is too short.</returns>
    private bool Add(in EtlEvent traceEvent, ProviderEvent shape)
    {
        ReadOnlySpan<byte> payload = traceEvent.Payload;
        if (ReferenceEquals(shape, TracerProvider.Wakeup) || ReferenceEquals(shape, TracerProvider.WakeupVersion1))
        {
            return AddWakeup(in traceEvent, payload, isVersion1: ReferenceEquals(shape, TracerProvider.WakeupVersion1));
        }

        if (ReferenceEquals(shape, TracerProvider.PitSample))
        {
            return AddSample(in traceEvent, payload);
        }

        if (ReferenceEquals(shape, TracerProvider.Start))
        {
            return AddStart(in traceEvent, payload);
        }

        if (ReferenceEquals(shape, TracerProvider.ClockSync))
        {
            return AddClockSync(in traceEvent, payload);
        }

        if (ReferenceEquals(shape, TracerProvider.EpisodeBegin))
        {
            return AddEpisodeBegin(in traceEvent, payload);
        }

        if (ReferenceEquals(shape, TracerProvider.EpisodeEnd))
        {
            return AddEpisodeEnd(in traceEvent, payload);
        }

        if (ReferenceEquals(shape, TracerProvider.TimerState))
        {
            return Timers.Add(traceEvent.TimestampTicks, payload);
        }

        if (!ReferenceEquals(shape, TracerProvider.Stop))
        {
            return Recorder.Add(shape, payload);
        }

        if (!ProviderPayload.TryRead(payload, out StopEvent stop))
        {
            return false;
        }

        LostByDriver = unchecked(LostByDriver + Math.Min(stop.Dropped, uint.MaxValue));
        return true;
    }

    private bool AddStart(in EtlEvent traceEvent, ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out StartEvent start) || start.Mode >= _runsOfMode.Length)
        {
            return false;
        }

        if (Runs == MaximumRuns)
        {
            Dropped++;
            return true;
        }

        Runs++;
        _runsOfMode[start.Mode].Add(new Run(traceEvent.TimestampTicks, start.Clock, start.ClockHz));
        ulong threshold = start.ThresholdNs;
        ThresholdNanoseconds = threshold == 0 || threshold > ThresholdNanoseconds ? ThresholdNanoseconds : threshold;
        return true;
    }

    private bool AddClockSync(in EtlEvent traceEvent, ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out ClockSyncEvent sync))
        {
            return false;
        }

        bool isTraceClock = _clock.Kind == TraceClockKind.Qpc && sync.Qpc <= long.MaxValue;
        (sync.Clock == sync.Qpc ? _counter : _cycles).Add(
            traceEvent.TimestampTicks, sync.Clock, isTraceClock ? (long)sync.Qpc : traceEvent.TimestampTicks);
        return true;
    }

    private bool AddWakeup(in EtlEvent traceEvent, ReadOnlySpan<byte> payload, bool isVersion1)
    {
        if (!WakeupEvent.TryRead(payload, isVersion1, out WakeupEvent wakeup) || wakeup.Cpu >= EtlBufferHeader.MaximumProcessors
            || wakeup.TimerCpu >= EtlBufferHeader.MaximumProcessors)
        {
            return false;
        }

        if (_wakeups.Count == MaximumWakeups)
        {
            Dropped++;
            return true;
        }

        _wakeups.Add(new MeasuredWakeup
        {
            LoggedTicks = traceEvent.TimestampTicks,
            Cpu = wakeup.Cpu,
            Mode = wakeup.Mode,
            ExpectedTicks = (long)wakeup.Expected,
            Tick = (long)wakeup.Tick,
            TimerCpu = wakeup.TimerCpu,
            Callback = (long)wakeup.Callback,
            Queued = (long)wakeup.Queued,
            Isr = (long)wakeup.Isr,
            Dpc = (long)wakeup.Dpc,
            Thread = (long)wakeup.Thread,
            Priority = wakeup.Priority,
            InterruptedIp = wakeup.InterruptedIp,
            ThreadId = traceEvent.ThreadId,
        });
        return true;
    }

    private bool AddSample(in EtlEvent traceEvent, ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out PitSampleEvent told)
            || !ProviderPayload.TryReadArray<PitSampleEvent, ulong>(payload, out ReadOnlySpan<ulong> callers))
        {
            return false;
        }

        if (_rawSamples.Count == MaximumSamples)
        {
            Dropped++;
            return true;
        }

        var sample = new PitSample(
            -1, told.Index, told.Cpu, 0, told.Ip, told.Source,
            callers[..Math.Min(callers.Length, DriverAbi.MaxCallers)].ToArray(), told.Flags);
        _rawSamples.Add((traceEvent.TimestampTicks, told.Episode, sample, told.Clock));
        return true;
    }

    private bool AddEpisodeBegin(in EtlEvent traceEvent, ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out EpisodeBeginEvent begin))
        {
            return false;
        }

        if (_begins.Count == MaximumEpisodes)
        {
            Dropped++;
            return true;
        }

        _begins.Add(new DriverEpisode(
            begin.Episode, traceEvent.TimestampTicks, begin.Cpu, begin.LatencyNs, null, 0, null));
        return true;
    }

    private bool AddEpisodeEnd(in EtlEvent traceEvent, ReadOnlySpan<byte> payload)
    {
        if (!ProviderPayload.TryRead(payload, out EpisodeEndEvent end))
        {
            return false;
        }

        if (_ends.Count == MaximumEpisodes)
        {
            Dropped++;
            return true;
        }

        _ends.Add((traceEvent.TimestampTicks, end.Episode, end.Samples, end.Overwritten, end.SmiCount));
        return true;
    }

    /// <summary>The run that an event belongs to: the last one of its mode that had started by then.</summary>
    private Run? RunOf(byte mode, long loggedTicks)
    {
        if (mode >= _runsOfMode.Length)
        {
            return null;
        }

        List<Run> runs = _runsOfMode[mode];
        int at = runs.BinarySearch(new Run(loggedTicks, byte.MaxValue, ulong.MaxValue));
        at = at < 0 ? ~at - 1 : at;
        return at < 0 ? null : runs[at];
    }

    /// <summary>The run that a dumped sample belongs to; only the driver dumps samples.</summary>
    private Run? RunOfDriver(long loggedTicks)
    {
        Run? first = RunOf((byte)ProbeMode.Apic, loggedTicks);
        Run? second = RunOf((byte)ProbeMode.Timer, loggedTicks);
        return first is null || (second is not null && second.Value.StartTicks > first.Value.StartTicks) ? second : first;
    }

    private MeasuredWakeup? Converted(in MeasuredWakeup raw)
    {
        if (RunOf(raw.Mode, raw.LoggedTicks) is not { ClockHz: > 0 } known
            || Ticks(known, (ulong)raw.ExpectedTicks) is not { } expected
            || raw.ExpectedTicks == 0
            || !TryTime(known, raw.Isr, out long isr)
            || !TryTime(known, raw.Dpc, out long dpc)
            || !TryTime(known, raw.Thread, out long thread)
            || !TryTime(known, raw.Tick, out long tick)
            || !TryTime(known, raw.Callback, out long callback)
            || !TryTime(known, raw.Queued, out long queued)
            || (callback == MeasuredWakeup.NotMeasured) != (queued == MeasuredWakeup.NotMeasured))
        {
            return null;
        }

        if (callback != MeasuredWakeup.NotMeasured && tick != MeasuredWakeup.NotMeasured
            && (Int128)callback - tick > _clock.TicksOfSeconds(LongestLatencySeconds))
        {
            return null;
        }

        // The kernel's due time may be a little before the one that the process knows, so that an earlier tick served the timer. The driver
        // finds its tick from earlier ones: where that is behind the callback, the timer was in time.
        long before = callback != MeasuredWakeup.NotMeasured ? callback : tick != MeasuredWakeup.NotMeasured ? tick : expected;
        foreach (long time in (ReadOnlySpan<long>)[callback, queued, isr, dpc, thread])
        {
            if (time == MeasuredWakeup.NotMeasured)
            {
                continue;
            }

            if (time < before || (Int128)time - Math.Min(expected, before) > _clock.TicksOfSeconds(LongestLatencySeconds))
            {
                return null;
            }

            before = time;
        }

        bool isMeasured = isr != MeasuredWakeup.NotMeasured || dpc != MeasuredWakeup.NotMeasured || thread != MeasuredWakeup.NotMeasured;
        return isMeasured
            ? raw with
            {
                ExpectedTicks = expected,
                Tick = tick,
                Callback = callback,
                Queued = queued,
                Isr = isr,
                Dpc = dpc,
                Thread = thread,
            }
            : null;
    }

    private bool TryTime(in Run run, long raw, out long ticks)
    {
        ticks = MeasuredWakeup.NotMeasured;
        if (raw == 0)
        {
            return true;
        }

        long? converted = Ticks(run, (ulong)raw);
        ticks = converted ?? MeasuredWakeup.NotMeasured;
        return converted is not null;
    }

    private long? Ticks(in Run run, ulong clock)
    {
        if (run.Clock == QpcClock && _clock.Kind == TraceClockKind.Qpc)
        {
            return clock <= long.MaxValue ? (long)clock : null;
        }

        return (run.Clock == QpcClock ? _counter : _cycles).TicksAt(clock, run.ClockHz, _clock.TicksPerSecond);
    }

    private void CompleteEpisodes()
    {
        _begins.Sort((first, second) => first.Ticks != second.Ticks
            ? first.Ticks.CompareTo(second.Ticks)
            : first.Number.CompareTo(second.Number));
        _ends.Sort();
        _episodes = [.. _begins];
        for (int at = 0; at < _episodes.Length; at++)
        {
            if (!_episodesOfNumber.TryGetValue(_episodes[at].Number, out List<int>? places))
            {
                _episodesOfNumber.Add(_episodes[at].Number, places = []);
            }

            places.Add(at);
        }

        foreach ((long ticks, uint number, uint samples, ulong overwritten, uint smis) in _ends)
        {
            if (EpisodeAt(ticks, number) is >= 0 and int at)
            {
                uint? smiCount = smis == DriverAbi.SmiNotRead ? null : smis;
                _episodes[at] = _episodes[at] with { Samples = samples, Overwritten = overwritten, SmiCount = smiCount };
            }
        }
    }

    /// <summary>The last episode with a given number that had begun by then; each run numbers its episodes anew.</summary>
    private int EpisodeAt(long ticks, uint number)
    {
        if (!_episodesOfNumber.TryGetValue(number, out List<int>? places))
        {
            return -1;
        }

        int low = SortedSearch.FirstNot(
            0, places.Count, (_episodes, places, ticks), static (at, i) => at._episodes[at.places[i]].Ticks <= at.ticks);

        return low > 0 ? places[low - 1] : -1;
    }

    private void CompleteSamples()
    {
        foreach ((long logged, uint number, PitSample sample, ulong clock) in _rawSamples)
        {
            if (RunOfDriver(logged) is { ClockHz: > 0 } run && Ticks(run, clock) is { } ticks)
            {
                _samples.Add(sample with { Episode = EpisodeAt(logged, number), Ticks = ticks });
            }
            else
            {
                Bad++;
            }
        }

        _rawSamples.Clear();
        _samples.Sort((first, second) =>
        {
            int order = first.Episode.CompareTo(second.Episode);
            order = order != 0 ? order : first.Index.CompareTo(second.Index);
            order = order != 0 ? order : first.Ticks.CompareTo(second.Ticks);
            return order != 0 ? order : first.Ip.CompareTo(second.Ip);
        });
        SampleIntervalTicks = MiddleInterval();
    }

    private long? MiddleInterval()
    {
        List<long> intervals = [];
        PitSample? last = null;
        foreach (PitSample sample in _samples.Where(sample => sample.Source != (byte)SampleSource.LatencyIsr)
            .OrderBy(sample => sample.Cpu).ThenBy(sample => sample.Ticks))
        {
            if (last is not null && last.Cpu == sample.Cpu && last.Episode == sample.Episode && sample.Ticks > last.Ticks)
            {
                intervals.Add(sample.Ticks - last.Ticks);
            }

            last = sample;
        }

        intervals.Sort();
        return intervals.Count >= FewestIntervals ? intervals[intervals.Count / 2] : null;
    }

    /// <summary>A run of a probe; runs sort by start time.</summary>
    private readonly record struct Run(long StartTicks, byte Clock, ulong ClockHz) : IComparable<Run>
    {
        public int CompareTo(Run other)
        {
            int order = StartTicks.CompareTo(other.StartTicks);
            order = order != 0 ? order : Clock.CompareTo(other.Clock);
            return order != 0 ? order : ClockHz.CompareTo(other.ClockHz);
        }
    }
}
