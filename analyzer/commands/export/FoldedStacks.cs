using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// Writes stacks of samples as lines: the frames from the outermost inwards with semicolons between, a blank, the count. Each stack once,
/// in the order of its text.
/// </summary>
internal sealed class FoldedStacks : IScheduleWriter
{
    private readonly StackTree _tree;
    private readonly Dictionary<int, long> _counts = [];

    private FoldedStacks(ExportedTrace trace) => _tree = new StackTree(trace);

    /// <exception cref="IOException">The storage failed.</exception>
    public static long Write(ExportedTrace trace, PrintableWriter output)
    {
        var folded = new FoldedStacks(trace);
        trace.ReadSchedule(folded);
        trace.Tell(folded._tree.Cut, "stack", $"cut: more than {StackTree.MostNodes:N0} different ones");
        string[] names = [.. folded._tree.Frames.Select(Plain)];
        foreach ((string stack, long count) in folded._counts
            .Select(one => (string.Join(';', folded._tree.PathOf(one.Key).Select(frame => names[frame])), one.Value))
            .OrderBy(one => one.Item1, StringComparer.Ordinal))
        {
            output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{stack} {count}"));
        }

        return folded._counts.Values.Sum();
    }

    public void Sample(in ExportedSample sample, in EventStack stack)
    {
        if (_tree.Add(in sample, in stack) is { } node)
        {
            _counts[node] = _counts.GetValueOrDefault(node) + sample.Count;
        }
    }

    /// <summary>A frame without what means something in such a line.</summary>
    private static string Plain(string name) => name.Replace(';', ':').ReplaceLineEndings(" ");
}
