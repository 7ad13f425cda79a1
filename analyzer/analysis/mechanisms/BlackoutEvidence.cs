using Tracer.Analysis.Beats;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Mechanisms;

/// <summary>Writes the sentences of evidence about blackouts.</summary>
internal sealed class BlackoutEvidence(BlameFindings findings, CauseNaming naming)
{
    /// <summary>
    /// An interrupt right after blackouts is mentioned only if the probability that chance put it there is at most this, divided by the
    /// number of interrupts that were compared.
    /// </summary>
    private const double FollowerChance = 1e-3;

    /// <summary>An interrupt must follow at least this many blackouts to be mentioned. One shows nothing.</summary>
    private const int FewestFollowed = 2;

    /// <summary>Modules at the edges that a sentence names, the most frequent ones. More are no help to the reader.</summary>
    private const int MostEdgesNamed = 4;

    /// <param name="main">The suspect's main part; it lies in a blackout.</param>
    public void Add(List<string> evidence, NamedCause main)
    {
        bool isWhole = main.Blackout!.IsWholeMachine;
        List<Blackout> all = [.. findings.Causes.Blackouts.Proven.Where(blackout => blackout.IsWholeMachine == isWhole)];
        AddLengths(evidence, all, isWhole);
        if (main.Finding is { Owner: { } owner } finding)
        {
            evidence.Add(Text(
                $"Its code stands at the edges of {finding.Samples} of {finding.SamplesAsked} of them ({main.Routine}); "
                + $"{ReadablePercent.Of(ShareOf(owner))} of all samples hit it{PlaceOf(main, owner)}."));
            if (main.Blackout.IsOfAllCpus)
            {
                evidence.Add("All CPUs stopped while its code ran on one, and code on one CPU can't stop the others: firmware (SMM) that "
                    + "was entered from it is as likely as a device that it touched and that stalled the bus.");
            }
            else if (isWhole)
            {
                evidence.Add("The machine stopped while its code ran: a device that it touched may have stalled the bus; firmware can't be "
                    + "excluded.");
            }

            return;
        }

        AddEdges(evidence, all, main);
        if (isWhole)
        {
            AddFollowers(evidence, all);
        }

        evidence.Add(main.Mechanism == Mechanism.Hypervisor
            ? "A hypervisor is present, as it also is where Windows protects itself with one (VBS, HVCI): it may have given the "
                + "processor to others. Firmware can't be excluded: nothing in the trace tells them apart."
            : isWhole
            ? "Firmware (SMI) stops all CPUs like this."
            : main.Blackout.IsElsewhereAlive
            ? "Other CPUs ran meanwhile, and an SMI stops all of them: a hypervisor that gave the processor to others (a virtual machine, "
                + "VBS or Hyper-V) or a stalled device access stops a single CPU like this."
            : "A stalled device access or the firmware stops a CPU like this.");
    }

    private static string Text(InvariantText text) => text.Take();

    private string Length(long ticks) => ReadableDuration.Of(findings.Length(ticks));

    /// <summary>States the proven lengths: each blackout began no later than its first missing sample was due.</summary>
    private void AddLengths(List<string> evidence, List<Blackout> all, bool isWhole)
    {
        long shortest = all.Min(blackout => blackout.ProvenTicks);
        long longest = all.Max(blackout => blackout.ProvenTicks);
        string lengths = shortest == longest ? Length(longest) : Text($"{Length(shortest)} to {Length(longest)}");
        string which = isWhole ? "on any CPU" : "on its CPU";
        string count = all.Count == 1 ? "the only such blackout in the trace" : Counted.Of(all.Count, "such blackout") + " in the trace";
        string cpus = isWhole && all.Max(blackout => blackout.Cpus) is > 1 and var most
            ? all.Min(blackout => blackout.Cpus) is var least && least < most
                ? Text($", with samples due on {least} to {most} CPUs")
                : Text($", with samples due on {most} CPUs")
            : string.Empty;
        evidence.Add(Text($"Nothing was served {which}, not even the profile interrupt that was due, for at least {lengths}; ")
            + Text($"{count}{cpus}."));
    }

    /// <summary>States what stood at the edges of the blackouts that nobody's code explains.</summary>
    private void AddEdges(List<string> evidence, List<Blackout> all, NamedCause main)
    {
        List<Blackout> unowned = [.. all.Where(blackout => blackout.Owner?.Owner is null)];
        string edges = string.Join(", ", unowned.SelectMany(blackout => blackout.Edges)
            .Select(edge => edge.IsUser ? "a process" : edge.Owner?.Owner?.Name ?? "unknown code")
            .GroupBy(name => name).OrderByDescending(group => group.Count()).ThenBy(group => group.Key, StringComparer.Ordinal)
            .Take(MostEdgesNamed).Select(group => Text($"{group.Key} {group.Count()}x")));
        if (main.Blackout!.Beat is { } beat)
        {
            evidence.Add(Text(
                $"CPU {main.Blackout.Cpu} stops every {ReadableDuration.Of(new Duration((long)Math.Round(beat.Seconds * 1e9)))}, ")
                + "and no module stands at most of these blackouts more often than chance explains.");
        }

        (LoadedImage Image, int Count)? driver = DriverAtMost(unowned);
        evidence.Add(edges.Length == 0
            ? "Which code stood at the edges is not known: no sample hit any there."
            : unowned.Count == 1
            ? Text($"One blackout does not tell who did it ({edges} stood at its edges).")
            : driver is ({ } image, var count)
            ? Text($"{image.Name} stands at the edges of {count} of {Counted.Of(unowned.Count, "blackout")}, ")
                + Text($"and {ReadablePercent.Of(ShareOf(image))} ")
                + Text($"of all samples hit it: that neither accuses nor clears it (at the edges: {edges}).")
            : Text($"No driver is seen at the edges of most of these blackouts ({edges})."));
    }

    /// <summary>Where the code stands at the edges, if that is rarer than the module itself; as a part of a sentence.</summary>
    private string PlaceOf(NamedCause main, LoadedImage owner)
    {
        if (main.Blackout!.Place is not { Place: var place, Share: var share })
        {
            return string.Empty;
        }

        string where = place.Kind switch
        {
            PlaceKind.Cpu => Text($"of the samples on CPU {place.Value}, where it stands there"),
            PlaceKind.Caller => Text($"in threads of {NameOf((uint)place.Value)}, which stand there"),
            _ => Text($"in the piece of {owner.Name} that stands there"),
        };
        return Text($", but outside of the blackouts only {ReadablePercent.Of(share)} {where}");

        string NameOf(uint process) => naming.Facts.Threads.NameOf(process, main.Blackout.ToTicks) ?? "one process";
    }

    private double ShareOf(LoadedImage image) =>
        findings.Shares.Busy > 0 ? (double)findings.Shares.Of(image) / findings.Shares.Busy : 0;

    /// <summary>The driver at the edges of at least half of some blackouts, and of more than one; null for none.</summary>
    private (LoadedImage Image, int Count)? DriverAtMost(List<Blackout> blackouts) => blackouts
        .SelectMany(blackout => blackout.Edges.Select(edge => edge.Owner?.Owner).OfType<LoadedImage>()
            .Where(image => findings.Modules.RoleOf(image) != ModuleRole.Kernel).DistinctBy(image => image.Number))
        .GroupBy(image => image.Number)
        .Where(group => group.Count() > 1 && 2 * group.Count() >= blackouts.Count)
        .OrderByDescending(group => group.Count()).ThenBy(group => group.Key)
        .Select(group => ((LoadedImage, int)?)(group.First(), group.Count())).FirstOrDefault();

    /// <summary>An interrupt that ran right after most blackouts, far more often than its rate explains, has to do with them.</summary>
    private void AddFollowers(List<string> evidence, List<Blackout> all)
    {
        const double FollowSeconds = 50e-6;
        double seconds = Math.Max(1e-9, findings.Summary.Duration!.Value.Nanoseconds / 1e9);
        double stopped = all.Sum(blackout => findings.Length(blackout.ToTicks - blackout.FromTicks).Nanoseconds / 1e9) / all.Count;
        Dictionary<ulong, int> routines = all.SelectMany(blackout => blackout.Followers).CountBy(routine => routine).ToDictionary();
        foreach ((ulong routine, int followed) in routines.Where(routine => !findings.Machine.ClockInterrupts.Is(routine.Key))
            .OrderBy(routine => routine.Key))
        {
            long runs = findings.Machine.Routines.RunsOf(routine, isIsr: true);
            // An interrupt that arrives while the machine stands still is served when it resumes.
            double byChance = 1 - Math.Exp(-(runs / seconds) * (stopped + FollowSeconds));
            if (followed < FewestFollowed || 2 * followed < all.Count
                || BinomialTail.LogAtLeast(followed, all.Count, byChance) > Math.Log(FollowerChance / routines.Count)
                || findings.Modules.Find(routine, all[^1].ToTicks) is not { } image)
            {
                continue;
            }

            bool isFirmwares = findings.Modules.RoleOf(image) == ModuleRole.Firmware;
            string what = isFirmwares ? "An ACPI interrupt" : Text($"An interrupt of {image.Name}");
            evidence.Add(Text(
                $"{what} followed at once, in {followed} of {all.Count} ({naming.Routine(routine, all[^1].ToTicks)}), although they come "
                + $"only {runs / seconds:0.#} times a second")
                + (isFirmwares ? ": that makes firmware more likely, but does not prove it." : "."));
        }
    }
}
