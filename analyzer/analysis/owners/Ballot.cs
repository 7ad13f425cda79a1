namespace Tracer.Analysis.Owners;

/// <summary>Which runs of a routine took part in a vote, from the fewest to all.</summary>
internal enum BallotOf : byte
{
    /// <summary>Those of the same interrupt.</summary>
    Line,

    /// <summary>Those of the same ISR and vector on whatever CPU.</summary>
    Device,

    /// <summary>Those of the same CPU.</summary>
    Cpu,

    Routine,
}

/// <summary>How the samples in some runs of a routine voted on whose run another is, in which nothing was seen.</summary>
/// <param name="Votes">Samples by number of the image that they show, the most first.</param>
/// <param name="Samples">All samples, those that show only the framework included.</param>
/// <param name="IsOfOthers">Whether it is known that most of those runs were queued by other interrupts than the one in question.</param>
internal sealed record Ballot(BallotOf Of, IReadOnlyList<(int Image, int Samples)> Votes, int Samples, bool IsOfOthers)
{
    /// <summary>Fewer samples say nothing about runs without one.</summary>
    public const int FewestSamples = 3;

    /// <summary>From this many samples on the runs most like the one in question decide, though they disagree among themselves.</summary>
    public const int EnoughSamples = 10;

    /// <summary>The image that nearly all of them show, nine of ten; null for none.</summary>
    public int? Winner => Votes.Count > 0 && IsNearlyAll(Votes[0].Samples, Samples) ? Votes[0].Image : null;

    /// <summary>Whether some of all are nine of ten or more.</summary>
    public static bool IsNearlyAll(int some, int all) => some * 10L >= all * 9L;

    /// <summary>
    /// The vote of the runs that are most like a given one: of the same interrupt and a similar length; of the same interrupt; of the same
    /// ISR and vector elsewhere; of the same CPU; of the routine. The first of these decides that has enough samples, or a few that nearly
    /// all show the same. Null where there are too few in all.
    /// </summary>
    /// <param name="votes">
    /// The samples of the routine, by the traits of their runs; the image is -1 where they show only the framework.
    /// </param>
    public static Ballot? Decide(IEnumerable<(RunTraits Run, int Image, int Samples)> votes, RunTraits asked)
    {
        Ballot? last = null;
        BallotOf first = asked.Line.IsKnown ? BallotOf.Line : asked.Cpu >= 0 ? BallotOf.Cpu : BallotOf.Routine;
        for (BallotOf of = first; of <= BallotOf.Routine; of++)
        {
            for (int similar = asked.Length > 0 ? 1 : 0; similar >= 0; similar--)
            {
                Ballot ballot = Count(votes, asked, of, similar == 1);
                if (ballot.Samples >= EnoughSamples || (ballot.Samples >= FewestSamples && ballot.Winner is not null))
                {
                    return ballot;
                }

                last = ballot;
            }
        }

        return last is { Samples: >= FewestSamples } ? last : null;
    }

    private static Ballot Count(
        IEnumerable<(RunTraits Run, int Image, int Samples)> votes, RunTraits asked, BallotOf of, bool isSimilar)
    {
        Dictionary<int, int> counts = [];
        int all = 0;
        int others = 0;
        foreach ((RunTraits run, int image, int samples) in votes)
        {
            bool isOne = of switch
            {
                BallotOf.Line => run.Line == asked.Line,
                BallotOf.Device => asked.Line.Isr != 0 && run.Line.Isr == asked.Line.Isr && run.Line.Vector == asked.Line.Vector,
                BallotOf.Cpu => run.Cpu == asked.Cpu,
                _ => true,
            };
            if (isOne && (!isSimilar || Math.Abs(run.Length - asked.Length) <= 1))
            {
                all += samples;
                others += of >= BallotOf.Cpu && asked.Line.IsKnown && run.Line.IsKnown ? samples : 0;
                if (image >= 0)
                {
                    counts[image] = counts.GetValueOrDefault(image) + samples;
                }
            }
        }

        return new Ballot(
            of,
            [.. counts.OrderByDescending(count => count.Value).ThenBy(count => count.Key).Select(count => (count.Key, count.Value))],
            all,
            2 * others > all);
    }
}
