using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>Everything that searches for the causes of delays, set up for one machine.</summary>
internal sealed class CauseSearch
{
    /// <summary>Spans that are drawn of a CPU before short ones are joined.</summary>
    private const int MostLaneSpans = 20_000;

    /// <summary>Sets up the search.</summary>
    /// <param name="facts">The results of the first pass over the trace.</param>
    /// <param name="measured">Wake-ups at or above the threshold that a driver or probe measured, by end.</param>
    /// <param name="drawing">Limits the work of drawing lanes, which takes nothing from the search; null where none are wanted.</param>
    public CauseSearch(
        TraceFacts facts,
        MachineState machine,
        OwnersOfCode owners,
        EpisodeAnalysisSettings settings,
        IEnumerable<Delay> measured,
        RecordedKinds has,
        WorkBudget budget,
        WorkBudget? drawing = null)
    {
        Blackouts = new Blackouts();
        var accounting = new Accounting(
            owners,
            Blackouts,
            facts.Threads.ProcessOf,
            has.IsrDpc,
            facts.HasInterruptions,
            new SpinSearch(machine, Blackouts, owners, budget),
            machine,
            budget);
        var blackoutSearch = new BlackoutSearch(machine, owners, has, facts.Tracer.SampleIntervalTicks, Blackouts, budget);
        var waited = new WaitedCpu(
            settings, machine, accounting, new MeasuredWait(settings, machine.Cpus, blackoutSearch, accounting), budget);
        var chains = new ThreadChains(machine, accounting, waited, owners.Modules, settings.LevelGapTicks, facts.HasHardFaults);
        Episodes = new EpisodeAnalysis(
            settings,
            machine,
            Blackouts,
            new EarlierWaits(machine, accounting, owners.Search, owners.Modules, chains),
            waited,
            new LostTime(machine, accounting, chains, settings.ThresholdTicks, settings.LevelGapTicks),
            new StripDrawing(Blackouts, owners.Search, budget),
            drawing is null
                ? null
                : new LaneKeeping(
                    new LaneDrawing(new StripDrawing(Blackouts, owners.Search, drawing, MostLaneSpans), settings.LagTicks).Draw),
            budget);
        Sleeps = new SleepSearch(machine, facts.Standby, Blackouts);
        Delays = new SettleQueue(settings, machine, Blackouts, blackoutSearch, Episodes, measured);
    }

    /// <summary>Finds when the machine slept.</summary>
    public SleepSearch Sleeps { get; }

    /// <summary>Takes the delays that are to be explained.</summary>
    public SettleQueue Delays { get; }

    public EpisodeAnalysis Episodes { get; }

    /// <summary>The blackouts found so far.</summary>
    public Blackouts Blackouts { get; }

    /// <summary>Ends the search after the whole trace was read. Only then can the blackouts be assigned to their owners.</summary>
    /// <param name="shares">How often each module is on a CPU, by profile samples.</param>
    public CauseFindings Complete(SampleShares shares, TraceClock clock)
    {
        BlackoutOwners.Assign(Blackouts.Found, shares, ticks => clock.NanosecondsFromHeader(ticks) / 1e9);
        return new CauseFindings(Episodes.Done, Blackouts, Episodes.Dropped, Episodes.AcrossLoss, Episodes.InOwnWork)
        {
            ForgottenJobs = Episodes.ForgottenJobs,
        };
    }
}

/// <summary>What kept victims waiting, before owners have names.</summary>
/// <param name="Episodes">The examined episodes, in the order in which they ended. Several probes of one delay are still separate.</param>
/// <param name="Dropped">Number of episodes beyond <see cref="EpisodeAnalysis.MostEpisodes"/>.</param>
/// <param name="AcrossLoss">
/// Wake-ups left out because records of other CPUs are missing meanwhile and nothing explains the wait, or because the machine slept.
/// </param>
/// <param name="InOwnWork">Latencies left out because Tracer's own flight recorder was writing meanwhile.</param>
internal sealed record CauseFindings(
    IReadOnlyList<EpisodeCandidate> Episodes, Blackouts Blackouts, long Dropped, long AcrossLoss, long InOwnWork)
{
    /// <summary>Jobs whose first stays on CPUs were no longer kept when they were to be explained.</summary>
    public long ForgottenJobs { get; init; }
}
