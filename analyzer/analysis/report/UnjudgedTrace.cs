using Tracer.Analysis.Request;

namespace Tracer.Analysis.Report;

/// <summary>
/// Answers for traces from which nothing about latency follows, whatever their events. Without a clock nothing has a length; without CPU
/// numbers it is not known what delayed what. The report says so, with the reason, instead of a verdict.
/// </summary>
public static class UnjudgedTrace
{
    /// <summary>Why the time stamps of a trace cannot be turned into times; null where they can.</summary>
    public static string? WhyWithoutClock(EtlReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        return reader switch
        {
            { IsClockKnown: true } => null,
            { HasHeader: false } => "its first buffer, which tells the clock, cannot be read",
            { Header.IsClockRateKnown: false } => "its header gives the clock no rate",
            _ => $"its header names a clock that is not known ({reader.Header.UnknownClockKind})",
        };
    }

    /// <summary>The report about such a trace; null where the trace can be judged.</summary>
    /// <param name="losses">Where events may be missing.</param>
    internal static BlameResult? Answer(EtlReader reader, BlameRequest request, TraceSummary summary, IReadOnlyList<TraceLoss> losses)
    {
        string? clock = WhyWithoutClock(reader);
        bool hasCpus = !reader.Header.Mode.HasFlag(EtlLogFileMode.NoPerProcessorBuffering);
        if (clock is null && hasCpus)
        {
            return null;
        }

        List<string> warnings = [.. summary.Doubts ?? []];
        if (clock is not null)
        {
            warnings.Add("Without the clock, time stamps give an order but no lengths: no latency, no period and no rate is known. "
                + "'analyzer dump' lists the events with their raw time stamps.");
        }

        if (!hasCpus)
        {
            warnings.Add("CPUs are not told apart: the session had one stream of buffers for all of them (EVENT_TRACE_NO_PER_PROCESSOR_"
                + "BUFFERING), so no event tells where it happened. Record without that mode.");
        }

        if (summary is not { EventsLost: 0, BuffersLost: 0, DamagedBuffers: 0, Truncated: false } || losses.Count > 0)
        {
            warnings.Add("Records are missing.");
        }

        return new BlameResult(
            new BlameReport
            {
                Trace = summary,
                Settings = AskedSettings.Of(request),
                Summary = new BlameSummary
                {
                    Verdict = Verdict.Unknown,
                    Culprit = null,
                    Conclusion = clock is not null
                        ? $"This trace can't tell: its clock is not known, because {clock}."
                        : "This trace can't tell: it does not tell its CPUs apart.",
                    Probes = 0,
                    Episodes = 0,
                    Worst = null,
                    OverThreshold = Duration.Zero,
                },
                Culprits = [],
                Cleared = [],
                Episodes = [],
                Drivers = [],
                Warnings = warnings,
            },
            []);
    }
}
