using Tracer.Analysis.Latencies;

namespace Tracer.AnalyzerCommand.Common.Copies;

/// <summary>
/// Which recordings the latencies of an input are of, and what they add up to: two reports may be of the same recording, or a report of a
/// trace that is there, too.
/// </summary>
internal sealed class ToldLatencies
{
    private readonly HashSet<string> _recordings;
    private readonly TraceSummary[] _traces;
    private readonly Dictionary<(LatencyKind Kind, LatencySource Source), (long Count, Duration Longest, Duration Sum)> _sums = [];
    private readonly bool _isTrace;

    /// <param name="findings">What was measured in a trace.</param>
    public ToldLatencies(string path, LatencyFindings findings)
        : this(path, isTrace: true, [findings.Trace], findings.Parts
            .Where(part => part.Part == LatencyPart.All)
            .Select(part => LatencyDistributions.Of(part.Kind, part.Source, part.Part, part.Histogram)))
    {
    }

    /// <param name="report">What was measured before, in one trace or several.</param>
    public ToldLatencies(string path, LatencyReport report)
        : this(path, isTrace: false, report.Traces, report.Distributions.Where(one => one.Part == LatencyPart.All))
    {
    }

    private ToldLatencies(string path, bool isTrace, IEnumerable<TraceSummary> traces, IEnumerable<LatencyDistribution> wholes)
    {
        Path = path;
        _isTrace = isTrace;
        _traces = [.. traces];
        _recordings = [.. _traces.Select(trace => ToldRecording.Id(trace, computer: null))];
        foreach (LatencyDistribution one in wholes)
        {
            _sums[(one.Kind, one.Source)] = (one.Count, one.Maximum, one.Total);
        }
    }

    public string Path { get; }

    /// <summary>Separates the inputs whose latencies count from those that others hold, too.</summary>
    /// <returns>What does not count, in the order of the inputs.</returns>
    /// <exception cref="IOException">Two of them have some latencies in common, which cannot be taken apart.</exception>
    public static IEnumerable<InputCopy> Among(IReadOnlyList<ToldLatencies> inputs)
    {
        List<InputCopy> copies = [];
        for (int i = 0; i < inputs.Count; i++)
        {
            // Of two that hold the same a trace counts, of which more can be told than of its report, or else the earlier one.
            ToldLatencies? holder = inputs.Where((other, index) => index != i && inputs[i].Shares(other) && inputs[i].IsIn(other)
                && (!other.IsIn(inputs[i]) || other._isTrace || (index < i && !inputs[i]._isTrace))).FirstOrDefault();
            if (holder is not null)
            {
                copies.Add(new InputCopy(inputs[i].Path, holder.Path));
            }
            else if (inputs.FirstOrDefault(inputs[i].IsPartOf) is { } whole)
            {
                copies.Add(new InputCopy(inputs[i].Path, whole.Path) { IsPart = true });
            }
        }

        ToldLatencies[] counting = [.. inputs.Where(input => copies.TrueForAll(copy => copy.Path != input.Path))];
        for (int i = 1; i < counting.Length; i++)
        {
            if (counting.Take(i).FirstOrDefault(counting[i].Shares) is { } other)
            {
                throw new IOException($"{other.Path} and {counting[i].Path} have latencies of the same recording, which would count "
                    + "twice, and others besides: measure each trace once");
            }
        }

        return copies;
    }

    /// <summary>Whether some of its latencies are another's, too. What two traces hold is told by the files themselves.</summary>
    private bool Shares(ToldLatencies other) =>
        !(_isTrace && other._isTrace)
        && _recordings.Overlaps(other._recordings)
        && _sums.Keys.Any(other._sums.ContainsKey)
        && (!_recordings.SetEquals(other._recordings)
            || _sums.All(one => !other._sums.ContainsKey(one.Key) || other._sums[one.Key] == one.Value));

    /// <summary>Whether all of its latencies are of slices of what another holds, one of them at least a report.</summary>
    private bool IsPartOf(ToldLatencies other) => other != this && !(_isTrace && other._isTrace) && _traces.Length > 0
        && Array.TrueForAll(_traces, part => Array.Exists(other._traces, whole => ToldRecording.IsPart(part, whole)))
        && _sums.Keys.All(other._sums.ContainsKey);

    private bool IsIn(ToldLatencies other) =>
        _recordings.IsSubsetOf(other._recordings) && _sums.Keys.All(other._sums.ContainsKey);
}
