using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// The time of each driver's ISRs and DPCs in the part of the trace that was asked about, net of what interrupted them and of blackouts of
/// the machine that fell into them. A framework's routine counts for the driver that it called, where that is known. The profile and clock
/// interrupts count for no driver.
/// </summary>
internal sealed class DriverTable
{
    private readonly Dictionary<string, Row> _rows = [];

    private DriverTable()
    {
    }

    /// <summary>The drivers, the longest total time first.</summary>
    public IEnumerable<Row> Rows => _rows.Values.OrderByDescending(row => row.TotalTicks).ThenBy(row => row.Name, StringComparer.Ordinal);

    /// <summary>A driver's row; null where none of its routines ran.</summary>
    public Row? Find(string name) => _rows.GetValueOrDefault(name.ToUpperInvariant());

    public static DriverTable Of(BlameFindings findings)
    {
        var table = new DriverTable();
        RoutineCounts routines = findings.Machine.Routines.Asked;
        PeriodicInterrupts periodic = findings.Periodic;
        foreach (RoutineCount counted in routines.All)
        {
            if (counted.IsIsr && periodic.NameOf(counted.Routine) is not null)
            {
                continue;
            }

            LoadedImage? image = findings.Modules.Find(counted.Routine, counted.AtTicks);
            LoadedImage? owner = OwnerOf(counted, image, findings, out IReadOnlyList<(OwnerFinding Owner, double Part)> shared) ?? image;
            string name = owner?.Name ?? "(no image)";
            string key = name.ToUpperInvariant();
            if (!table._rows.TryGetValue(key, out Row? row))
            {
                table._rows.Add(key, row = new Row { Name = name, IsKnown = owner is not null });
            }

            row.Add(counted, image, routines.LongestQueued(counted.Routine), run => findings.Causes.Blackouts.BlackoutTicks(run, owner));
            row.AddShared(counted, shared);
        }

        return table;
    }

    /// <param name="findings">The results of the passes, to convert ticks.</param>
    public IReadOnlyList<DriverActivity> Activities(BlameFindings findings)
    {
        var times = new RoutineTable(findings);
        return [.. Rows.Select(row => new DriverActivity
        {
            Name = row.Name,
            Through = row.Through,
            SharedBy = row.SharedBy.Count == 0
                ? null
                :
                [
                    .. row.SharedBy.OrderByDescending(share => share.Ticks).ThenBy(share => share.Name, StringComparer.Ordinal)
                        .Select(share => new DriverShare(share.Name, findings.Length(share.Ticks), share.Samples, share.Of)),
                ],
            Isr = times.Times(row.Isr, withCpus: true),
            Dpc = times.Times(row.Dpc, withCpus: true),
            QueueDelayMax = row.QueuedTicks is { } ticks ? findings.Length(ticks) : null,
        })];
    }

    /// <param name="shared">The drivers that share the time of runs whose owner is open, by the samples of runs like them.</param>
    private static LoadedImage? OwnerOf(
        RoutineCount counted, LoadedImage? image, BlameFindings findings, out IReadOnlyList<(OwnerFinding Owner, double Part)> shared)
    {
        shared = [];
        if (counted.Client.Callback != 0)
        {
            LoadedImage? client = findings.Modules.Find(counted.Client.Callback, counted.AtTicks);
            return client is not null && FrameworkClients.IsShared(findings.Modules.RoleOf(client))
                ? Voted(counted.Client.Callback, client, Proof.WdfEvent, RunTraits.Any(counted.Client.Callback), findings, out shared)
                : client;
        }

        if (counted.Client.Image >= 0)
        {
            return findings.Modules.Images.Images[counted.Client.Image];
        }

        if (image is null || findings.Modules.RoleOf(image) is not (ModuleRole.Framework or ModuleRole.Layer))
        {
            return null;
        }

        // If nothing in these runs shows their driver, only one driver being loaded is a guess, and not enough to count the time for it.
        QueueLine line = counted.Client.Line;
        RunTraits run = RunTraits.Any(counted.Routine) with { Line = line, Cpu = line.IsKnown ? line.Cpu : -1 };
        return Voted(counted.Routine, image, Proof.None, run, findings, out shared);
    }

    private static LoadedImage? Voted(
        ulong routine,
        LoadedImage image,
        Proof proof,
        RunTraits run,
        BlameFindings findings,
        out IReadOnlyList<(OwnerFinding Owner, double Part)> shared)
    {
        bool isItself = proof != Proof.None;
        var unknown = new OwnerFinding
        {
            Owner = isItself ? image : null,
            Behind = isItself ? null : image,
            Proof = proof,
            Routine = routine,
            Unseen = run,
        };
        LoadedImage? owner = findings.Behind.Of(unknown, image) is { Proof: not Proof.OnlyCandidate } found ? found.Owner : null;
        shared = owner is null || owner == image ? findings.Behind.Shared(unknown) : [];
        return owner;
    }

    internal sealed class Row
    {
        private readonly List<string> _through = [];

        /// <summary>The ticks of each driver by each vote that decided.</summary>
        private readonly Dictionary<(string Name, ulong Routine, int Samples, int Of), long> _sharedBy = [];

        public required string Name { get; init; }

        /// <summary>Whether its routines lie in an image.</summary>
        public required bool IsKnown { get; init; }

        /// <summary>The frameworks through which its routines were called.</summary>
        public IReadOnlyList<string> Through => _through;

        /// <summary>
        /// The drivers that share the time of those runs of a framework whose driver is open: the part of each, in ticks, and how many of
        /// the samples that were asked about such runs show it.
        /// </summary>
        public IReadOnlyList<(string Name, long Ticks, int Samples, int Of)> SharedBy =>
            [.. _sharedBy.GroupBy(share => share.Key.Name, StringComparer.OrdinalIgnoreCase).Select(of => (
                of.Key, of.Sum(share => share.Value), of.Sum(share => share.Key.Samples), of.Sum(share => share.Key.Of)))];

        public RunTimes Isr { get; } = new();

        public RunTimes Dpc { get; } = new();

        /// <summary>The longest time that one of its DPCs was queued, in ticks; null where not recorded.</summary>
        public long? QueuedTicks { get; private set; }

        /// <summary>Its routines, each with the image that it lies in; that is a framework's where the framework called it.</summary>
        public List<(RoutineCount Counts, LoadedImage? Image)> Routines { get; } = [];

        /// <summary>Its routines by address, each with the runs for all its clients.</summary>
        public Dictionary<ulong, RoutineRow> PerRoutine { get; } = [];

        /// <summary>How often its routines ran.</summary>
        public long Runs => Isr.Counts.Count + Dpc.Counts.Count;

        /// <summary>During how many of these runs a measured thread waited for the CPU.</summary>
        public long Waited => Routines.Sum(routine => routine.Counts.Facts.Waited);

        /// <summary>Whether all of its runs were checked for waiting threads.</summary>
        public bool IsWatched => Routines.Sum(routine => routine.Counts.Facts.Watched) == Runs;

        /// <summary>Its longest run; null for none.</summary>
        public LongRun? Longest => Dpc.MaxTicks >= Isr.MaxTicks ? Dpc.Longest ?? Isr.Longest : Isr.Longest;

        /// <summary>Which threads waited, for the routine that had the longest run.</summary>
        public RunFacts LongestFacts => Routines.MaxBy(routine => routine.Counts.Times.MaxTicks).Counts.Facts;

        public long TotalTicks => Isr.TotalTicks + Dpc.TotalTicks;

        public long MaxTicks => Math.Max(Isr.MaxTicks, Dpc.MaxTicks);

        /// <summary>Adds who shares the time of the runs of one routine, if not one driver owns it.</summary>
        public void AddShared(RoutineCount counted, IReadOnlyList<(OwnerFinding Owner, double Part)> shared)
        {
            foreach ((OwnerFinding finding, double part) in shared)
            {
                if (finding is { Owner: { } owner, Samples: >= Ballot.FewestSamples }
                    && !string.Equals(owner.Name, Name, StringComparison.OrdinalIgnoreCase))
                {
                    CollectionsMarshal.GetValueRefOrAddDefault(
                        _sharedBy, (owner.Name, counted.Routine, finding.Samples, finding.SamplesAsked), out _)
                        += (long)Math.Round(part * counted.Times.TotalTicks);
                }
            }
        }

        /// <param name="queuedTicks">The longest time that one of its DPCs was queued, in ticks; null where not recorded.</param>
        /// <param name="stoppedTicks">How much of a run the machine stood still, in ticks.</param>
        public void Add(RoutineCount counted, LoadedImage? image, long? queuedTicks, Func<LongRun, long> stoppedTicks)
        {
            List<(LongRun, long)> longest = [.. counted.Longest.All.Select(run => (run, stoppedTicks(run)))];
            if (!PerRoutine.TryGetValue(counted.Routine, out RoutineRow? routine))
            {
                PerRoutine.Add(counted.Routine, routine = new RoutineRow(counted.Routine, counted.AtTicks));
            }

            (counted.IsIsr ? Isr : Dpc).Add(counted, longest);
            (counted.IsIsr ? routine.Isr : routine.Dpc).Add(counted, longest);
            Routines.Add((counted, image));
            if (!counted.IsIsr && queuedTicks is { } queued)
            {
                QueuedTicks = Math.Max(QueuedTicks ?? 0, queued);
                routine.QueuedTicks = queued;
            }

            if (image is not null && !string.Equals(image.Name, Name, StringComparison.OrdinalIgnoreCase)
                && !_through.Contains(image.Name, StringComparer.OrdinalIgnoreCase))
            {
                _through.Add(image.Name);
            }
        }
    }
}
