using Tracer.Analysis.Clocks;
using Tracer.Analysis.Facts;
using Tracer.Etl.Decoding;

namespace Tracer.Analysis.Contents;

/// <summary>
/// What a trace holds: the kinds of its events, the machine, its load. Accepts the events in any order; memory is bounded.
/// </summary>
public sealed class TraceContents
{
    /// <summary>So many parts of a file are counted at a time; a number of its own, so that counts depend on no machine.</summary>
    private const int Counters = 4;

    /// <summary>
    /// Gaps are believed only if at most one context switch in this many is missing. With more missing, a CPU without records need not have
    /// been silent.
    /// </summary>
    internal const int MostBrokenOf = 100;

    private readonly EventClassCounts _counts = new();
    private readonly MachineFacts _machine = new();
    private readonly EventDecoder _decoder;
    private TraceRates _rates = new(long.MaxValue / 60);
    private long _firstTicks = long.MaxValue;
    private long _lastTicks = long.MinValue;
    private long _events;
    private long _shortIntervals;
    private bool _withRates = true;
    private (long Ticks, long Interval100ns)? _sampleInterval;

    /// <param name="messages">Loads the formats of WPP messages; called only if there are such messages, may return null.</param>
    public TraceContents(Func<TmfCatalog?> messages)
    {
        _decoder = new EventDecoder(messages);
    }

    /// <summary>The computer's name, which reports do not print; null where not recorded.</summary>
    public string? Computer => _machine.Computer;

    public long Events => _events;

    /// <summary>Earliest time stamp, in ticks; null where there are no events.</summary>
    public long? FirstTicks => _firstTicks > _lastTicks ? null : _firstTicks;

    /// <summary>Latest time stamp, in ticks; null where there are no events.</summary>
    public long? LastTicks => _firstTicks > _lastTicks ? null : _lastTicks;

    /// <summary>The machine, as far as the trace describes it.</summary>
    public MachineSummary Machine => _machine.Summary;

    /// <summary>Processors as the kernel counts them in its own record; null where there is none.</summary>
    internal int? Processors => _machine.Processors;

    /// <summary>The highest CPU that has buffers, plus one.</summary>
    internal int CpusSeen { get; private set; }

    /// <summary>CPUs whose clocks disagree with the others; null where the clocks agree as far as the trace tells.</summary>
    internal ClockDisagreement? Clocks { get; private set; }

    /// <summary>Build number of the operating system in its own records, which merging adds; null where there is none.</summary>
    internal int? OsBuild => _machine.OsBuild;

    /// <summary>Interval of the profile samples in units of 100 ns, as last set; null where the trace does not give it.</summary>
    public long? SampleInterval100ns => _sampleInterval?.Interval100ns;

    /// <summary>Time in interrupt service routines, over all CPUs, in ticks; interrupts nested in them are included.</summary>
    public long IsrTicks => _rates.IsrTicks;

    /// <summary>Time in deferred procedure calls, over all CPUs, in ticks; interrupts nested in them are included.</summary>
    public long DpcTicks => _rates.DpcTicks;

    /// <summary>Profile samples that did not hit an idle thread.</summary>
    public long BusySamples => _rates.BusySamples;

    /// <summary>Events whose payload is shorter than their version requires.</summary>
    public long ShortPayloads => _rates.ShortPayloads + _shortIntervals;

    /// <summary>Number of CPUs with context switches.</summary>
    public int SwitchingCpus => _rates.Idle.Count(idle => idle is not null);

    /// <summary>
    /// Whether so many context switches are missing that a CPU without records need not have been silent; false where the load is not
    /// wanted.
    /// </summary>
    internal bool MissesSwitches =>
        _rates.Idle.Sum(idle => idle?.Broken ?? 0) * MostBrokenOf > _rates.Idle.Sum(idle => idle?.Switches ?? 0);

    /// <summary>Windows' own records that something was late.</summary>
    public GlitchRecords Glitches { get; private set; } = new(default);

    internal EventClassCounts Counts => _counts;

    internal EventDecoder Decoder => _decoder;

    /// <summary>Reads a whole trace, in the fastest order.</summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public void Read(IEtlReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var sink = new Sink(this);
        if (reader is EtlReader { CanReadAgain: true } file)
        {
            ClockDisagreement? clocks = ClockOffsets.Settle(file);
            Begin(reader.Header, withRates: false);
            Settled(file, clocks);
            ContentsCounter[] counters = [.. Enumerable.Range(0, Counters).Select(_ => new ContentsCounter(reader.Header.Clock))];
            file.ReadCounting(counters, ref sink);
            foreach (ContentsCounter counter in counters)
            {
                Add(counter);
            }
        }
        else
        {
            Begin(reader.Header, withRates: true);
            reader.Read(EtlOrder.Any, ref sink);
        }

        End(reader.Health);
    }

    /// <returns>The event's hook id, also where it has a classic header; null for an event that is not the kernel's.</returns>
    public ushort? Add(in EtlEvent traceEvent)
    {
        _events++;
        _counts.Add(in traceEvent);
        long ticks = traceEvent.TimestampTicks;
        if (ticks != 0 || traceEvent.Kind != EtlHeaderKind.Message)
        {
            _firstTicks = Math.Min(_firstTicks, ticks);
            _lastTicks = Math.Max(_lastTicks, ticks);
        }

        if (traceEvent.IsKernelHook)
        {
            if (_withRates || !TraceRates.IsFrequent(traceEvent.HookId))
            {
                AddKernel(in traceEvent, traceEvent.HookId);
            }

            return traceEvent.HookId;
        }

        _decoder.Learn(in traceEvent);
        Glitches.Add(in traceEvent);
        _machine.AddBuild(in traceEvent);
        if (KernelHook.Of(in traceEvent) is { } hookId)
        {
            AddKernel(in traceEvent, hookId);
            return hookId;
        }

        return null;
    }

    /// <summary>Adds events of a known kind that were counted elsewhere; see <see cref="FrequentCounts"/>.</summary>
    internal void Add(ushort hookId, EtlHeaderKind kind, ushort version, long count, long bytes)
    {
        _events += count;
        _counts.Add(hookId, kind, version, count, bytes);
    }

    /// <summary>Extends the time range to that of events counted elsewhere.</summary>
    internal void Widen(long firstTicks, long lastTicks)
    {
        _firstTicks = Math.Min(_firstTicks, firstTicks);
        _lastTicks = Math.Max(_lastTicks, lastTicks);
    }

    /// <summary>Prepares for a reading that serves other purposes too: sets what must be known before the first event.</summary>
    /// <param name="withRates">Whether the load is wanted too: busy time, ISR and DPC time.</param>
    internal void Begin(EtlFileHeader header, bool withRates)
    {
        _rates = new TraceRates(header.Clock.TicksPerSecond);
        _withRates = withRates;
        Glitches = new GlitchRecords(header.Clock);
    }

    /// <summary>Notes what was settled before the first event.</summary>
    internal void Settled(EtlReader reader, ClockDisagreement? clocks)
    {
        CpusSeen = reader.Cpus is [.., var highest] ? highest + 1 : 0;
        Clocks = clocks;
    }

    /// <summary>Reports oddities to a reading's health, after the last event.</summary>
    internal void End(TraceHealth health)
    {
        health.Add(HealthCounter.ShortPayloads, ShortPayloads);
        Glitches.Complete();
    }

    /// <summary>How long all CPUs together were idle, in ticks, from their context switches.</summary>
    /// <returns>Null where there are none, or some are missing.</returns>
    public long? IdleTicks(long firstTicks, long lastTicks)
    {
        long? sum = null;
        foreach (IdleTime? idle in _rates.Idle)
        {
            if (idle is null)
            {
                continue;
            }

            if (idle.Ticks(firstTicks, lastTicks) is not { } ticks)
            {
                return null;
            }

            sum = (sum ?? 0) + ticks;
        }

        return sum;
    }

    private void Add(ContentsCounter counter)
    {
        _rates.Add(counter.Rates);
        Widen(counter.Kinds.FirstTicks, counter.Kinds.LastTicks);
        foreach ((ushort hookId, EtlHeaderKind kind, ushort version, long count, long bytes) in counter.Kinds.All)
        {
            Add(hookId, kind, version, count, bytes);
        }
    }

    private void AddKernel(in EtlEvent traceEvent, ushort hookId)
    {
        if (_rates.TryAdd(in traceEvent, hookId))
        {
            return;
        }

        switch (hookId)
        {
            case KernelHook.SetInterval or KernelHook.CollectionStart
                when SampleIntervalRecord.TryRead(in traceEvent, out SampleIntervalRecord interval):
                // The events come in the order of the file: the change with the latest time stamp counts, not the one read last.
                if (interval.Source == 0 && interval.NewInterval > 0
                    && (_sampleInterval is not { } known || (traceEvent.TimestampTicks, (long)interval.NewInterval).CompareTo(known) > 0))
                {
                    _sampleInterval = (traceEvent.TimestampTicks, interval.NewInterval);
                }

                break;
            case KernelHook.SetInterval or KernelHook.CollectionStart:
                _shortIntervals++;
                break;
            default:
                if (hookId >> 8 == (int)KernelGroup.SystemConfig || hookId == KernelHook.HypercallPage)
                {
                    _machine.Add(in traceEvent, hookId);
                }

                break;
        }
    }

    private readonly struct Sink(TraceContents contents) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            contents.Add(in traceEvent);
            return true;
        }
    }
}
