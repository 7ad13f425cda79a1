using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Report;

/// <summary>
/// Says which link of a chain is not known, where that leaves much of the latency unexplained, and what to record to see it.
/// </summary>
internal static class UnknownChains
{
    private const int MostNamed = 3;

    /// <param name="leastShare">What explains less of all late time is not told.</param>
    public static IEnumerable<string> Warnings(BlameFindings findings, IReadOnlyList<NamedEpisode> episodes, double leastShare)
    {
        long all = episodes.Sum(episode => episode.Candidate.LatencyTicks);
        return episodes.SelectMany(LinksOf).GroupBy(link => (link.Link.Why, link.Link.ThreadId))
            .Select(thread => (
                thread.First().Link,
                Episodes: thread.Count(),
                Worst: thread.Max(link => link.Ticks),
                Ticks: thread.Sum(link => link.Ticks)))
            .Where(thread => thread.Ticks >= leastShare * all)
            .OrderByDescending(thread => thread.Ticks).ThenBy(thread => thread.Link.ThreadId).Take(MostNamed)
            .Select(thread => Text(
                $"Unexplained for up to {ReadableDuration.Of(findings.Length(thread.Worst))}, in "
                + $"{Counted.Of(thread.Episodes, "episode")}: {What(thread.Link, findings)}, so nobody is accused of it. "
                + $"{Advice(thread.Link.Why)}"));
    }

    /// <summary>The largest unknown link of an episode by thread, and how much of its time that leaves unexplained.</summary>
    private static IEnumerable<(UnknownLink Link, long Ticks)> LinksOf(NamedEpisode episode)
    {
        EpisodeCandidate candidate = episode.Candidate;
        long unexplained = candidate.LatencyTicks - episode.Causes.Sum(cause => cause.Ticks);
        return candidate.UnknownLinks.GroupBy(link => (link.Why, link.ThreadId))
            .Select(thread => (thread.First(), Ticks: Math.Min(unexplained, thread.Sum(link => link.ToTicks - link.FromTicks))))
            .Where(thread => thread.Ticks > 0);
    }

    private static string What(UnknownLink link, BlameFindings findings)
    {
        string process = findings.Facts.Threads.ProcessOf(link.ThreadId, link.FromTicks) is { } id
            && findings.Facts.Threads.NameOf(id, link.FromTicks) is { } name ? Text($"{name} (thread {link.ThreadId})")
            : Text($"thread {link.ThreadId}");
        return link.Why switch
        {
            ChainEnd.NoReadyThread => Text($"{process} waited, and no record says who made it ready"),
            ChainEnd.Lost => Text($"records of the CPU that made {process} ready, or ran it, are lost"),
            ChainEnd.Device => Text($"{process} waited for what a device's interrupt brought, and nothing kept that interrupt"),
            ChainEnd.Uninterrupted => Text($"{process} had a CPU, and what may have interrupted it was not recorded"),
            _ => Text($"who made whom ready leads back to {process}, or through too many threads"),
        };
    }

    private static string Advice(ChainEnd why) => why switch
    {
        ChainEnd.NoReadyThread => "Record DISPATCHER (ReadyThread) all the time, with enough buffers.",
        ChainEnd.Lost => "Record with more and larger buffers.",
        ChainEnd.Device => "Record DISK_IO and stacks on CSWITCH to see for what.",
        ChainEnd.Uninterrupted => "Record DPC and INTERRUPT.",
        _ => "Record stacks on ReadyThread.",
    };

    private static string Text(InvariantText text) => text.Take();
}
