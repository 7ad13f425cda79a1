using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// What each driver's ISRs and DPCs took in the whole trace: net of what interrupted them and of stops of the machine that fell into them;
/// a framework's routine counts for the driver that it called, where that is known. The interrupts of the recording itself and of the
/// clock are no driver's.
/// </summary>
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

    /// <summary>Makes the table.</summary>
    /// <param name="findings">The routines' times, who is behind frameworks, and when the machine stood still.</param>
    public static DriverTable Of(BlameFindings findings)
    {
        var table = new DriverTable();
        RoutineCounts routines = findings.Machine.Routines;
        PeriodicInterrupts periodic = findings.Periodic;
        foreach (RoutineCount counted in routines.All)
        {
            if (counted.IsIsr && periodic.NameOf(counted.Routine) is not null)
            {
                continue;
            }

            LoadedImage? image = findings.Modules.Find(counted.Routine, counted.AtTicks);
            LoadedImage? owner = OwnerOf(counted, image, findings) ?? image;
            string name = owner?.Name ?? "(no image)";
            string key = name.ToUpperInvariant();
            if (!table._rows.TryGetValue(key, out Row? row))
            {
                table._rows.Add(key, row = new Row { Name = name, IsKnown = owner is not null });
            }

            row.Add(counted, image, routines.LongestQueued(counted.Routine), run => findings.Causes.Blackouts.StoppedTicks(run, owner));
        }

        return table;
    }

    /// <summary>The table as the report has it.</summary>
    /// <param name="findings">Converts ticks.</param>
    public IReadOnlyList<DriverActivity> Activities(BlameFindings findings) => [.. Rows.Select(row => new DriverActivity
    {
        Name = row.Name,
        Through = row.Through,
        Isr = Times(row.Isr, findings),
        Dpc = Times(row.Dpc, findings),
        QueueDelayMax = row.QueuedTicks is { } ticks ? findings.Length(ticks) : null,
    })];

    private static LoadedImage? OwnerOf(RoutineCount counted, LoadedImage? image, BlameFindings findings)
    {
        if (counted.Client.Callback != 0)
        {
            return findings.Modules.Find(counted.Client.Callback, counted.AtTicks);
        }

        if (counted.Client.Image >= 0)
        {
            return findings.Modules.Images.Images[counted.Client.Image];
        }

        if (image is null || findings.Modules.RoleOf(image) is not (ModuleRole.Framework or ModuleRole.Layer))
        {
            return null;
        }

        // Nothing inside these runs tells; that no other driver is loaded is a guess, and no reason to count their time for it.
        var unknown = new OwnerFinding { Owner = null, Behind = image, Proof = Proof.None, Routine = counted.Routine };
        return findings.Behind.Of(unknown, image) is { Proof: not Proof.OnlyCandidate } found ? found.Owner : null;
    }

    private static RoutineTimes? Times(RunTimes times, BlameFindings findings)
    {
        DurationCounts counts = times.Counts;
        return counts.Count == 0
            ? null
            : new RoutineTimes
            {
                Count = counts.Count,
                Total = findings.Length(times.TotalTicks),
                Max = findings.Length(times.MaxTicks),
                MaxAt = times.Longest is { } longest ? findings.Time(longest.StartTicks) : null,
                P50 = findings.Length(Math.Min(counts.Percentile(50), times.MaxTicks)),
                P90 = findings.Length(Math.Min(counts.Percentile(90), times.MaxTicks)),
                P99 = findings.Length(Math.Min(counts.Percentile(99), times.MaxTicks)),
                P999 = findings.Length(Math.Min(counts.At((long)Math.Ceiling(counts.Count * 0.999)), times.MaxTicks)),
            };
    }

    /// <summary>One driver.</summary>
    internal sealed class Row
    {
        private readonly List<string> _through = [];

        /// <summary>Its file name.</summary>
        public required string Name { get; init; }

        /// <summary>Whether its routines lie in an image.</summary>
        public required bool IsKnown { get; init; }

        /// <summary>The frameworks whose routines ran for it.</summary>
        public IReadOnlyList<string> Through => _through;

        /// <summary>Its ISRs.</summary>
        public RunTimes Isr { get; } = new();

        /// <summary>Its DPCs.</summary>
        public RunTimes Dpc { get; } = new();

        /// <summary>The longest wait of one of its DPCs in the queue, in ticks; null where not recorded.</summary>
        public long? QueuedTicks { get; private set; }

        /// <summary>Its routines, each with the image that it lies in: a framework's where that called it.</summary>
        public List<(RoutineCount Counts, LoadedImage? Image)> Routines { get; } = [];

        /// <summary>How often its routines ran.</summary>
        public long Runs => Isr.Counts.Count + Dpc.Counts.Count;

        /// <summary>In how many of these runs a measured thread waited for the CPU.</summary>
        public long Waited => Routines.Sum(routine => routine.Counts.Facts.Waited);

        /// <summary>Whether all of its runs were watched for who waited.</summary>
        public bool IsWatched => Routines.Sum(routine => routine.Counts.Facts.Watched) == Runs;

        /// <summary>Its longest run; null for none.</summary>
        public LongRun? Longest => Dpc.MaxTicks >= Isr.MaxTicks ? Dpc.Longest ?? Isr.Longest : Isr.Longest;

        /// <summary>Who waited during the routine that had its longest run.</summary>
        public RunFacts LongestFacts => Routines.MaxBy(routine => routine.Counts.Times.MaxTicks).Counts.Facts;

        /// <summary>All its time, in ticks.</summary>
        public long TotalTicks => Isr.TotalTicks + Dpc.TotalTicks;

        /// <summary>Its longest routine, in ticks.</summary>
        public long MaxTicks => Math.Max(Isr.MaxTicks, Dpc.MaxTicks);

        /// <summary>Adds a routine.</summary>
        /// <param name="counted">Its runs.</param>
        /// <param name="image">The image that it lies in.</param>
        /// <param name="queuedTicks">The longest wait of one of its DPCs in the queue; null where not recorded.</param>
        /// <param name="stoppedTicks">For how much of a run the machine stood still.</param>
        public void Add(RoutineCount counted, LoadedImage? image, long? queuedTicks, Func<LongRun, long> stoppedTicks)
        {
            (counted.IsIsr ? Isr : Dpc).Add(counted, stoppedTicks);
            Routines.Add((counted, image));
            if (!counted.IsIsr && queuedTicks is { } queued)
            {
                QueuedTicks = Math.Max(QueuedTicks ?? 0, queued);
            }

            if (image is not null && !string.Equals(image.Name, Name, StringComparison.OrdinalIgnoreCase)
                && !_through.Contains(image.Name, StringComparer.OrdinalIgnoreCase))
            {
                _through.Add(image.Name);
            }
        }
    }

    /// <summary>The runs of a driver's ISRs, or of its DPCs. Times in ticks.</summary>
    internal sealed class RunTimes
    {
        private long _stoppedTicks;

        /// <summary>Net of what interrupted them, stops of the machine included.</summary>
        public DurationCounts Counts { get; } = new();

        /// <summary>All of them, without stops of the machine.</summary>
        public long TotalTicks => Counts.TotalTicks - _stoppedTicks;

        /// <summary>The longest, without stops of the machine.</summary>
        public long MaxTicks { get; private set; }

        /// <summary>That run; null for none.</summary>
        public LongRun? Longest { get; private set; }

        /// <summary>Adds a routine.</summary>
        public void Add(RoutineCount counted, Func<LongRun, long> stoppedTicks)
        {
            Counts.Add(counted.Times);
            long most = Math.Max(0, counted.Longest.CompleteAboveTicks);
            foreach (LongRun run in counted.Longest.All)
            {
                long stopped = stoppedTicks(run);
                _stoppedTicks += stopped;
                most = Math.Max(most, run.NetTicks - stopped);
                if (Longest is null || run.NetTicks - stopped > MaxTicks)
                {
                    Longest = run;
                    MaxTicks = run.NetTicks - stopped;
                }
            }

            MaxTicks = Math.Max(MaxTicks, most);
        }
    }
}
