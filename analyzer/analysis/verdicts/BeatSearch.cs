using Tracer.Analysis.Beats;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>Searches for the beat of the first suspects, and for other events of the trace that are in step with it.</summary>
internal sealed class BeatSearch
{
    /// <summary>How many suspects, the largest ones, are searched for a beat. Those with less time do not decide the verdict.</summary>
    private const int MostSuspects = 10;

    /// <summary>
    /// Events within this many times their usual length of each other count as one burst, and so as one event of the beat.
    /// </summary>
    public const int BurstLengths = 3;

    /// <summary>
    /// How far two events may deviate from their usual distance and still be in step, in any case. Events that are closer than this happen
    /// at the same time.
    /// </summary>
    private const double LeastStepWindowSeconds = 0.001;

    private readonly BlameFindings _findings;
    private readonly DriverTable _table;
    private readonly Dictionary<string, List<double>> _methods = [];
    private readonly Dictionary<Suspect, SuspectTimes> _times = [];

    public BeatSearch(BlameFindings findings, IReadOnlyList<Suspect> suspects, DriverTable table)
    {
        _findings = findings;
        _table = table;
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

    /// <summary>The beat of a suspect, where it is clear, with sentences about it; null where none shows.</summary>
    public (Period? Period, IReadOnlyList<string> Sentences, Beat Beat)? Of(Suspect suspect)
    {
        if (!_times.TryGetValue(suspect, out SuspectTimes? times) || MechanismPages.Of(suspect.Main.Mechanism).BeginsWithVictim
            || BeatTest.Find(times.Seconds, times.BurstSeconds) is not { } beat)
        {
            return null;
        }

        Period? period = !beat.IsClear || !beat.IsKept ? null : new Period
        {
            Seconds = Math.Round(beat.Seconds, 6),
            JitterMs = Math.Round(beat.Jitter * 1e3, 3),
            Coverage = Math.Round(beat.Coverage, 4),
        };
        List<string> evidence =
        [
            (beat.IsKept
                ? Text($"It comes every {Text(beat.Seconds)} (+-{Text(beat.Jitter)})")
                : Text($"It comes about every {Text(beat.Seconds)} (+-{Text(beat.Jitter)}), as a loop that sleeps would"))
                + Text($": {beat.BeatsWithEvent} of {beat.Beats} beats, the first at {Text(beat.First)}."),
        ];
        double[] onBeat = [.. times.Seconds.Where(beat.Has)];
        if (onBeat.Length < times.Seconds.Length)
        {
            evidence.Add(Text(
                $"Not on this beat: {times.Seconds.Length - onBeat.Length} of its {Counted.Of(times.Seconds.Length, "time")}."));
        }

        if (suspect.Main.Method is null)
        {
            evidence.AddRange(_methods.OrderBy(method => method.Key, StringComparer.Ordinal)
                .Select(method => InStep(onBeat, beat, method.Value, $"the firmware's method {method.Key}")).OfType<string>());
        }

        evidence.AddRange(_times.Where(other => other.Key != suspect)
            .Select(other => InStep(onBeat, beat, other.Value.Seconds, other.Key.Name)).OfType<string>());
        return (period, evidence, beat);
    }

    /// <summary>
    /// When the suspect's work began: the work that victims waited for, and, where runs are recorded, all others of about that length,
    /// whether a victim waited or not.
    /// </summary>
    private SuspectTimes TimesOf(Suspect suspect)
    {
        if (suspect.Main is { Kind: CulpritKind.Hardware, Blackout: { Owner: null } blackout })
        {
            // The end of a blackout is known exactly, its start is not.
            Blackout[] blackouts = [.. _findings.Causes.Blackouts.Proven
                .Where(other => other.Owner is null && other.IsWholeMachine == blackout.IsWholeMachine
                    && (blackout.IsWholeMachine || other.Cpu == blackout.Cpu))];
            return Times([.. blackouts.Select(other => Seconds(other.ToTicks))], blackout.ToTicks - blackout.StartTicks);
        }

        List<double> begins = [];
        List<long> lengths = [];
        double least = OwnRuns.LeastOfWorst * suspect.WorstTicks;
        foreach (IGrouping<NamedEpisode, NamedCause> parts in suspect.Parts.GroupBy(part => part.Episode, part => part.Cause))
        {
            long ticks = parts.Sum(part => part.Ticks);
            long most = parts.Max(part => part.Ticks);
            if (ticks >= least)
            {
                begins.Add(Seconds(parts.Where(part => part.Ticks >= OwnRuns.LeastOfWorst * most)
                    .Min(part => part.BeginTicks(parts.Key.Candidate.FromTicks))));
                lengths.Add(ticks);
            }
        }

        IEnumerable<NamedCause> causes = suspect.Parts.Select(part => part.Cause);
        List<LongRun> own = suspect.Kind switch
        {
            CulpritKind.Driver or CulpritKind.Kernel => OwnRuns.LongOf(causes, _table),
            CulpritKind.Process => OwnRuns.OfThreads(causes, _findings),
            _ => [],
        };
        begins.AddRange(own.Select(run => Seconds(run.StartTicks)));

        lengths.Sort();
        return Times(begins, lengths.Count == 0 ? 0 : lengths[lengths.Count / 2]);
    }

    private SuspectTimes Times(List<double> begins, long usualTicks)
    {
        begins.Sort();
        return new SuspectTimes([.. begins.Distinct()], BurstLengths * _findings.Length(usualTicks).Nanoseconds / 1e9);
    }

    /// <summary>
    /// A sentence about another series of events, if it comes at the same distance from nearly all events and chance does not explain that;
    /// otherwise null.
    /// </summary>
    private static string? InStep(double[] events, Beat beat, IReadOnlyList<double> other, string name)
    {
        if (Beats.InStep.Of(events, other, beat.Seconds, LeastStepWindowSeconds) is not { } step)
        {
            return null;
        }

        string when = Math.Abs(step.Distance) < LeastStepWindowSeconds ? "at the same time"
            : step.Distance < 0 ? Text($"{Text(-step.Distance)} after it") : Text($"{Text(step.Distance)} before it");
        return Text($"In step with {name}: {step.Met} of {Counted.Of(step.Events, "time")} {when}.");
    }

    private static string Text(InvariantText text) => text.Take();

    private static string Text(double seconds) => ReadableDuration.Of(new Duration((long)Math.Round(seconds * 1e9)));

    private double Seconds(long ticks) => _findings.Time(ticks).Nanoseconds / 1e9;

    /// <summary>When a suspect's work began, in seconds, and how close together events are one burst.</summary>
    private sealed record SuspectTimes(double[] Seconds, double BurstSeconds);
}
