using Google.Protobuf;
using Tracer.AnalyzerCommand.Perfetto;
using Cause = Tracer.Contract.Cause;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// Writes a trace of perfetto: a track for each CPU with threads, DPCs and ISRs within each other, counters, wake-ups, episodes, and flows
/// from interrupt to DPC to wake-up to run. Packets leave as they come; their reader sorts them by time.
/// </summary>
internal sealed class PerfettoTrace : IScheduleWriter
{
    private const uint Sequence = 1;
    private const uint StateCleared = 1;
    private const uint NeedsState = 2;
    private const uint BootTimeClock = 6;
    private const uint RealTimeClock = 1;
    private const int OrderedByRank = 3;
    private const int MostNames = 1 << 18;

    /// <summary>100 ns from 1601 to 1970.</summary>
    private const long UnixFileTime = 116_444_736_000_000_000;

    private const ulong EpisodesTrack = 1;
    private const ulong FirstEpisodeTrack = 0x1_0000_0000;
    private const ulong FirstCpuTrack = 0x100;
    private const ulong TracksOfCpu = 4;

    private readonly ExportedTrace _trace;
    private readonly CodedOutputStream _output;
    private readonly long _originNanoseconds;
    private readonly Dictionary<string, ulong> _names = new(StringComparer.Ordinal);
    private readonly Dictionary<string, ulong> _categories = new(StringComparer.Ordinal);
    private readonly HashSet<ulong> _tracks = [];
    private InternedData? _new;
    private bool _isBegun;

    private PerfettoTrace(ExportedTrace trace, CodedOutputStream output)
    {
        (_trace, _output) = (trace, output);

        // Times in the format are not negative: they count from the header event, or from an event before it.
        long first = trace.Facts.Cpus.Where(cpu => cpu.FirstTicks > 0).Select(cpu => Nanoseconds(cpu.FirstTicks)).DefaultIfEmpty(0).Min();
        _originNanoseconds = Math.Min(first, trace.Reader.Header.Clock.NanosecondsFromHeader(trace.Reader.Header.Clock.HeaderTicks));
    }

    /// <param name="content">Takes the bytes.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static void Write(ExportedTrace trace, Stream content)
    {
        using var output = new CodedOutputStream(content, bufferSize: 1 << 16, leaveOpen: true);
        var perfetto = new PerfettoTrace(trace, output);
        perfetto.WriteClocks();
        perfetto.WriteEpisodes();
        trace.ReadSchedule(perfetto);
        output.Flush();
    }

    public void Open(CpuSpan span)
    {
        TrackEvent begin = Event(TrackEvent.Types.Type.SliceBegin, CpuTrack(span.Cpu));
        Name(begin, _trace.Names.Span(span));
        begin.CategoryIids.Add(Category(span.Kind == CpuSpanKind.Thread ? "thread" : span.Kind is CpuSpanKind.Isr or CpuSpanKind.PassiveIsr
            ? "isr"
            : "dpc"));
        if (span.Kind == CpuSpanKind.Thread)
        {
            begin.DebugAnnotations.Add(Number("priority", span.Priority));
            if (span.ReadyTicks is { } ready)
            {
                begin.DebugAnnotations.Add(Number("waited ns", _trace.Clock.NanosecondsOf(span.StartTicks - ready)));
            }
        }
        else if (span.Vector is { } vector)
        {
            begin.DebugAnnotations.Add(Number("vector", vector));
        }

        if (span.FlowsOut is { } leaving)
        {
            begin.FlowIds.AddRange(leaving);
        }

        if (span.FlowsIn is { } arriving)
        {
            begin.TerminatingFlowIds.AddRange(arriving);
        }

        Send(begin, span.StartTicks);
    }

    public void Close(CpuSpan span) => Send(Event(TrackEvent.Types.Type.SliceEnd, CpuTrack(span.Cpu)), span.EndTicks);

    public void Ready(int cpu, long ticks, uint threadId, ulong flow)
    {
        TrackEvent ready = Event(TrackEvent.Types.Type.Instant, Track(cpu, 1, $"CPU {cpu} makes ready"));
        Name(ready, "ready " + _trace.Names.Thread(threadId, ticks));
        ready.CategoryIids.Add(Category("ready"));
        ready.FlowIds.Add(flow);
        Send(ready, ticks);
    }

    public void Idle(int cpu, long ticks, uint? state) =>
        Count(Track(cpu, 2, $"CPU {cpu} idle state, 0 for none", "state"), ticks, state is { } entered ? entered + 1L : 0);

    public void Speed(int cpu, long ticks, uint frequency) =>
        Count(Track(cpu, 3, $"CPU {cpu} frequency", "as recorded"), ticks, frequency);

    private long Nanoseconds(long ticks) => _trace.Reader.Header.Clock.NanosecondsFromHeader(ticks);

    private ulong CpuTrack(int cpu) => Track(cpu, 0, $"CPU {cpu}");

    private ulong Track(int cpu, ulong part, string name, string? unit = null)
    {
        ulong own = FirstCpuTrack + ((ulong)cpu * TracksOfCpu) + part;
        if (_tracks.Add(own))
        {
            var track = new TrackDescriptor { Uuid = own, Name = name, SiblingOrderRank = (int)own };
            if (unit is not null)
            {
                track.Counter = new CounterDescriptor { UnitName = unit };
            }

            Send(new TracePacket { TrackDescriptor = track });
        }

        return own;
    }

    private void WriteClocks()
    {
        Send(new TracePacket { TrackDescriptor = new TrackDescriptor { Uuid = 0, ChildOrdering = OrderedByRank } });
        long start = _trace.Reader.Header.Clock.StartFileTime;
        if (start <= UnixFileTime)
        {
            return;
        }

        const long NanosecondsOfUnit = 100;
        Int128 unix = ((Int128)(start - UnixFileTime) * NanosecondsOfUnit) + _originNanoseconds;
        if (unix > 0 && unix <= long.MaxValue)
        {
            var clocks = new ClockSnapshot();
            clocks.Clocks.Add(new ClockSnapshot.Types.Clock { ClockId = BootTimeClock, Timestamp = 0 });
            clocks.Clocks.Add(new ClockSnapshot.Types.Clock { ClockId = RealTimeClock, Timestamp = (ulong)unix });
            Send(new TracePacket { ClockSnapshot = clocks, Timestamp = 0 });
        }
    }

    /// <summary>Those that overlap go to tracks of their own, because spans of one track lie within each other.</summary>
    private void WriteEpisodes()
    {
        List<long> ends = [];
        foreach (Episode episode in _trace.Report.Episodes.OrderBy(one => one.Start).ThenBy(one => one.Id))
        {
            long start = (episode.Start + (_trace.Report.Settings.Zero ?? Duration.Zero)).Nanoseconds;
            long end = start + (episode.End - episode.Start).Nanoseconds;
            int lane = ends.FindIndex(one => one <= start);
            if (lane < 0)
            {
                lane = ends.Count;
                ends.Add(0);
            }

            ends[lane] = end;
            ulong track = EpisodeTrack(lane);
            TrackEvent begin = Event(TrackEvent.Types.Type.SliceBegin, track);
            begin.Name = $"{episode.Latency}: {(episode.Causes.Count > 0 ? episode.Causes[0].Culprit : null) ?? ExportNames.Unknown}";
            begin.CategoryIids.Add(Category("episode"));
            begin.DebugAnnotations.Add(Number("episode", episode.Id));
            if (episode.Cpu is { } cpu)
            {
                begin.DebugAnnotations.Add(Number("cpu", cpu));
            }

            if (episode.Thread is { } victim)
            {
                begin.DebugAnnotations.Add(Text("victim", $"{victim.Process ?? ExportNames.Unknown} thread {victim.Tid}"));
            }

            foreach (Cause cause in episode.Causes)
            {
                begin.DebugAnnotations.Add(Text(
                    $"{cause.Culprit ?? ExportNames.Unknown}, {KebabCase.Of(cause.Mechanism)}",
                    cause.Routine is null ? cause.Time.ToString() : $"{cause.Time} in {cause.Routine}"));
            }

            if (episode.Job is { } job)
            {
                begin.DebugAnnotations.Add(Text("work", job.Work.ToString()));
                begin.DebugAnnotations.Add(Text("lost", job.Lost.ToString()));
                if (job.Deadline is { } deadline)
                {
                    begin.DebugAnnotations.Add(Text(
                        "deadline", job.End > deadline ? $"missed by {job.End - deadline}" : $"kept, {deadline - job.End} before it"));
                }
            }

            SendAt(begin, start);
            SendAt(Event(TrackEvent.Types.Type.SliceEnd, track), end);
        }

        foreach (Glitch glitch in _trace.Report.Glitches ?? [])
        {
            TrackEvent one = Event(TrackEvent.Types.Type.Instant, EpisodeTrack(0));
            one.Name = $"glitch {glitch.Number}: {glitch.Says}";
            one.CategoryIids.Add(Category("glitch"));
            SendAt(one, (glitch.At + (_trace.Report.Settings.Zero ?? Duration.Zero)).Nanoseconds);
        }
    }

    private ulong EpisodeTrack(int lane)
    {
        if (_tracks.Add(EpisodesTrack))
        {
            Send(new TracePacket
            {
                TrackDescriptor = new TrackDescriptor { Uuid = EpisodesTrack, Name = "Episodes", SiblingOrderRank = (int)EpisodesTrack },
            });
        }

        ulong own = FirstEpisodeTrack + (ulong)lane;
        if (_tracks.Add(own))
        {
            Send(new TracePacket
            {
                TrackDescriptor = new TrackDescriptor { Uuid = own, Name = "Episodes", ParentUuid = EpisodesTrack },
            });
        }

        return own;
    }

    private void Count(ulong track, long ticks, long value)
    {
        TrackEvent count = Event(TrackEvent.Types.Type.Counter, track);
        count.CounterValue = value;
        Send(count, ticks);
    }

    private static TrackEvent Event(TrackEvent.Types.Type type, ulong track) => new() { Type = type, TrackUuid = track };

    private static DebugAnnotation Number(string name, long value) => new() { Name = name, IntValue = value };

    private static DebugAnnotation Text(string name, string value) => new() { Name = name, StringValue = value };

    private void Name(TrackEvent begun, string name)
    {
        if (!_names.TryGetValue(name, out ulong id))
        {
            if (_names.Count >= MostNames)
            {
                begun.Name = name;
                return;
            }

            id = (ulong)_names.Count + 1;
            _names.Add(name, id);
            (_new ??= new InternedData()).EventNames.Add(new InternedName { Iid = id, Name = name });
        }

        begun.NameIid = id;
    }

    private ulong Category(string name)
    {
        if (!_categories.TryGetValue(name, out ulong id))
        {
            id = (ulong)_categories.Count + 1;
            _categories.Add(name, id);
            (_new ??= new InternedData()).EventCategories.Add(new InternedName { Iid = id, Name = name });
        }

        return id;
    }

    private void Send(TrackEvent one, long ticks) => SendAt(one, Nanoseconds(ticks));

    private void SendAt(TrackEvent one, long nanoseconds)
    {
        Send(new TracePacket
        {
            Timestamp = (ulong)Math.Max(0, nanoseconds - _originNanoseconds),
            TrackEvent = one,
            InternedData = _new,
        });
        _new = null;
    }

    private void Send(TracePacket packet)
    {
        packet.TrustedPacketSequenceId = Sequence;
        packet.SequenceFlags = _isBegun ? NeedsState : StateCleared;
        _isBegun = true;
        _output.WriteTag(Perfetto.Trace.PacketFieldNumber, WireFormat.WireType.LengthDelimited);
        _output.WriteMessage(packet);
    }
}
