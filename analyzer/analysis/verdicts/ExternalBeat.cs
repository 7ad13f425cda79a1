using Tracer.Analysis.Beats;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>
/// One common cause from outside: the episodes keep one beat whatever code their time is blamed on, that code took far longer than it does
/// otherwise, something shows a blackout, and none of that code keeps the beat in the rest of the trace. Then the machine stopped it,
/// and the code is not to blame.
/// </summary>
internal sealed class ExternalBeat
{
    /// <summary>
    /// An owner whose runs are not recorded is taken to keep the beat itself from this part of the episodes on the beat on: at that share
    /// it may be the cause.
    /// </summary>
    private const double LeastOfEpisodes = 0.5;

    /// <summary>
    /// If the trace has only waits, and fewer of them per beat than this, the beat may be that of the victims' own wake-ups, and no outside
    /// cause is named.
    /// </summary>
    private const int ProbesPerBeat = 4;

    /// <summary>
    /// If most episodes on the beat have another one of the same victim within this part of a beat, they are a pattern of many waits and no
    /// blackout. A timer that beats against the clock tick makes such patterns.
    /// </summary>
    private const double NearPartOfBeat = 0.1;

    /// <summary>
    /// A run is long for its routine from this many times the routine's median on. What the machine stops in becomes longer by as much;
    /// timers of several drivers that expire together run as long as always.
    /// </summary>
    private const int TimesUsual = 3;

    /// <summary>Episodes on the beat that must show a blackout. One late record may be chance.</summary>
    private const int FewestBlackouts = 2;

    /// <summary>Owners that a sentence names, the most frequent ones. More are no help to the reader.</summary>
    private const int MostNamed = 4;

    private readonly BlameFindings _findings;
    private readonly Beat _beat;
    private readonly int _episodes;

    private ExternalBeat(BlameFindings findings, Beat beat, IReadOnlyList<DominantCause> onBeat)
    {
        _findings = findings;
        _beat = beat;
        _episodes = onBeat.Count;
        string[] owners = [.. onBeat.GroupBy(cause => cause.Key).OrderByDescending(owner => owner.Count())
            .ThenBy(owner => owner.Key, StringComparer.Ordinal).Take(MostNamed)
            .Select(owner => Text($"{owner.First().Says} {owner.Count()}x"))];
        string length = ReadableDuration.Of(new Duration((long)Math.Round(beat.Seconds * 1e9)));
        Why = Text($"{beat.BeatsWithEvent} of {beat.Beats} beats of {length} have an episode, whatever the CPU did at the time ")
            + Text($"({string.Join(", ", owners)}), and none of these is seen to keep that beat in the rest of the trace: what ")
            + "stopped them comes from outside of them.";
    }

    /// <summary>The sentence that says why no other owner is blamed.</summary>
    public string Why { get; }

    private bool HasHypervisor => _findings.Facts.HasHypervisor == true;

    /// <returns>The beat; null where there is none, and where an owner keeps it itself.</returns>
    public static ExternalBeat? Of(
        BlameFindings findings, CauseNaming naming, IReadOnlyList<NamedEpisode> episodes, DriverTable table, long probes)
    {
        List<DominantCause> causes = [.. episodes.Select(DominantCause.Of).OfType<DominantCause>()];
        if (causes.Count < BeatTest.LeastBeats)
        {
            return null;
        }

        long[] lengths = [.. causes.Select(cause => cause.Episode.Candidate.LatencyTicks).Order()];
        double burst = BeatSearch.BurstLengths * findings.Length(lengths[lengths.Length / 2]).Nanoseconds / 1e9;
        if (BeatTest.Find([.. causes.Select(cause => Seconds(findings, cause.BeginTicks))], burst) is not { IsClear: true } beat)
        {
            return null;
        }

        List<DominantCause> onBeat = [.. causes.Where(cause => beat.Has(Seconds(findings, cause.BeginTicks)))];
        List<IGrouping<string, DominantCause>> owners = [.. onBeat.GroupBy(cause => cause.Key)];
        bool isOfVictims = onBeat.TrueForAll(
            cause => cause.Episode.Candidate.Probe is ProbeKind.Thread or ProbeKind.Job or ProbeKind.Wakeup)
            && probes < ProbesPerBeat * beat.Beats;
        // Switches record who ran: threads that took a CPU in turn did not stop.
        return owners.Count < 2 || isOfVictims || onBeat.TrueForAll(cause => cause.Kind == CulpritKind.Process)
            || ArePatterns(findings, beat, causes, onBeat)
            || !AreLong(findings, onBeat) || !ShowBlackouts(findings, naming, onBeat)
            || owners.Exists(owner => Keeps(findings, beat, [.. owner], onBeat, table))
            ? null
            : new ExternalBeat(findings, beat, onBeat);
    }

    /// <summary>Blames the main part of an episode on the beat on the outside cause.</summary>
    /// <returns>The episode; unchanged where it is not on the beat.</returns>
    public NamedEpisode Reassigned(NamedEpisode episode)
    {
        if (DominantCause.Of(episode) is not { } main || main.Kind == CulpritKind.Hardware
            || !_beat.Has(Seconds(_findings, main.BeginTicks)))
        {
            return episode;
        }

        List<NamedCause> causes =
            [.. episode.Causes.Select(cause => main.Parts.Contains(cause) ? OfMachine(cause.Ticks, cause.Share) : cause)];
        if (main.Parts.Count == 0)
        {
            causes.Add(OfMachine(main.Ticks, BlackoutPage.Unseen(episode.Candidate.FromTicks, main.Ticks)));
        }

        return episode with { Causes = causes };
    }

    /// <summary>
    /// Whether most ISRs and DPCs with the longest times took far longer than other runs of their routines. Routines that run on the beat
    /// only tell nothing.
    /// </summary>
    private static bool AreLong(BlameFindings findings, List<DominantCause> onBeat)
    {
        int known = 0;
        int longer = 0;
        foreach (IGrouping<(ulong Routine, bool IsIsr), long> routine in onBeat
            .Select(cause => cause.Parts.MaxBy(part => part.Ticks)?.Share).OfType<CauseShare>().Where(share => share.Detail is RoutineRan)
            .GroupBy(
                share => (((RoutineRan)share.Detail).Routine, share.Mechanism == Mechanism.Isr),
                share => ((RoutineRan)share.Detail).LongestTicks))
        {
            if (findings.Machine.Routines.MedianOfOthers(routine.Key.Routine, routine.Key.IsIsr, routine.Count()) is { } usual)
            {
                known += routine.Count();
                longer += routine.Count(longest => longest >= TimesUsual * usual);
            }
        }

        return longer > 0 && 2 * longer >= known;
    }

    /// <summary>
    /// Whether several episodes on the beat show that nothing was served: a due sample came late, or a CPU had work and nothing at all is
    /// recorded meanwhile, where ISRs, DPCs and switches are.
    /// </summary>
    private static bool ShowBlackouts(BlameFindings findings, CauseNaming naming, List<DominantCause> onBeat)
    {
        bool isAllRecorded = naming.HasIsrs && naming.HasDpcs && findings.Summary.Has.ContextSwitches;
        return onBeat.Count(cause => cause.Kind == CulpritKind.Hardware || (cause.Parts.Count == 0 && isAllRecorded)
            || findings.Causes.Blackouts.Touching(
                cause.Episode.Candidate.Cpu, cause.Episode.Candidate.FromTicks, cause.Episode.Candidate.ToTicks).Any()) >= FewestBlackouts;
    }

    private static bool ArePatterns(BlameFindings findings, Beat beat, List<DominantCause> causes, List<DominantCause> onBeat)
    {
        HashSet<DominantCause> near = new(ReferenceEqualityComparer.Instance);
        foreach (IGrouping<(int, uint?), DominantCause> victim in causes.GroupBy(
            cause => (cause.Episode.Candidate.Cpu, cause.Episode.Candidate.ThreadId)))
        {
            DominantCause? last = null;
            foreach (DominantCause cause in victim.OrderBy(cause => cause.BeginTicks))
            {
                if (last is not null
                    && Seconds(findings, cause.BeginTicks) - Seconds(findings, last.BeginTicks) < NearPartOfBeat * beat.Seconds)
                {
                    near.Add(cause);
                    near.Add(last);
                }

                last = cause;
            }
        }

        return 2 * onBeat.Count(near.Contains) > onBeat.Count;
    }

    private static string Text(InvariantText text) => text.Take();

    private static double Seconds(BlameFindings findings, long ticks) => findings.Time(ticks).Nanoseconds / 1e9;

    /// <summary>
    /// Whether an owner keeps the beat itself: its long runs outside of the episodes lie on it, or all of its long runs together cover
    /// nearly every beat.
    /// </summary>
    private static bool Keeps(
        BlameFindings findings, Beat beat, List<DominantCause> own, List<DominantCause> onBeat, DriverTable table)
    {
        if (own[0].Kind is not (CulpritKind.Driver or CulpritKind.Kernel or CulpritKind.Process))
        {
            return false;
        }

        IEnumerable<NamedCause> parts = own.SelectMany(cause => cause.Parts);
        List<LongRun> runs = own[0].Kind == CulpritKind.Process ? OwnRuns.OfThreads(parts, findings) : OwnRuns.LongOf(parts, table);
        if (runs.Count == 0)
        {
            return own.Count >= LeastOfEpisodes * onBeat.Count;
        }

        BeatKeeping all = BeatKeeping.Of([.. runs.Select(run => Seconds(findings, run.StartTicks))], beat);
        List<LongRun> elsewhere = [.. runs.Where(run => !onBeat.Exists(cause =>
            run.EndTicks > cause.Episode.Candidate.FromTicks && run.StartTicks < cause.Episode.Candidate.ToTicks))];
        return (all.Answer == BeatAnswer.Keeps && all.OnBeat >= Beat.ClearCoverage * beat.Beats)
            || BeatKeeping.Of([.. elsewhere.Select(run => Seconds(findings, run.StartTicks))], beat).Answer == BeatAnswer.Keeps;
    }

    private NamedCause OfMachine(long ticks, CauseShare? share) =>
        BlackoutPage.OnBeat(ticks, share, HasHypervisor, _episodes, _beat, Why);

    /// <summary>The owner with the longest time in an episode.</summary>
    /// <param name="Kind">The kind of owner; null where not known.</param>
    /// <param name="Name">Its name; null where not known.</param>
    /// <param name="Parts">The owner's parts; empty where nothing explains the time.</param>
    private sealed record DominantCause(
        NamedEpisode Episode, CulpritKind? Kind, string? Name, IReadOnlyList<NamedCause> Parts, long Ticks)
    {
        /// <summary>The key that tells owners apart; Windows compares names without regard to case.</summary>
        public string Key => Name?.ToUpperInvariant() ?? string.Empty;

        /// <summary>The owner's name in a sentence.</summary>
        public string Says => Name ?? "unexplained";

        public long BeginTicks => Parts.Count == 0
            ? Episode.Candidate.FromTicks
            : Parts.Min(part => part.BeginTicks(Episode.Candidate.FromTicks));

        /// <summary>
        /// The dominant cause of an episode; null for causes that have nothing to do with a CPU: the granularity of timers, and page reads.
        /// </summary>
        public static DominantCause? Of(NamedEpisode episode)
        {
            DominantCause main = episode.Causes.GroupBy(cause => (cause.Kind, Name: cause.Name?.ToUpperInvariant(), cause.Behind))
                .Select(group => new DominantCause(
                    episode, group.Key.Kind, group.First().Name ?? group.Key.Behind, [.. group], group.Sum(cause => cause.Ticks)))
                .Append(new DominantCause(
                    episode, null, null, [], episode.Candidate.LatencyTicks - episode.Causes.Sum(cause => cause.Ticks)))
                .OrderByDescending(cause => cause.Ticks).ThenBy(cause => cause.Key, StringComparer.Ordinal).First();
            return main.Parts.Any(part => part.Mechanism is Mechanism.TimerTick or Mechanism.Paging) ? null : main;
        }
    }
}
