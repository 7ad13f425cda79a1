namespace Tracer.Analysis.Latencies;

/// <summary>Gives the histograms of a recorder with what each is of.</summary>
internal static class LatencyGroups
{
    /// <summary>The histograms of all kinds and sources, each with its parts behind it.</summary>
    public static IEnumerable<MeasuredPart> Of(LatencyRecorder recorder, string trace, IReadOnlyList<LatencyDimensions> splits)
    {
        foreach (LatencyKind kind in Enum.GetValues<LatencyKind>())
        {
            foreach (LatencySource source in Enum.GetValues<LatencySource>())
            {
                if (recorder.TableOf(kind, source) is not { } table)
                {
                    continue;
                }

                yield return new MeasuredPart(kind, source, LatencyPart.All, table.All);
                for (int split = 0; split < splits.Count; split++)
                {
                    string? named = splits[split].HasFlag(LatencyDimensions.Trace) ? trace : null;
                    foreach ((LatencyKey key, HdrHistogram histogram) in table.Parts(split))
                    {
                        yield return new MeasuredPart(kind, source, PartOf(recorder, in key, named), histogram);
                    }

                    if (table.Rest(split) is { } rest)
                    {
                        yield return new MeasuredPart(kind, source, RestOf(splits[split], named), rest);
                    }
                }
            }
        }
    }

    public static IEnumerable<LeftOutLatencies> LeftOut(LatencyRecorder recorder) =>
        from why in Enum.GetValues<LatencyLeftOut>()
        from kind in Enum.GetValues<LatencyKind>()
        let count = recorder.LeftOut(kind, why)
        where count > 0
        select new LeftOutLatencies(why, kind, count);

    private static LatencyPart PartOf(LatencyRecorder recorder, in LatencyKey key, string? trace) => new()
    {
        Trace = trace,
        Cpu = key.Cpu >= 0 ? key.Cpu : null,
        Priority = key.Priority >= 0 ? key.Priority : null,
        Group = key.Group >= 0 ? (PriorityGroup)key.Group : null,
        Process = key.Process >= 0 ? recorder.NameOf(key.Process) : null,
        Label = key.Label >= 0 ? recorder.NameOf(key.Label) : null,
    };

    /// <summary>What is beyond the limit of a split is told by which split it is beyond of.</summary>
    private static LatencyPart RestOf(LatencyDimensions split, string? trace) =>
        new() { Trace = trace, RestOf = string.Join('+', Names(split)) };

    private static IEnumerable<string> Names(LatencyDimensions split) => Enum.GetValues<LatencyDimensions>()
        .Where(one => one != LatencyDimensions.None && split.HasFlag(one))
        .Select(KebabCase.Of);
}
