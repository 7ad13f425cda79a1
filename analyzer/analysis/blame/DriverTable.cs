using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>What each driver's ISRs and DPCs took in the whole trace.</summary>
internal sealed class DriverTable
{
    private readonly Dictionary<string, Row> _rows = [];

    private DriverTable()
    {
    }

    /// <summary>The drivers, by the time they took.</summary>
    public IEnumerable<Row> Rows => _rows.Values.OrderByDescending(row => row.TotalTicks).ThenBy(row => row.Name, StringComparer.Ordinal);

    /// <summary>A driver's row; null where it had no routine.</summary>
    public Row? Find(string name) => _rows.GetValueOrDefault(name.ToUpperInvariant());

    /// <summary>Makes the table from the routines' times.</summary>
    /// <param name="routines">The routines.</param>
    /// <param name="modules">The images.</param>
    /// <param name="clients">Who stands behind frameworks' routines.</param>
    public static DriverTable Of(RoutineCounts routines, ModuleMap modules, FrameworkClients clients)
    {
        var table = new DriverTable();
        foreach (RoutineCount counted in routines.All)
        {
            (ulong routine, ulong callback, bool isIsr, DurationCounts times, long at) = counted;
            LoadedImage? image = modules.Find(routine, at);
            LoadedImage? owner = callback != 0 ? modules.Find(callback, at) : null;
            if (owner is null && image is not null && modules.RoleOf(image) is ModuleRole.Framework or ModuleRole.Layer)
            {
                owner = clients.BySamples(routine)?.Owner;
            }

            owner ??= image;
            string name = owner?.Name ?? "(no image)";
            string key = name.ToUpperInvariant();
            if (!table._rows.TryGetValue(key, out Row? row))
            {
                table._rows.Add(key, row = new Row { Name = name, IsKnown = owner is not null });
            }

            row.Add(isIsr, times, routines.LongestQueued(routine));
            row.Routines.Add((counted, image));
        }

        return table;
    }

    /// <summary>The table as the report has it.</summary>
    /// <param name="duration">Converts ticks.</param>
    public IReadOnlyList<DriverActivity> Activities(Func<long, Duration> duration) => [.. Rows.Select(row => new DriverActivity
    {
        Name = row.Name,
        Isr = Times(row.Isr, duration),
        Dpc = Times(row.Dpc, duration),
        QueueDelayMax = row.QueuedTicks is { } ticks ? duration(ticks) : null,
    })];

    private static RoutineTimes? Times(DurationCounts counts, Func<long, Duration> duration) => counts.Count == 0
        ? null
        : new RoutineTimes
        {
            Count = counts.Count,
            Total = duration(counts.TotalTicks),
            Max = duration(counts.MaxTicks),
            P99 = duration(counts.Percentile(99)),
        };

    /// <summary>One driver.</summary>
    internal sealed class Row
    {
        /// <summary>Its file name.</summary>
        public required string Name { get; init; }

        /// <summary>Whether its routines lie in an image.</summary>
        public required bool IsKnown { get; init; }

        /// <summary>Its ISRs, net.</summary>
        public DurationCounts Isr { get; } = new();

        /// <summary>Its DPCs, net.</summary>
        public DurationCounts Dpc { get; } = new();

        /// <summary>The longest wait of one of its DPCs in the queue, in ticks; null where not recorded.</summary>
        public long? QueuedTicks { get; private set; }

        /// <summary>Its routines, each with the image that it lies in: a framework's where that called it.</summary>
        public List<(RoutineCount Counts, LoadedImage? Image)> Routines { get; } = [];

        /// <summary>How often its routines ran.</summary>
        public long Runs => Isr.Count + Dpc.Count;

        /// <summary>In how many of these runs a measured thread waited for the CPU.</summary>
        public long Waited => Routines.Sum(routine => routine.Counts.Facts.Waited);

        /// <summary>Whether all of its runs were watched for who waited.</summary>
        public bool IsWatched => Routines.Sum(routine => routine.Counts.Facts.Watched) == Runs;

        /// <summary>The routine that had its longest run.</summary>
        public RoutineCount Longest => Routines.MaxBy(routine => routine.Counts.Times.MaxTicks).Counts;

        /// <summary>All its time, in ticks.</summary>
        public long TotalTicks => Isr.TotalTicks + Dpc.TotalTicks;

        /// <summary>Its longest routine, in ticks.</summary>
        public long MaxTicks => Math.Max(Isr.MaxTicks, Dpc.MaxTicks);

        /// <summary>Adds a routine.</summary>
        public void Add(bool isIsr, DurationCounts times, long? queuedTicks)
        {
            (isIsr ? Isr : Dpc).Add(times);
            if (!isIsr && queuedTicks is { } queued)
            {
                QueuedTicks = Math.Max(QueuedTicks ?? 0, queued);
            }
        }
    }
}
