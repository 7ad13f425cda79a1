using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>One name with all that it did.</summary>
internal sealed class Suspect
{
    /// <summary>What sort of thing it is.</summary>
    public required CulpritKind Kind { get; init; }

    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>Its parts of episodes, each with its episode.</summary>
    public List<(NamedEpisode Episode, NamedCause Cause)> Parts { get; } = [];

    /// <summary>All of them, in ticks.</summary>
    public long Ticks => Parts.Sum(part => part.Cause.Ticks);

    /// <summary>The most in one episode, in ticks.</summary>
    public long WorstTicks => Parts.GroupBy(part => part.Episode).Max(episode => episode.Sum(part => part.Cause.Ticks));

    /// <summary>In how many episodes.</summary>
    public int Episodes => Parts.Select(part => part.Episode).Distinct().Count();

    /// <summary>The mechanism of most of its time.</summary>
    public Mechanism Mechanism => Parts.GroupBy(part => part.Cause.Mechanism)
        .OrderByDescending(group => group.Sum(part => part.Cause.Ticks)).ThenBy(group => group.Key).First().Key;

    /// <summary>The part that counts most of its main mechanism: the best proof of the most time.</summary>
    public NamedCause Main
    {
        get
        {
            Mechanism mechanism = Mechanism;
            return Parts.Where(part => part.Cause.Mechanism == mechanism).GroupBy(part => part.Cause.Proof)
                .OrderByDescending(group => group.Sum(part => part.Cause.Ticks)).ThenBy(group => group.Key).First()
                .OrderByDescending(part => part.Cause.Ticks).ThenBy(part => part.Episode.Candidate.FromTicks).First().Cause;
        }
    }

    /// <summary>How sure most of the time is.</summary>
    public Confidence Confidence
    {
        get
        {
            // The highest level that at least half of the time has.
            long all = Ticks;
            long sure = 0;
            foreach (IGrouping<Confidence, long> level in Parts.GroupBy(part => part.Cause.Confidence, part => part.Cause.Ticks)
                .OrderByDescending(level => level.Key))
            {
                sure += level.Sum();
                if (sure >= Guilt.SureOfTime * all)
                {
                    return level.Key;
                }
            }

            return Confidence.Possible;
        }
    }
}
