using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.Analysis;

/// <summary>All that looks for causes of delays, set up on one machine.</summary>
internal sealed class CauseSearch
{
    /// <summary>Sets it up.</summary>
    /// <param name="facts">What the first reading learnt.</param>
    /// <param name="machine">The machine's state.</param>
    /// <param name="owners">Says whose code ran.</param>
    /// <param name="settings">What is asked.</param>
    /// <param name="measured">Wake-ups at or above the threshold that a driver or probe measured, by end.</param>
    /// <param name="has">What was recorded.</param>
    /// <param name="budget">Limits the work.</param>
    public CauseSearch(
        TraceFacts facts,
        MachineState machine,
        OwnersOfCode owners,
        InquirySettings settings,
        IEnumerable<Delay> measured,
        RecordedKinds has,
        WorkBudget budget)
    {
        Blackouts = new Blackouts();
        var accounting = new Accounting(
            owners,
            Blackouts,
            facts.Threads.ProcessOf,
            has.IsrDpc,
            new SpinSearch(machine, Blackouts, owners, budget),
            machine.Power,
            machine.TicksPerSecond,
            budget);
        Inquiry = new EpisodeInquiry(
            settings,
            machine,
            Blackouts,
            new BlackoutSearch(machine, owners, has, facts.Tracer.SampleIntervalTicks, Blackouts, budget),
            accounting,
            new EarlierParts(machine, accounting, owners.Search, owners.Modules),
            new StripDrawing(Blackouts, owners.Search, budget),
            owners.Samples,
            budget,
            measured);
    }

    /// <summary>Looks into delays.</summary>
    public EpisodeInquiry Inquiry { get; }

    /// <summary>The blackouts.</summary>
    public Blackouts Blackouts { get; }

    /// <summary>All was read: whose the blackouts are can be told by all of them.</summary>
    /// <param name="shares">How often each module is on a CPU.</param>
    /// <param name="clock">The trace's clock.</param>
    /// <returns>What was found.</returns>
    public CauseFindings Complete(SampleShares shares, TraceClock clock)
    {
        BlackoutOwners.Assign(Blackouts.Found, shares, ticks => clock.NanosecondsFromHeader(ticks) / 1e9);
        return new CauseFindings(Inquiry.Done, Blackouts, Inquiry.Dropped, Inquiry.AcrossLoss, Inquiry.InOwnWork);
    }
}

/// <summary>What kept victims waiting, before anything has a name.</summary>
/// <param name="Episodes">The episodes looked into, in the order in which they ended, several probes of one thing still apart.</param>
/// <param name="Blackouts">The blackouts, with their owners.</param>
/// <param name="Dropped">Episodes beyond <see cref="EpisodeInquiry.MostEpisodes"/>.</param>
/// <param name="AcrossLoss">
/// Wake-ups that were left out because records of other CPUs are missing meanwhile and nothing explains them, or the machine slept.
/// </param>
/// <param name="InOwnWork">Latencies that were left out because our own flight recorder was at work meanwhile.</param>
internal sealed record CauseFindings(
    IReadOnlyList<EpisodeCandidate> Episodes, Blackouts Blackouts, long Dropped, long AcrossLoss, long InOwnWork);
