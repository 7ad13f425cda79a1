using System.Text;
using Tracer.Analysis.Slicing;
using Tracer.Capture.Engine;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Doctor;

/// <summary>What the self-test looks for in a file of a session.</summary>
public sealed record TraceContents
{
    public long Events { get; init; }

    /// <summary>Those of the Tracer provider that bring their schema, by the process that logged them.</summary>
    public IReadOnlyDictionary<uint, long> Tracer { get; init; } = new Dictionary<uint, long>();

    /// <summary>Wake-ups that a driver measured, in whichever process it did so; those of any probe process are not among them.</summary>
    public long DriverWakeups { get; init; }

    /// <summary>Time stamp of the oldest event.</summary>
    public long FirstTicks { get; init; }

    /// <summary>Time stamp of the newest event.</summary>
    public long LastTicks { get; init; }

    /// <summary>Groups of the recorder that any machine that runs logs, and of which there is nothing; by name.</summary>
    public IReadOnlyList<string> Silent { get; init; } = [];

    /// <summary>Whether there are enough events to conclude that a group is silent.</summary>
    public bool TellsSilent { get; init; }

    /// <summary>Stacks of each kind that the recorder asks for.</summary>
    public IReadOnlyDictionary<StackRequest, long> Stacks { get; init; } = new Dictionary<StackRequest, long>();

    /// <summary>Kinds of which enough events came to conclude that they have no stack.</summary>
    public IReadOnlyList<StackRequest> WithoutStack { get; init; } = [];

    public int KernelImages { get; init; }

    /// <summary>Records that describe the machine.</summary>
    public int Configuration { get; init; }

    /// <summary>Events and buffers that the session counts as lost.</summary>
    public long Lost { get; init; }
}

public static class TraceCount
{
    public static TraceContents Of(string path)
    {
        using var reader = EtlReader.Open(path);
        var counter = new Counter();
        reader.Read(EtlOrder.Any, ref counter);
        var arrivals = ArrivalSurvey.Of(reader);
        var survey = RundownSurvey.Of(reader, new HeaderRecords());
        return new TraceContents
        {
            Events = counter.Events,
            Tracer = counter.Tracer,
            DriverWakeups = counter.DriverWakeups,
            FirstTicks = arrivals.FirstTicks,
            LastTicks = arrivals.LastTicks,
            Silent = [.. arrivals.Silent(RecordedEvents.MasksOf(RecordedEvents.Recorder)).Select(static one => one.Name)],
            TellsSilent = arrivals.TellsSilent,
            Stacks = RecordedEvents.Stacks.ToDictionary(static one => one, arrivals.StacksOf),
            WithoutStack = arrivals.WithoutStack(RecordedEvents.Stacks),
            KernelImages = survey.Images.Count,
            Configuration = survey.Configuration.Count,
            Lost = (long)reader.Header.EventsLost + reader.Header.BuffersLost,
        };
    }

    private struct Counter() : IEtlEventSink
    {
        private static readonly byte[] Wakeup = Encoding.UTF8.GetBytes(TracerProvider.Wakeup.Name);

        public long Events;
        public long DriverWakeups;

        public Dictionary<uint, long> Tracer { get; } = [];

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            if (traceEvent.IsEventHeader && traceEvent.ProviderId == TracerProvider.Id
                && OwnTally.TryFindSchema(in traceEvent, out ReadOnlySpan<byte> schema))
            {
                Tracer[traceEvent.ProcessId] = Tracer.GetValueOrDefault(traceEvent.ProcessId) + 1;
                DriverWakeups += OwnTally.NameOf(schema).SequenceEqual(Wakeup)
                    && WakeupEvent.TryRead(traceEvent.Payload, isVersion1: true, out WakeupEvent wakeup)
                    && wakeup.Mode != (byte)ProbeMode.Wakeup ? 1 : 0;
            }

            return true;
        }
    }
}
