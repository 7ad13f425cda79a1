using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Looks for the beat of each of the first suspects, and for what else the trace records that comes in step with it.</summary>
internal sealed class BeatSearch
{
    /// <summary>The first so many suspects are asked for their beat.</summary>
    private const int MostSuspects = 10;

    /// <summary>What is smaller than this part of the most in one episode is some other work of the same driver.</summary>
    private const double LeastOfWorst = 0.25;

    /// <summary>Several episodes within so many times their usual length are one burst.</summary>
    private const int BurstLengths = 3;

    /// <summary>This part of the events must have the other beside it.</summary>
    private const double LeastInStep = 0.8;

    /// <summary>How far from its usual distance the other may come, as a part of the beat.</summary>
    private const double StepWindow = 0.01;

    private const double LeastStepWindowSeconds = 0.001;

    /// <summary>The chance by which what does not belong together may come in step.</summary>
    private const double StepChance = 1e-4;

    private readonly BlameFindings _findings;
    private readonly Dictionary<string, List<double>> _methods = [];
    private readonly Dictionary<Suspect, SuspectTimes> _times = [];

    /// <summary>Takes what was found.</summary>
    /// <param name="findings">The findings.</param>
    /// <param name="suspects">All suspects.</param>
    public BeatSearch(BlameFindings findings, IReadOnlyList<Suspect> suspects)
    {
        _findings = findings;
        foreach (AcpiMethodEvent method in findings.Facts.AcpiMethods.Events.Where(method => method.IsBegin))
        {
            if (!_methods.TryGetValue(method.Method, out List<double>? times))
            {
                _methods.Add(method.Method, times = []);
            }

            times.Add(Seconds(method.Ticks));
        }

        foreach (Suspect suspect in suspects.Take(MostSuspects))
        {
            _times.Add(suspect, TimesOf(suspect));
        }
    }

    /// <summary>Whether it begins because the victim is called: its beat would be the victim's.</summary>
    private static bool BeginsWithVictim(Mechanism mechanism) =>
        mechanism is Mechanism.IdleExit or Mechanism.Paging or Mechanism.Scheduler;

    /// <summary>The beat of a suspect with sentences about it; null where there is none to be seen.</summary>
    public (Period Period, IReadOnlyList<string> Evidence)? Of(Suspect suspect)
    {
        if (!_times.TryGetValue(suspect, out SuspectTimes? times) || BeginsWithVictim(suspect.Main.Mechanism)
            || PhaseTest.Find(times.Seconds, times.BurstSeconds) is not { } beat)
        {
            return null;
        }

        var period = new Period
        {
            Seconds = Math.Round(beat.Seconds, 6),
            JitterMs = Math.Round(beat.Jitter * 1e3, 3),
            Coverage = Math.Round(beat.Coverage, 4),
        };
        List<string> evidence =
        [
            Text($"It comes every {Text(beat.Seconds)} (+-{Text(beat.Jitter)}): {beat.BeatsWithEvent} of {beat.Beats} beats, ")
                + Text($"the first at {Text(beat.First)}."),
        ];
        double[] onBeat = [.. times.Seconds.Where(time => Math.Abs(Off(time, beat)) <= beat.Window)];
        if (onBeat.Length < times.Seconds.Length)
        {
            evidence.Add(Text($"{times.Seconds.Length - onBeat.Length} of its {times.Seconds.Length} times are not on this beat."));
        }

        if (suspect.Main.Method is null)
        {
            evidence.AddRange(_methods.OrderBy(method => method.Key, StringComparer.Ordinal)
                .Select(method => InStep(onBeat, beat, method.Value, $"the firmware's method {method.Key}")).OfType<string>());
        }

        evidence.AddRange(_times.Where(other => other.Key != suspect)
            .Select(other => InStep(onBeat, beat, other.Value.Seconds, other.Key.Name)).OfType<string>());
        return (period, evidence);
    }

    private static double Off(double time, Beat beat)
    {
        double beats = (time - beat.First) / beat.Seconds;
        return (beats - Math.Round(beats)) * beat.Seconds;
    }

    private SuspectTimes TimesOf(Suspect suspect)
    {
        List<double> begins = [];
        List<long> lengths = [];
        double least = LeastOfWorst * suspect.WorstTicks;
        foreach (IGrouping<NamedEpisode, NamedCause> parts in suspect.Parts.GroupBy(part => part.Episode, part => part.Cause))
        {
            long ticks = parts.Sum(part => part.Ticks);
            long most = parts.Max(part => part.Ticks);
            if (ticks >= least)
            {
                begins.Add(Seconds(parts.Where(part => part.Ticks >= LeastOfWorst * most)
                    .Min(part => BeginOf(part, parts.Key.Candidate.FromTicks))));
                lengths.Add(ticks);
            }
        }

        begins.Sort();
        lengths.Sort();
        return new SuspectTimes(
            [.. begins], lengths.Count == 0 ? 0 : BurstLengths * _findings.Length(lengths[lengths.Count / 2]).Nanoseconds / 1e9);
    }

    /// <summary>When it really began, which may be before somebody waited for it.</summary>
    private static long BeginOf(NamedCause cause, long episodeTicks)
    {
        if (cause.Share is not { } share)
        {
            return episodeTicks;
        }

        return share.Stretches.Count == 0
            ? share.AtTicks
            : share.Stretches.Min(stretch => stretch.SinceTicks == long.MinValue ? stretch.FromTicks : stretch.SinceTicks);
    }

    /// <summary>A sentence, where the other comes at the same distance from nearly all events and by chance would not.</summary>
    private static string? InStep(double[] events, Beat beat, IReadOnlyList<double> other, string name)
    {
        if (events.Length < PhaseTest.LeastBeats || other.Count < PhaseTest.LeastBeats)
        {
            return null;
        }

        double[] sorted = [.. other.Order()];
        double[] distances = [.. events.Select(time => Nearest(sorted, time) - time)];
        double[] ordered = [.. distances.Order()];
        double usual = ordered[ordered.Length / 2];
        double window = Math.Max(LeastStepWindowSeconds, StepWindow * beat.Seconds);
        int inStep = distances.Count(distance => Math.Abs(distance - usual) <= window);
        double covered = Math.Min(1, 2 * window * sorted.Length / Math.Max(window, events[^1] - events[0]));
        double chance = ChanceOf(events.Length, inStep, covered) * Math.Max(1, beat.Seconds / window);
        if (inStep < LeastInStep * events.Length || Math.Abs(usual) > beat.Seconds / 4 || chance > StepChance)
        {
            return null;
        }

        string when = Math.Abs(usual) < LeastStepWindowSeconds ? "at the same time"
            : usual < 0 ? Text($"{Text(-usual)} after it") : Text($"{Text(usual)} before it");
        return Text($"In step with {name}: {inStep} of {events.Length} times {when}.");
    }

    private static double Nearest(double[] sorted, double time)
    {
        int next = Array.BinarySearch(sorted, time);
        next = next < 0 ? ~next : next;
        double after = next < sorted.Length ? sorted[next] : double.PositiveInfinity;
        double before = next > 0 ? sorted[next - 1] : double.NegativeInfinity;
        return after - time <= time - before ? after : before;
    }

    /// <summary>How often at least so many of some events meet what covers a part of the time.</summary>
    private static double ChanceOf(int events, int met, double covered)
    {
        double sum = 0;
        double term = Math.Pow(1 - covered, events);
        if (covered >= 1)
        {
            return 1;
        }

        for (int i = 0; i <= events; i++)
        {
            sum += i >= met ? term : 0;
            term *= (double)(events - i) / (i + 1) * (covered / (1 - covered));
        }

        return sum;
    }

    private static string Text(InvariantText text) => text.Take();

    private static string Text(double seconds) => ReadableDuration.Of(new Duration((long)Math.Round(seconds * 1e9)));

    private double Seconds(long ticks) => _findings.Time(ticks).Nanoseconds / 1e9;

    /// <summary>When a suspect's work began that kept a victim waiting.</summary>
    private sealed record SuspectTimes(double[] Seconds, double BurstSeconds);
}
