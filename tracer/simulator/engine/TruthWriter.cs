namespace Tracer.Simulator.Engine;

/// <summary>Turns episodes and their shares into the record that stands beside the trace.</summary>
internal static class TruthWriter
{
    /// <summary>A source that came less often has no beat that anybody could see.</summary>
    private const int LeastBeats = 6;

    /// <param name="sleeps">Times of the record have them in.</param>
    public static TruthReport Write(
        TruthDeclaration declaration, MachineOptions options, long durationNs, List<Candidate> kept, MachineSleeps sleeps)
    {
        TruthReport truth = Declared(declaration, options, durationNs, kept, sleeps);

        // What goes on below a healthy machine has a tail: where it happens to be too long, somebody is to blame all the same.
        const double MostOfIt = 0.5;
        if (truth.Verdict == Verdict.None && truth.Culprits is [{ Share: >= MostOfIt } culprit, ..])
        {
            return truth with { Verdict = VerdictOf(culprit.Kind), Culprit = culprit.Name, Mechanism = culprit.Mechanism };
        }

        // And how the culprit mostly did it may depend on where its victims ran: who waits for a lock, and who for its holder's CPU.
        return truth.Culprits is [{ Name: var name, Mechanism: var mechanism }, ..] && name == truth.Culprit
            ? truth with { Mechanism = mechanism }
            : truth;
    }

    private static Verdict VerdictOf(CulpritKind kind) => kind switch
    {
        CulpritKind.Driver => Verdict.Driver,
        CulpritKind.Process => Verdict.Process,
        CulpritKind.Kernel => Verdict.Kernel,
        CulpritKind.Hardware => Verdict.Hardware,
        CulpritKind.Power => Verdict.Power,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "No such kind of culprit."),
    };

    private static TruthReport Declared(
        TruthDeclaration declaration, MachineOptions options, long durationNs, List<Candidate> kept, MachineSleeps sleeps)
    {
        return new()
        {
            Scenario = declaration.Scenario,
            Seed = options.Seed,
            Cpus = options.Cpus,
            Duration = new Duration(sleeps.WithSleeps(durationNs)),
            Threshold = new Duration(options.ThresholdNs),
            Verdict = declaration.Verdict,
            Culprit = declaration.Culprit,
            Mechanism = declaration.Mechanism,
            Culprits = Culprits(kept.FindAll(candidate => !candidate.IsSecondary)),
            Secondary = kept.Exists(candidate => candidate.IsSecondary) ? Culprits(kept.FindAll(candidate => candidate.IsSecondary)) : null,
            Innocents = declaration.Innocents,
            Episodes = [.. kept.Select(candidate => Episode(candidate, sleeps))],
        };
    }

    private static TrueEpisode Episode(Candidate candidate, MachineSleeps sleeps)
    {
        List<Cause> causes = [.. candidate.Shares.Select(share =>
            new Cause
            {
                Culprit = share.Owner.Name,
                Mechanism = share.Mechanism,
                Time = new Duration(share.Ns),
                Routine = share.Routine,
                Chain = ChainOf(share),
            })];
        if (candidate.TimerTickNs > 0)
        {
            Duration tick = new(candidate.TimerTickNs);
            causes.Add(new Cause { Culprit = null, Mechanism = Mechanism.TimerTick, Time = tick, Routine = null });
        }

        long rest = candidate.LatencyNs - candidate.TimerTickNs - candidate.Shares.Sum(share => share.Ns);
        if (rest > 0)
        {
            causes.Add(new Cause { Culprit = null, Mechanism = Mechanism.Unexplained, Time = new Duration(rest), Routine = null });
        }

        return new TrueEpisode
        {
            Probe = candidate.Probe,
            Start = new Duration(sleeps.WithSleeps(candidate.StartNs)),
            Latency = new Duration(candidate.LatencyNs),
            Cpu = candidate.Cpu,
            Thread = candidate.Thread is not SimulatedThread thread ? null : new VictimThread
            {
                Pid = thread.Process.Id,
                Tid = thread.Id,
                Process = thread.Process.ImageName,
                Priority = candidate.Priority,
            },
            Job = candidate.Job is not TrueJob job ? null : new EpisodeJob
            {
                Due = TimeOf(job.DueNs, sleeps),
                Ready = TimeOf(job.ReadyNs, sleeps),
                Run = new Duration(job.RunNs),
                Work = new Duration(job.WorkNs),
                Lost = new Duration(candidate.LatencyNs),
                End = new Duration(sleeps.WithSleeps(job.EndNs)),
                Deadline = TimeOf(job.DeadlineNs, sleeps),
            },
            LateTimerCpu = candidate.TimerCpu,
            Secondary = candidate.IsSecondary,
            Causes = [.. causes.OrderByDescending(cause => cause.Time).ThenBy(cause => cause.Culprit, StringComparer.Ordinal)],
        };
    }

    private static Duration? TimeOf(long ns, MachineSleeps sleeps) => ns < 0 ? null : new Duration(sleeps.WithSleeps(ns));

    private static ChainLink[]? ChainOf(Share share) => share.Links.Count == 0 ? null :
    [
        .. share.Links.Select(link =>
            new ChainLink { Thread = link.Thread.Id, Process = link.Thread.Process.ImageName, Why = link.Why }),
    ];

    private static List<TrueCulprit> Culprits(List<Candidate> kept)
    {
        long latency = kept.Sum(candidate => candidate.LatencyNs);
        var byOwner = kept
            .SelectMany(candidate => candidate.Shares.Select(share => (Candidate: candidate, Share: share)))
            .GroupBy(part => (part.Share.Owner.Kind, part.Share.Owner.Name));
        List<TrueCulprit> culprits = [];
        foreach (var parts in byOwner)
        {
            long blamed = parts.Sum(part => part.Share.Ns);
            culprits.Add(new TrueCulprit
            {
                Kind = parts.Key.Kind,
                Name = parts.Key.Name,
                Mechanism = parts.GroupBy(part => part.Share.Mechanism).MaxBy(group => group.Sum(part => part.Share.Ns))!.Key,
                Share = (double)blamed / latency,
                Blamed = new Duration(blamed),
                Episodes = parts.Select(part => part.Candidate).Distinct().Count(),
                Through = parts.First().Share.Owner.Through,
                Period = Beat(
                    parts.Select(part => part.Share.Owner.Beat).FirstOrDefault(beat => beat is not null),
                    [.. parts.Select(part => part.Candidate).Distinct().Select(candidate => candidate.StartNs)]),
                Without = null,
            });
        }

        return [.. culprits.OrderByDescending(culprit => culprit.Blamed).ThenBy(culprit => culprit.Name, StringComparer.Ordinal)];
    }

    /// <summary>How well episodes follow a beat; null where there is none, or too few to see.</summary>
    private static Period? Beat(IBeat? beat, long[] starts)
    {
        if (beat is null || beat.PeriodNs == 0 || beat.Times.Count < LeastBeats)
        {
            return null;
        }

        long first = beat.Times[0];
        long half = beat.PeriodNs / 2;
        long[] numbers = [.. starts.Select(
            start => beat.HasSlips ? Nearest(beat.Times, start) : (long)Math.Floor((double)(start - first + half) / beat.PeriodNs))];
        long[] offsets = [.. starts.Select(
            (start, i) => start - (beat.HasSlips ? beat.Times[(int)numbers[i]] : first + (numbers[i] * beat.PeriodNs)))];
        long median = Median(offsets);
        return new Period
        {
            Seconds = beat.PeriodNs / 1e9,
            JitterMs = Median([.. offsets.Select(offset => Math.Abs(offset - median))]) / 1e6,
            Coverage = Math.Min(1.0, (double)numbers.Distinct().Count() / beat.Times.Count),
        };
    }

    private static long Nearest(IReadOnlyList<long> times, long time)
    {
        int nearest = 0;
        for (int i = 1; i < times.Count; i++)
        {
            nearest = Math.Abs(times[i] - time) < Math.Abs(times[nearest] - time) ? i : nearest;
        }

        return nearest;
    }

    private static long Median(long[] values)
    {
        Array.Sort(values);
        return values[values.Length / 2];
    }
}
