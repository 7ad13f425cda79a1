namespace Tracer.Analysis.Beats;

/// <summary>Whether times keep a given beat.</summary>
internal enum BeatAnswer
{
    /// <summary>There are too few times to decide.</summary>
    Undecided,

    /// <summary>Nearly all times are on the beat, which chance does not explain.</summary>
    Keeps,

    /// <summary>Too many times are beside the beat for them to keep it.</summary>
    IsOff,
}

/// <summary>How times lie relative to a given beat of known period and phase.</summary>
internal sealed record BeatKeeping
{
    /// <summary>Times keep a beat if at least this part of them is on it.</summary>
    public const double LeastShare = 0.8;

    /// <summary>Greatest probability with which times unrelated to the beat may seem to keep it.</summary>
    private const double Chance = 1e-3;

    /// <summary>Greatest probability with which times that keep the beat may be judged to be off it.</summary>
    private const double ChanceOfMistake = 0.01;

    private BeatKeeping()
    {
    }

    public required BeatAnswer Answer { get; init; }

    /// <summary>Times on the beat; several on one beat count once.</summary>
    public required int OnBeat { get; init; }

    /// <summary>Times beside the beat; several around one beat count once.</summary>
    public required int Beside { get; init; }

    /// <summary>Natural logarithm of the probability that at least this many unrelated times would be on the beat.</summary>
    public required double LogChance { get; init; }

    /// <summary>The part of the times that is on the beat, 0 to 1; 0 where there are none.</summary>
    public double Share => OnBeat == 0 ? 0 : (double)OnBeat / (OnBeat + Beside);

    /// <summary>Tests whether times keep a beat.</summary>
    /// <param name="seconds">The times, in any order. Times more than one beat before its first or after its last are left out.</param>
    /// <remarks>
    /// All times within half a period of one beat count together as one on it, one beside it, or both. So a burst weighs no more than one
    /// event, and work that never pauses is as much beside the beat as on it.
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
