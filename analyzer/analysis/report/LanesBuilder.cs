using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Report;

/// <summary>Gives names to what ran around the worst episodes, and puts it into the tables and lists of the lanes.</summary>
internal sealed class LanesBuilder(BlameFindings findings, CauseNaming naming, SpanNames spans)
{
    /// <summary>Episodes with lanes: more than a reader looks at.</summary>
    private const int MostEpisodes = 300;

    /// <summary>Spans of all lanes together: they take about five bytes each in the file.</summary>
    private const int MostSpans = 100_000;

    /// <summary>Nodes of the tree of code: one more routine for each sample would be no tree.</summary>
    private const int MostNodes = 20_000;

    private readonly AddressNames _addresses = new(findings.Facts, findings.Modules, findings.Request.Names);
    private readonly Dictionary<(StripKind, string, ulong, Proof?, uint), int> _placeOfWork = [];
    private readonly List<LaneWork> _works = [];
    private readonly Dictionary<(int Parent, string Name), int> _placeOfNode = [];
    private readonly List<string> _names = [];
    private readonly List<int> _parents = [];

    /// <summary>Makes the lanes of the episodes that have some.</summary>
    /// <param name="episodes">Those of the report, in its order.</param>
    /// <param name="second">Those that no measured thread waited for: they come after the others.</param>
    public LanesReport Make(IReadOnlyList<NamedEpisode> episodes, IReadOnlySet<EpisodeCandidate> second)
    {
        List<EpisodeLanes> drawn = [];
        int left = MostSpans;
        foreach ((EpisodeCandidate candidate, int id) in episodes
            .Select((episode, id) => (episode.Candidate, id))
            .Where(one => one.Candidate.Lanes is not null)
            .OrderBy(one => second.Contains(one.Candidate))
            .ThenByDescending(one => one.Candidate.LatencyTicks).ThenBy(one => one.id))
        {
            RawLanes lanes = candidate.Lanes!;
            int count = lanes.Cpus.Sum(cpu => cpu.Spans.Count + cpu.Samples.Count);
            if (drawn.Count < MostEpisodes && count <= left)
            {
                left -= count;
                drawn.Add(Named(candidate, lanes, id));
            }
        }

        return new LanesReport
        {
            Works = _works,
            Code = new LaneCode(_names, _parents),
            Episodes = drawn,
            Drivers = DriversOfMachine(),
        };
    }

    private EpisodeLanes Named(EpisodeCandidate candidate, RawLanes lanes, int id) => new()
    {
        Id = id,
        From = Length(lanes.FromTicks - candidate.FromTicks),
        To = Length(lanes.ToTicks - candidate.FromTicks),
        Cpus = [.. lanes.Cpus.Select(cpu => Named(cpu, lanes.FromTicks))],
    };

    private CpuLane Named(RawLane lane, long fromTicks)
    {
        // Distances are taken between times in nanoseconds, not made of distances in ticks: so nothing adds up to an error.
        List<long> spanNumbers = new(3 * lane.Spans.Count);
        long at = 0;
        foreach (RawStripSpan span in lane.Spans)
        {
            long start = Nanoseconds(span.FromTicks - fromTicks);
            long end = Nanoseconds(span.ToTicks - fromTicks);
            spanNumbers.Add(start - at);
            spanNumbers.Add(end - start);
            spanNumbers.Add(PlaceOf(in span));
            at = end;
        }

        List<long> sampleNumbers = new(2 * lane.Samples.Count);
        at = 0;
        foreach (RawLaneSample sample in lane.Samples)
        {
            long when = Nanoseconds(sample.Ticks - fromTicks);
            sampleNumbers.Add(when - at);
            sampleNumbers.Add(PlaceOf(in sample));
            at = when;
        }

        return new CpuLane
        {
            Cpu = lane.Cpu,
            Spans = spanNumbers,
            Samples = sampleNumbers,
            JoinedBelow = lane.JoinedBelowTicks > 0 ? Length(lane.JoinedBelowTicks) : null,
            SamplesEach = lane.SamplesEach > 1 ? lane.SamplesEach : null,
        };
    }

    private int PlaceOf(in RawStripSpan span)
    {
        bool isRoutine = span.Kind is StripKind.Isr or StripKind.Dpc;
        OwnerFinding? owner = isRoutine ? spans.OwnerOf(in span) : null;
        string label = spans.LabelOf(in span);
        Proof? proof = owner?.Owner is null || owner.Owner.Name != label ? null : owner.Proof;
        var key = (span.Kind, label, isRoutine ? span.Routine : 0, proof, span.ThreadId);
        if (_placeOfWork.TryGetValue(key, out int place))
        {
            return place;
        }

        _placeOfWork.Add(key, _works.Count);
        _works.Add(new LaneWork
        {
            Kind = KebabCase.Of(span.Kind),
            Owner = label.Length > 0 ? label : null,
            Routine = isRoutine && span.Routine != 0 ? naming.Routine(span.Routine, span.FromTicks) : null,
            Proof = proof,
            Through = proof is null ? [] : [.. owner!.Through.Select(framework => framework.Name)],
            Pid = span.Kind == StripKind.Thread ? spans.ProcessOf(in span) : null,
            Tid = span.Kind == StripKind.Thread ? span.ThreadId : null,
        });
        return _works.Count - 1;
    }

    /// <summary>The node of the tree that a sample hit; its callers are made on the way.</summary>
    private int PlaceOf(in RawLaneSample sample)
    {
        int node = -1;
        for (int i = sample.Code.Length - 1; i >= 0; i--)
        {
            SampledFunction hit = _addresses.Function(sample.Code[i], 0, sample.Ticks, 1, sample.ThreadId);
            string name = hit switch
            {
                { Module: { } module, Function: { } function } => module + (function.StartsWith('+') ? "" : "!") + function,
                _ => hit.Function ?? "not known",
            };
            if (!_placeOfNode.TryGetValue((node, name), out int place))
            {
                if (_names.Count >= MostNodes)
                {
                    return node >= 0 ? node : 0;
                }

                place = _names.Count;
                _placeOfNode.Add((node, name), place);
                _names.Add(name);
                _parents.Add(node);
            }

            node = place;
        }

        return node;
    }

    private List<LaneDriver> DriversOfMachine() =>
    [
        .. findings.Facts.Images.Images.Take(findings.Facts.Images.KernelImageCount)
            .Where(image => image.Description is not null)
            .Select(image => new LaneDriver(
                image.Name, image.Description!.Version, image.Description.Company, image.Description.Timestamp))
            .Distinct()
            .OrderBy(driver => driver.Name, StringComparer.OrdinalIgnoreCase)
            .ThenBy(driver => driver.Version, StringComparer.Ordinal)
            .ThenBy(driver => driver.Timestamp),
    ];

    private Duration Length(long ticks) => new(Nanoseconds(ticks));

    private long Nanoseconds(long ticks) => findings.Clock.NanosecondsOf(ticks);
}
