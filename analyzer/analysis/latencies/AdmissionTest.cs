namespace Tracer.Analysis.Latencies;

/// <summary>
/// Whether the nodes of a graph are done in time on one CPU, against what was measured. The bound on a node's response is that of response
/// time analysis with arbitrary deadlines (Lehoczky 1990), its interference that of each driver and program by its own arrival curve (as
/// de Oliveira et al., ECRTS 2020, for Linux), as if the worst of all of them came together. What was observed is the other side: a node
/// that would have been late in the trace does not fit.
/// </summary>
public static class AdmissionTest
{
    /// <summary>Rounds after which a response time that still grows counts as none: each adds at least one run.</summary>
    private const int MostCycles = 1000;

    /// <summary>Most parts of a bound that are told, the largest first: what is behind them decides nothing.</summary>
    private const int MostTerms = 8;

    /// <summary>A bound that takes more steps is not told.</summary>
    private const int MostSteps = 20_000;

    public static GraphAdmission Of(AudioGraph graph, InterferenceRecording recording)
    {
        ArgumentNullException.ThrowIfNull(graph);
        ArgumentNullException.ThrowIfNull(recording);
        return new GraphAdmission
        {
            Process = graph.Process,
            Cpus = recording.Cpus.Count(),
            Followed = new Duration(recording.FollowedNs),
            HasWaits = recording.HasWaits,
            Nodes = [.. recording.Nodes.Select((node, i) => Of(node, recording, recording.Worst[i]))],
        };
    }

    private static NodeAdmission Of(NodeDemand node, InterferenceRecording recording, ObservedResponse? observed)
    {
        double deadline = node.Node.DeadlineNs;
        List<Response> responses = [.. recording.Cpus.Select(cpu => Bound(node, recording, cpu, isStrict: false))];
        Response worst = responses.Count > 0 ? responses.MaxBy(one => (one.Ns, one.Terms.Sum(term => term.Ns))) : default;
        double strict = responses.Count > 0
            ? recording.Cpus.Max(cpu => Bound(node, recording, cpu, isStrict: true).Ns) : double.PositiveInfinity;
        bool fitsAlone = Bound(node, null, 0, isStrict: false).Ns <= deadline;
        bool? fits = responses.Count == 0 ? null
            : !fitsAlone || observed?.Ns > deadline ? false
            : worst.Ns <= deadline ? true : null;
        return new NodeAdmission
        {
            Name = node.Node.Name,
            Period = new Duration(node.Node.PeriodNs),
            Work = new Duration(node.Node.WorkNs),
            ChainWork = new Duration(node.WorkNs),
            Priority = node.Node.Priority,
            Level = node.Level,
            Buffers = node.Node.Buffers,
            Deadline = new Duration(node.Node.DeadlineNs),
            FitsAlone = fitsAlone,
            Fits = fits,
            Observed = observed is { } seen ? DurationOf(seen.Ns) : null,
            ObservedAt = observed is { } at
                ? new ObservedTime { Trace = at.Trace, Cpu = at.Cpu, At = new Duration(at.AtNs) } : null,
            Bound = responses.Count > 0 ? DurationOf(worst.Ns) : null,
            BoundCpu = responses.Count > 0 ? worst.Cpu : null,
            StrictBound = DurationOf(strict),
            Terms = responses.Count == 0 ? [] : TermsOf(worst),
        };
    }

    /// <summary>The latest a node is done, of all its cycles until one is done before the next is due.</summary>
    /// <param name="recording">What delays it; null for the graph alone.</param>
    private static Response Bound(NodeDemand node, InterferenceRecording? recording, int cpu, bool isStrict)
    {
        (InterferenceKind Kind, string Name, ArrivalCurve Curve)[] sources = recording is null ? [] : [.. recording.On(cpu, node.Level)];
        double unexplained = recording?.UnexplainedNs(node.Level) ?? 0;

        // What takes longer than this is late.
        double limit = node.Node.DeadlineNs;
        (double most, double mostWindow) = (0, 0);
        double window = node.WorkNs;
        int steps = 0;
        for (int cycle = 0; cycle < MostCycles; cycle++)
        {
            double due = (double)cycle * node.Node.PeriodNs;
            while (true)
            {
                double next = unexplained + node.WorkIn(window, cycle + 1, isLeast: recording is null)
                    + sources.Sum(source => isStrict ? source.Curve.StrictWorkIn(window) : source.Curve.WorkIn(window));
                if (next - due > limit || ++steps > MostSteps)
                {
                    return new Response(double.PositiveInfinity, cpu, Terms(due + limit));
                }

                if (next <= window)
                {
                    break;
                }

                window = next;
            }

            if (window - due > most)
            {
                (most, mostWindow) = (window - due, window);
            }

            if (window <= due + node.Node.PeriodNs)
            {
                return new Response(most, cpu, Terms(mostWindow));
            }
        }

        return new Response(double.PositiveInfinity, cpu, Terms(window));

        List<Term> Terms(double of) =>
        [
            .. sources.Select(source => new Term(
                source.Kind,
                source.Name,
                source.Curve.WorkIn(of),
                source.Curve.RunsIn(of),
                source.Curve.LongestWorkNs)),
            .. node.Others.Select(other => new Term(
                InterferenceKind.Node, other.Name, NodeDemand.WorkOf(other, of), Math.Ceiling(of / other.PeriodNs), other.WorkNs)),
            .. unexplained > 0 ? [new Term(InterferenceKind.Unexplained, "", unexplained, 1, unexplained)] : Array.Empty<Term>(),
        ];
    }

    private static IReadOnlyList<InterferenceTerm> TermsOf(in Response worst) =>
    [
        .. worst.Terms.Where(term => term.Ns >= 1)
            .OrderByDescending(term => term.Ns).ThenBy(term => term.Kind).ThenBy(term => term.Name, StringComparer.Ordinal)
            .Take(MostTerms)
            .Select(term => new InterferenceTerm
            {
                Kind = term.Kind,
                Name = term.Name,
                Time = new Duration((long)Math.Ceiling(term.Ns)),
                Runs = (long)Math.Min(term.Runs, long.MaxValue / 2),
                Longest = new Duration((long)Math.Ceiling(term.LongestNs)),
            }),
    ];

    private static Duration? DurationOf(double ns) => double.IsFinite(ns) ? new Duration((long)Math.Ceiling(ns)) : null;

    private readonly record struct Response(double Ns, int Cpu, List<Term> Terms);

    private readonly record struct Term(InterferenceKind Kind, string Name, double Ns, double Runs, double LongestNs);
}
