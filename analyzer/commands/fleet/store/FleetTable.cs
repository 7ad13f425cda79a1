namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>What a column holds.</summary>
internal enum FleetType
{
    /// <summary>UTF-8; empty where it is not known.</summary>
    Text,

    /// <summary>64 bits with sign; -1 where it is not known.</summary>
    Whole,

    /// <summary>Buckets of <see cref="FleetHistogram.Layout"/> with their counts: in a batch an array of pairs of numbers.</summary>
    Histogram,
}

internal sealed record FleetColumn(string Name, FleetType Type);

/// <summary>A table of a store of cases.</summary>
/// <param name="Columns">Its columns, in the order of the rows of a batch.</param>
/// <param name="Key">Rows that are equal in these columns count once.</param>
internal sealed record FleetTable(string Name, IReadOnlyList<FleetColumn> Columns, IReadOnlyList<string> Key)
{
    /// <summary>Stores whose tables differ have another number.</summary>
    public const int SchemaVersion = 2;

    /// <summary>A row for each trace. Times in microseconds, moments in milliseconds since 1970 UTC.</summary>
    /// <remarks>
    /// <c>judged</c> is 1 where the trace could tell; else it is neither affected nor unaffected. <c>problem</c> says why it could not be
    /// read, <c>lost</c> is 1 where something of it is missing, <c>trace</c> is empty unless the case has names.
    /// </remarks>
    public static FleetTable Cases { get; } = Of(
        "cases",
        ["id"],
        "id machine problem verdict trace",
        "recorded_ms judged lost threshold_ns min_priority duration_us probes episodes deadlines_missed glitches over_us worst_us");

    /// <summary>A row for each way in which latency of a judged trace came about: <see cref="FleetPlace"/>.</summary>
    public static FleetTable Chains { get; } = Of(
        "chains",
        ["id", "number"],
        "id machine place mechanism kind owner version spot routine",
        "number recorded_ms beat_ms episodes time_us worst_us");

    /// <summary>
    /// What tells machines apart, once for each machine, however many traces say it: <c>trait</c> is <c>driver NAME</c>, <c>os-build</c>,
    /// <c>firmware</c> and so on.
    /// </summary>
    public static FleetTable Traits { get; } = Of("traits", ["machine", "trait", "value"], "machine trait value", "");

    /// <summary>A row for each histogram of a judged trace.</summary>
    public static FleetTable Latencies { get; } = new(
        "latencies",
        [
            new("id", FleetType.Text), new("machine", FleetType.Text), new("kind", FleetType.Text), new("source", FleetType.Text),
            new("max_us", FleetType.Whole), new("counts", FleetType.Histogram),
        ],
        ["id", "kind", "source"]);

    /// <summary>The cluster of each place, for the questions of one run: <see cref="IFleetStore.Assign"/>.</summary>
    public static FleetTable Clusters { get; } = Of("clusters", ["place"], "place cluster", "");

    /// <summary>The tables that last, in the order in which a batch is added.</summary>
    public static IReadOnlyList<FleetTable> All { get; } = [Traits, Chains, Latencies, Cases];

    private static FleetTable Of(string name, IReadOnlyList<string> key, string texts, string numbers) => new(
        name,
        [
            .. texts.Split(' ').Select(column => new FleetColumn(column, FleetType.Text)),
            .. numbers.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(column => new FleetColumn(column, FleetType.Whole)),
        ],
        key);
}
