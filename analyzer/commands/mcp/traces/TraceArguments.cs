using Tracer.AnalyzerCommand.Commands.Mcp.Answers;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>The arguments that several tools have.</summary>
internal static class TraceArguments
{
    private const string Times = "a duration from the start of the trace (1.5s, 250ms), a time of its clock (2026-08-30T04:56:58Z), a mark "
        + "(mark:NAME) or the first event of a name (event:NAME)";

    public static ToolArgument Trace { get; } = new(
        "trace", ArgumentKind.Text, "The trace file, as the tool traces lists it, such as monday/trace.etl.")
    {
        IsRequired = true,
    };

    /// <summary>Where PDBs are.</summary>
    public static ToolArgument Symbols { get; } = new(
        "symbols", ArgumentKind.Text, "A folder with PDBs or images, inside of the folders that the server was given; those beside "
            + "the trace "
            + "are found without it.");

    /// <summary>Where the part of interest begins.</summary>
    public static ToolArgument From { get; } = new("from", ArgumentKind.Text, $"Only what begins at this time or later: {Times}.");

    public static ToolArgument To { get; } = new("to", ArgumentKind.Text, "Only what begins at this time or earlier; written as from.");

    public static ToolArgument At { get; } = new(
        "at", ArgumentKind.Text, "Only what happened around this moment; written as from, and instead of from and to.");

    /// <summary>The settings of an analysis.</summary>
    public static IReadOnlyList<ToolArgument> OfBlame { get; } =
    [
        new("threshold", ArgumentKind.Text, $"Latency at or above this is an episode, with its unit, such as 1ms [default: "
            + $"{Defaults.Threshold}]."),
        new("process", ArgumentKind.Text, "Count the waits of all threads of this process, whatever their priority: a name such as "
            + "audiodg.exe, or a process id."),
        new("thread", ArgumentKind.Number, "Count the waits of the thread of this id only.") { Most = uint.MaxValue },
        new("cpu", ArgumentKind.Text, "Look at these CPUs only, such as 0,2-4."),
        From,
        To,
        At,
        new("min_priority", ArgumentKind.Number, "The lowest priority of a thread whose waits count "
            + $"[default: {Defaults.MinimumPriority}, real time].") { Most = 31 },
        new("probe", ArgumentKind.Text, "What latency is measured with: wake-ups of Tracer's driver, jobs of threads, threads that "
            + "became ready, CPUs kept at ISR or DPC level, CPUs that served no interrupt [default: auto, what the trace offers].")
        {
            Choices = [.. Enum.GetValues<ProbeChoice>().Select(KebabCase.Of)],
        },
        new("period", ArgumentKind.Text, "The victims should run once in this time, with its unit, such as 10ms [default: learnt from the "
            + "wake-ups of each thread]."),
        new("deadline", ArgumentKind.Text, "A job that takes longer than this is late, with its unit, such as 10ms [default: the next beat "
            + "of a thread that keeps one]."),
        new("suspect", ArgumentKind.Text, "Also say what speaks for and against one driver, process, or 'hardware/firmware', such as "
            + "nvlddmkm.sys."),
        new("without", ArgumentKind.Text, "Also say what would be left without this driver, process or other culprit."),
    ];
}
