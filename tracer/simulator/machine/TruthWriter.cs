using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>Turns episodes and their shares into the record that stands beside the trace.</summary>
internal static class TruthWriter
{
    /// <summary>A source that came less often has no beat that anybody could see.</summary>
    private const int LeastBeats = 6;

    public static TruthReport Write(TruthDeclaration declaration, MachineOptions options, long durationNs, List<Candidate> kept) => new()
    {
        Scenario = declaration.Scenario,
        Seed = options.Seed,
        Cpus = options.Cpus,
        Duration = new Duration(durationNs),
        Threshold = new Duration(options.ThresholdNs),
        Verdict = declaration.Verdict,
        Culprit = declaration.Culprit,
        Mechanism = declaration.Mechanism,
        Culprits = Culprits(kept),
        Innocents = declaration.Innocents,
        Episodes = [.. kept.Select(Episode)],
    };

    private static TrueEpisode Episode(Candidate candidate)
    {
        List<Cause> causes = [.. candidate.Shares.Select(share =>
            new Cause { Culprit = share.Owner.Name, Mechanism = share.Mechanism, Time = new Duration(share.Ns), Routine = share.Routine })];
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
            Start = new Duration(candidate.StartNs),
            Latency = new Duration(candidate.LatencyNs),
            Cpu = candidate.Cpu,
            Thread = candidate.Thread is not SimulatedThread thread ? null : new VictimThread
            {
                Pid = thread.Process.Id,
                Tid = thread.Id,
                Process = thread.Process.ImageName,
                Priority = candidate.Priority,
            },
            Causes = [.. causes.OrderByDescending(cause => cause.Time).ThenBy(cause => cause.Culprit, StringComparer.Ordinal)],
        };
    }

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
        long[] numbers = [.. starts.Select(start => (long)Math.Floor((double)(start - first + half) / beat.PeriodNs))];
        long[] offsets = [.. starts.Select((start, i) => start - first - (numbers[i] * beat.PeriodNs))];
        long median = Median(offsets);
        return new Period
        {
            Seconds = beat.PeriodNs / 1e9,
            JitterMs = Median([.. offsets.Select(offset => Math.Abs(offset - median))]) / 1e6,
            Coverage = Math.Min(1.0, (double)numbers.Distinct().Count() / beat.Times.Count),
        };
    }

    private static long Median(long[] values)
    {
        Array.Sort(values);
        return values[values.Length / 2];
    }
}
