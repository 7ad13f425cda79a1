using Tracer.Analysis.Latencies;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>What distributions are called in text for people.</summary>
internal static class LatencyWords
{
    /// <summary>The name of a kind: <c>DPC interrupt latency</c>.</summary>
    public static string Of(LatencyKind kind) => kind switch
    {
        LatencyKind.Interrupt => "interrupt latency",
        LatencyKind.Dpc => "DPC latency",
        LatencyKind.DpcInterrupt => "DPC interrupt latency",
        LatencyKind.Thread => "thread latency",
        LatencyKind.Response => "response of jobs",
        LatencyKind.Lost => "time lost by jobs",
        _ => "thread interrupt latency",
    };

    /// <summary>What measured it, behind a kind: <c>from ReadyThread to switch</c>.</summary>
    public static string Of(LatencySource source) => source switch
    {
        LatencySource.Driver => "measured by our driver",
        LatencySource.Probe => "measured by our probe process",
        LatencySource.ReadyThread => "from ReadyThread to switch",
        LatencySource.DpcQueue => "from DPC queue to run",
        LatencySource.Switch => "by context switches alone",
        _ => "from DPC queue to run, of DPCs that may be left waiting by design",
    };

    /// <summary>Who tells run times, before the name of the file: <c>by the report of LatencyMon</c>.</summary>
    public static string Of(RunTimeSource source) => source switch
    {
        RunTimeSource.Trace => "counted as xperf does in",
        RunTimeSource.Xperf => "by the text of xperf",
        _ => "by the report of LatencyMon",
    };

    /// <summary>A kind and source as the options name them.</summary>
    public static string Of(MeasuredPart part) => $"{KebabCase.Of(part.Kind)} of {KebabCase.Of(part.Source)}";

    public static string Of(LatencyPart part)
    {
        if (part == LatencyPart.All)
        {
            return "all";
        }

        List<string> words = [];
        Add(part.Trace, name => name);
        Add(part.Cpu, cpu => $"CPU {cpu}");
        Add(part.Priority, priority => $"priority {priority}");
        if (part.Group is { } group)
        {
            words.Add(Of(group));
        }

        Add(part.Process, name => name.Length > 0 ? name : "unknown process");
        Add(part.Label, name => name.Length > 0 ? $"\"{name}\"" : "before the first mark");
        Add(part.RestOf, split => $"all beyond {LatencyRequest.MostParts} by {split}");
        return string.Join(", ", words);

        void Add<T>(T? value, Func<T, string> of)
        {
            if (value is not null)
            {
                words.Add(of(value));
            }
        }
    }

    public static string Of(PriorityGroup group) => group switch
    {
        PriorityGroup.Normal => "normal (0-15)",
        PriorityGroup.RealTimeLow => "real-time low (16-23)",
        PriorityGroup.RealTimeMedium => "real-time medium (24-27)",
        _ => "real-time high (28-31)",
    };

    /// <summary>Why measurements were left out.</summary>
    public static string Of(LatencyLeftOut why) => why switch
    {
        LatencyLeftOut.LostEvents => "records are missing between start and end",
        LatencyLeftOut.Recorder => "the machine slept, or the recorder was at work",
        LatencyLeftOut.PowerState => "a change of the power state spoilt the measurement",
        LatencyLeftOut.NoRoom => "the driver or the reader had no room for them",
        LatencyLeftOut.UnknownTick => "nothing tells the clock tick that should have served the timer",
        LatencyLeftOut.OnlyLate => "only what was late by the threshold was recorded, so percentages are not known",
        _ => "they make no sense: an end before the start, or hours after it",
    };
}
