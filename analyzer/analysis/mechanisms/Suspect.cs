using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>One name, with all parts of episodes that are blamed on it.</summary>
internal sealed class Suspect
{
    public required CulpritKind Kind { get; init; }

    public required string Name { get; init; }

    public List<(NamedEpisode Episode, NamedCause Cause)> Parts { get; } = [];

    public long Ticks => Parts.Sum(part => part.Cause.Ticks);

    /// <summary>Its longest time in one episode, in ticks.</summary>
    public long WorstTicks => Parts.GroupBy(part => part.Episode).Max(episode => episode.Sum(part => part.Cause.Ticks));

    /// <summary>The CPU of the episode in which its time is the longest.</summary>
    public int WorstCpu => Parts.GroupBy(part => part.Episode).MaxBy(episode => episode.Sum(part => part.Cause.Ticks))!.Key.Candidate.Cpu;

    public int Episodes => Parts.Select(part => part.Episode).Distinct().Count();

    public Mechanism Mechanism => MechanismPages.MainOf(Parts.Select(part => part.Cause));

    /// <summary>The part that represents it: the longest one of its main mechanism with that mechanism's most common proof.</summary>
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

    /// <summary>Whether most of its time lies in stops of single CPUs, while others ran: that was not the whole machine.</summary>
    public bool IsOfSingleCpus => IsMost(cause => cause.Blackout is { IsElsewhereAlive: true });

    /// <summary>Whether these single CPUs are more than one.</summary>
    public bool IsOfSeveralCpus =>
        Parts.Select(part => part.Cause.Blackout).OfType<Blackout>().Select(blackout => blackout.Cpu).Distinct().Skip(1).Any();

    /// <summary>Whether most of its time lies in stops of all CPUs of several: no code of one CPU stops the others.</summary>
    public bool IsOfAllCpus => IsMost(cause => cause.Blackout is { IsOfAllCpus: true });

    /// <summary>Whether most of its time is work of its own that the victims waited for: it ran in nobody's place.</summary>
    public bool IsWaitedFor => IsMost(cause => cause.Share is { Chain: [.., { Why: ChainWhy.Ran }] });

    /// <summary>The confidence that most of its time reaches.</summary>
    public Confidence Confidence => CulpritConfidence.OfAll([.. Parts.Select(part => part.Cause)]);

    private bool IsMost(Func<NamedCause, bool> fits) =>
        2 * Parts.Select(part => part.Cause).Where(fits).Sum(cause => cause.Ticks) > Ticks;
}
