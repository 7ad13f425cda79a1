using Tracer.Analysis.Slicing;
using Tracer.Capture.Engine;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Doctor;

/// <summary>What the self-test looks for in a file of a session.</summary>
public sealed record TraceContents
{
    public long Events { get; init; }

    /// <summary>Those of the Tracer provider that bring their schema.</summary>
    public long Tracer { get; init; }

    /// <summary>Time stamp of the oldest event.</summary>
    public long FirstTicks { get; init; }

    /// <summary>Groups of the recorder that any machine that runs logs, and of which there is nothing; by name.</summary>
    public IReadOnlyList<string> Silent { get; init; } = [];

    /// <summary>Whether there are enough events to conclude that a group is silent.</summary>
    public bool TellsSilent { get; init; }

    /// <summary>Stacks of each kind that the recorder asks for.</summary>
    public IReadOnlyDictionary<StackRequest, long> Stacks { get; init; } = new Dictionary<StackRequest, long>();

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
        Counter counter = default;
        reader.Read(EtlOrder.Any, ref counter);
        var arrivals = ArrivalSurvey.Of(reader);
        var survey = RundownSurvey.Of(reader, new HeaderRecords());
        return new TraceContents
        {
            Events = counter.Events,
            Tracer = counter.Tracer,
            FirstTicks = arrivals.FirstTicks,
            Silent = [.. arrivals.Silent(RecordedEvents.MasksOf(RecordedEvents.Recorder)).Select(static one => one.Name)],
            TellsSilent = arrivals.TellsSilent,
            Stacks = RecordedEvents.Stacks.ToDictionary(static one => one, arrivals.StacksOf),
            KernelImages = survey.Images.Count,
            Configuration = survey.Configuration.Count,
            Lost = (long)reader.Header.EventsLost + reader.Header.BuffersLost,
        };
    }

    private static bool HasSchema(in EtlEvent traceEvent)
    {
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema)
            {
                return true;
            }
        }

        return false;
    }

    private struct Counter : IEtlEventSink
    {
        public long Events;
        public long Tracer;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            Tracer += traceEvent.IsEventHeader && traceEvent.ProviderId == TracerProvider.Id && HasSchema(in traceEvent) ? 1 : 0;
            return true;
        }
    }
}
