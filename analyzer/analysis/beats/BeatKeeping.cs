namespace Tracer.Analysis;

/// <summary>Whether times keep a given beat.</summary>
internal enum BeatAnswer
{
    /// <summary>Too few to tell.</summary>
    Undecided,

    /// <summary>Nearly all are on the beat, and by chance would not be.</summary>
    Keeps,

    /// <summary>So many are beside the beat that they can't keep it.</summary>
    IsOff,
}

/// <summary>How times lie to a given beat, its period and phase known.</summary>
internal sealed record BeatKeeping
{
    /// <summary>Who keeps a beat has at least this part of its times on it.</summary>
    public const double LeastShare = 0.8;

    /// <summary>The chance by which times that know nothing of the beat may seem to keep it.</summary>
    private const double Chance = 1e-3;

    /// <summary>The chance by which who keeps it may seem to be off it.</summary>
    private const double ChanceOfMistake = 0.01;

    private BeatKeeping()
    {
    }

    /// <summary>The answer.</summary>
    public required BeatAnswer Answer { get; init; }

    /// <summary>Times on the beat, each beat counted once.</summary>
    public required int OnBeat { get; init; }

    /// <summary>Times beside the beat, those around each beat counted once.</summary>
    public required int Beside { get; init; }

    /// <summary>How often so many times that know nothing of the beat, or more, would be on it, as a natural logarithm.</summary>
    public required double LogChance { get; init; }

    /// <summary>The part on the beat, 0 to 1; 0 where there are none.</summary>
    public double Share => OnBeat == 0 ? 0 : (double)OnBeat / (OnBeat + Beside);

    /// <summary>Asks whether times keep a beat.</summary>
    /// <param name="seconds">The times, in any order. Those farther than a beat before its first and after its last are left out.</param>
    /// <param name="beat">The beat, found in other times.</param>
    /// <returns>The answer, by an exact binomial test.</returns>
    /// <remarks>
    /// Times within half a beat around one beat count as one on it, one beside it, or both: so a burst weighs no more than one event, and
    /// work that never pauses is as much beside the beat as on it.
    /// </remarks>
    public static BeatKeeping Of(IReadOnlyCollection<double> seconds, Beat beat)
    {
        int on = 0;
        int beside = 0;
        double lastOn = double.NegativeInfinity;
        double lastBeside = double.NegativeInfinity;
        foreach (double time in seconds.Where(time => time >= beat.First - beat.Seconds && time <= beat.Last + beat.Seconds).Order())
        {
            double off = beat.Off(time);
            bool isOn = Math.Abs(off) <= beat.Window;
            ref double last = ref isOn ? ref lastOn : ref lastBeside;
            if (time - off - last > beat.Seconds / 2)
            {
                last = time - off;
                on += isOn ? 1 : 0;
                beside += isOn ? 0 : 1;
            }
        }

        double chance = Math.Min(1, 2 * beat.Window / beat.Seconds);
        double log = BinomialTail.LogAtLeast(on, on + beside, chance);
        bool keeps = on >= LeastShare * (on + beside) && log <= Math.Log(Chance);
        bool isOff = BinomialTail.LogAtMost(on, on + beside, LeastShare) <= Math.Log(ChanceOfMistake);
        return new BeatKeeping
        {
            Answer = keeps ? BeatAnswer.Keeps : isOff ? BeatAnswer.IsOff : BeatAnswer.Undecided,
            OnBeat = on,
            Beside = beside,
            LogChance = log,
        };
    }
}
