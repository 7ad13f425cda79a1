namespace Tracer.Analysis.Latencies;

/// <summary>
/// Brings together what was measured in several traces, or on several machines: histograms of the same kind, source and part are added,
/// which loses nothing.
/// </summary>
/// <param name="request">What is asked for; reports of other traces may hold more.</param>
public sealed class LatencyMerge(LatencyRequest request)
{
    private readonly List<TraceSummary> _traces = [];
    private readonly Dictionary<(LatencyKind Kind, LatencySource Source, LatencyPart Part), HdrHistogram> _parts = [];
    private readonly List<CallbackIntervals> _callbacks = [];
    private readonly Dictionary<(LatencyLeftOut Why, LatencyKind? Kind), long> _leftOut = [];
    private readonly List<string> _warnings = [];
    private readonly List<ToldRunTimes> _runTimes = [];
    private Duration _measured;

    /// <summary>Whether anything was measured.</summary>
    public bool IsEmpty => _parts.Count == 0 && _callbacks.Count == 0 && _runTimes.Count == 0;

    /// <summary>The histograms of everything of a kind and source, in their order.</summary>
    public IEnumerable<MeasuredPart> Wholes => Parts.Where(part => part.Part == LatencyPart.All);

    /// <summary>All histograms, in the order of the report.</summary>
    public IEnumerable<MeasuredPart> Parts => Sorted();

    public void Add(LatencyFindings findings)
    {
        ArgumentNullException.ThrowIfNull(findings);
        foreach (MeasuredPart part in findings.Parts)
        {
            Add(in part);
        }

        AddRest([findings.Trace], findings.Measured, findings.Callbacks, findings.LeftOut, findings.Warnings);
    }

    /// <summary>Adds how long ISRs and DPCs ran, as one input tells it.</summary>
    /// <param name="warnings">What limits it, one sentence each.</param>
    public void Add(IEnumerable<ToldRunTimes> runTimes, IEnumerable<string> warnings)
    {
        _runTimes.AddRange(runTimes);
        _warnings.AddRange(warnings);
    }

    /// <summary>Adds a report of other traces.</summary>
    /// <returns>What is wrong with it, as the end of a sentence; null where nothing is, and it is added.</returns>
    public string? Add(LatencyReport report)
    {
        ArgumentNullException.ThrowIfNull(report);
        List<MeasuredPart> parts = [];
        foreach (LatencyDistribution distribution in report.Distributions)
        {
            if (LatencyDistributions.HistogramOf(distribution) is not { } histogram)
            {
                return $"the histogram of its distribution {parts.Count + 1} cannot be read, or has other buckets";
            }

            parts.Add(new MeasuredPart(distribution.Kind, distribution.Source, distribution.Part, histogram));
        }

        if (report.Distributions.Sum(one => (double)one.Count) + _parts.Values.Sum(one => (double)one.Count) > long.MaxValue / 2)
        {
            return "it claims more measurements than can be counted";
        }

        foreach (MeasuredPart part in parts.Where(part => request.Wants(part.Kind, part.Source) && IsAsked(part.Part)))
        {
            Add(in part);
        }

        _runTimes.AddRange(report.RunTimes ?? []);
        AddRest(report.Traces, report.Measured, report.Callbacks, report.LeftOut, report.Warnings);
        return null;
    }

    public LatencyReport Report() => new()
    {
        Traces = _traces,
        System = SystemTable.Of(_traces),
        Measured = _measured,
        Distributions =
        [
            .. Sorted().Select(part => LatencyDistributions.Of(part.Kind, part.Source, part.Part, part.Histogram)),
        ],
        Callbacks = _callbacks,
        RunTimes = _runTimes.Count == 0 ? null : _runTimes,
        LeftOut =
        [
            .. _leftOut.OrderBy(one => one.Key.Why).ThenBy(one => one.Key.Kind)
                .Select(one => new LeftOutLatencies(one.Key.Why, one.Key.Kind, one.Value)),
        ],
        Missing = _traces.Count == 0 ? [] : [.. MissingLatencies.Of(request, _parts.Keys.Select(key => key.Kind).ToHashSet(), _traces)],
        Warnings = [.. _warnings.Distinct()],
    };

    private IEnumerable<MeasuredPart> Sorted() => _parts
        .Select(one => new MeasuredPart(one.Key.Kind, one.Key.Source, one.Key.Part, one.Value))
        .OrderBy(part => part.Kind)
        .ThenBy(part => part.Source)
        .ThenBy(part => Order(part.Part))
        .ThenBy(part => part.Part.Trace, StringComparer.Ordinal)
        .ThenBy(part => part.Part.Cpu)
        .ThenBy(part => part.Part.Priority)
        .ThenBy(part => part.Part.Group)
        .ThenBy(part => part.Part.Process, StringComparer.Ordinal)
        .ThenBy(part => part.Part.Label, StringComparer.Ordinal);

    /// <summary>By what is told apart, as a number: the whole first, the rest of a split last.</summary>
    private static int Order(LatencyPart part)
    {
        const int Rest = 1 << 10;
        return (int)DimensionsOf(part) + (part.RestOf is null ? 0 : Rest);
    }

    private static LatencyDimensions DimensionsOf(LatencyPart part) =>
        (part.Trace is null ? 0 : LatencyDimensions.Trace)
        | (part.Cpu is null ? 0 : LatencyDimensions.Cpu)
        | (part.Priority is null ? 0 : LatencyDimensions.Priority)
        | (part.Group is null ? 0 : LatencyDimensions.Group)
        | (part.Process is null ? 0 : LatencyDimensions.Process)
        | (part.Label is null ? 0 : LatencyDimensions.Label);

    private bool IsAsked(LatencyPart part) =>
        part == LatencyPart.All || part.RestOf is not null || request.Splits.Contains(DimensionsOf(part));

    private void Add(in MeasuredPart part)
    {
        if (_parts.TryGetValue((part.Kind, part.Source, part.Part), out HdrHistogram? known))
        {
            known.Add(part.Histogram);
        }
        else
        {
            _parts.Add((part.Kind, part.Source, part.Part), part.Histogram);
        }
    }

    private void AddRest(
        IReadOnlyList<TraceSummary> traces,
        Duration measured,
        IReadOnlyList<CallbackIntervals> callbacks,
        IReadOnlyList<LeftOutLatencies> leftOut,
        IReadOnlyList<string> warnings)
    {
        _traces.AddRange(traces);
        _measured = new Duration((long)Int128.Min((Int128)_measured.Nanoseconds + Math.Max(0, measured.Nanoseconds), long.MaxValue));
        _callbacks.AddRange(callbacks);
        foreach (LeftOutLatencies one in leftOut)
        {
            long known = _leftOut.GetValueOrDefault((one.Why, one.Kind));
            _leftOut[(one.Why, one.Kind)] = (long)Int128.Min((Int128)known + Math.Max(0, one.Count), long.MaxValue);
        }

        _warnings.AddRange(warnings);
    }
}
