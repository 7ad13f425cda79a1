namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>Prints for people whether a graph fits.</summary>
internal static class GraphText
{
    private const int MostTerms = 4;

    public static void Write(GraphAdmission graph, TextWriter output)
    {
        string own = graph.Process is { } process ? $", without the threads of {process}" : "";
        output.WriteLine();
        output.WriteLine($"Graph, for this workload only, of {Counted.Of(graph.Nodes.Count, "node")} on one CPU, against what ran on each "
            + $"of {Counted.Of(graph.Cpus, "CPU")}{own}");
        foreach (NodeAdmission node in graph.Nodes)
        {
            Write(node, output);
        }

        if (!graph.HasWaits && graph.Cpus > 0)
        {
            output.WriteLine("  not in it: the unexplained part of waits, which needs the kernel keyword DISPATCHER");
        }
    }

    private static void Write(NodeAdmission node, TextWriter output)
    {
        string time = ReadableDuration.Of(node.Deadline);
        output.WriteLine($"  {node.Name}: " + (node switch
        {
            { FitsAlone: false } => $"does not fit: the graph alone takes longer than the {time} it has",
            { Fits: true } => $"fits: done within {ReadableDuration.Of(node.Bound, "?")} of the {time} it has, if the worst seen on CPU "
                + $"{node.BoundCpu} comes together",
            { Fits: false } => $"does not fit: due at {At(node.ObservedAt)} it would have taken "
                + $"{ReadableDuration.Of(node.Observed, $"more than twice the {time} it has")}"
                + (node.Observed is null ? "" : $" of the {time} it has"),
            { Bound: null, BoundCpu: not null } => "not known: in time whenever it was observed, but if the worst seen on CPU "
                + $"{node.BoundCpu} comes together, it takes longer than the {time} it has",
            _ => "not known",
        }));
        if (node.Fits != false && node.Observed is { } observed)
        {
            output.WriteLine($"    worst observed {ReadableDuration.Of(observed)}, due at {At(node.ObservedAt)}; if each run is as long as "
                + $"the longest, too: {ReadableDuration.Of(node.StrictBound, $"more than {time}")}");
        }

        foreach (InterferenceTerm term in node.Terms.Take(MostTerms))
        {
            output.WriteLine($"    {ReadableDuration.Of(term.Time)} by " + term.Kind switch
            {
                InterferenceKind.Isr => $"ISRs of {term.Name}",
                InterferenceKind.Dpc => $"DPCs of {term.Name}",
                InterferenceKind.Threads => $"threads of {term.Name} at {node.Level} and above",
                InterferenceKind.Node => $"node {term.Name}",
                _ => $"the unexplained part of a wait at {node.Level} and above",
            } + (term.Kind is InterferenceKind.Unexplained ? ""
                : $": {Counted.Of(term.Runs, "run")} at most, the longest {ReadableDuration.Of(term.Longest)}"));
        }
    }

    private static string At(ObservedTime? due) => due is null ? "?"
        : $"{ReadableDuration.At(due.At)} of {due.Trace} on CPU {due.Cpu}";
}
