namespace Tracer.Analysis.Contents;

/// <summary>
/// Describes in words where events may be missing. Overlapping losses of several CPUs form one stretch, unless only one of them is bounded.
/// </summary>
public static class LossStretches
{
    private const int CpusNamed = 8;

    /// <param name="losses">The losses, by time.</param>
    /// <returns>One phrase per stretch, such as "from 1.2 s to 1.25 s on CPUs 0 to 3, where a buffer is missing".</returns>
    public static IReadOnlyList<string> Phrases(IReadOnlyList<TraceLoss> losses, TraceClock clock)
    {
        ArgumentNullException.ThrowIfNull(losses);
        var stretches = new List<Stretch>();
        var last = new Dictionary<(LossKind, bool, bool), Stretch>();
        foreach (TraceLoss loss in losses)
        {
            (LossKind, bool, bool) sort = (loss.Kind, loss.FromTicks == long.MinValue, loss.ToTicks == long.MaxValue);
            if (!last.TryGetValue(sort, out Stretch? same) || loss.FromTicks > same.ToTicks)
            {
                stretches.Add(last[sort] = same = new Stretch(loss.Kind, loss.FromTicks));
            }

            same.ToTicks = Math.Max(same.ToTicks, loss.ToTicks);
            same.IsAll |= loss.Cpu is null;
            same.Cpus.Add(loss.Cpu ?? 0);
        }

        return [.. stretches.Select(stretch => string.Create(
            CultureInfo.InvariantCulture,
            $"from {From(stretch)} to {To(stretch)} on {Cpus(stretch)}, where {ReasonOf(stretch.Kind)}"))];

        string From(Stretch stretch) => stretch.FromTicks == long.MinValue ? "the start" : Seconds(stretch.FromTicks);

        string To(Stretch stretch) => stretch.ToTicks == long.MaxValue ? "the end" : Seconds(stretch.ToTicks);

        string Seconds(long ticks) =>
            (clock.NanosecondsFromHeader(ticks) / 1e9m).ToString("0.######", CultureInfo.InvariantCulture) + " s";
    }

    /// <summary>The losses as the report contains them.</summary>
    /// <param name="losses">The losses, by time.</param>
    /// <param name="clock">The trace's clock; null where it is not known.</param>
    internal static IReadOnlyList<LossPlace> Places(IReadOnlyList<TraceLoss> losses, TraceClock? clock, int most)
    {
        return [.. losses.Take(most).Select(loss => new LossPlace(loss.Cpu, Time(loss.FromTicks), Time(loss.ToTicks), loss.Kind))];

        Duration? Time(long ticks) => clock is { } known && ticks is not (long.MinValue or long.MaxValue)
            ? new Duration(known.NanosecondsFromHeader(ticks))
            : null;
    }

    private static string Cpus(Stretch stretch)
    {
        int[] cpus = [.. stretch.Cpus];
        return (stretch.IsAll, cpus.Length) switch
        {
            (true, _) => "all CPUs",
            (_, 1) => $"CPU {cpus[0]}",
            _ when cpus[^1] - cpus[0] == cpus.Length - 1 => $"CPUs {cpus[0]} to {cpus[^1]}",
            (_, <= CpusNamed) => $"CPUs {string.Join(", ", cpus)}",
            _ => $"{cpus.Length} CPUs",
        };
    }

    private static string ReasonOf(LossKind kind) => kind switch
    {
        LossKind.MissingBuffer => "a buffer is missing",
        LossKind.DamagedBuffer => "a buffer is damaged",
        LossKind.EventsLost => "the session lost events",
        LossKind.BufferLost => "the session lost a buffer",
        LossKind.StrayTimes => "time stamps do not belong to this trace",
        _ => "the file ends before its session did",
    };

    private sealed class Stretch(LossKind kind, long fromTicks)
    {
        public LossKind Kind { get; } = kind;

        public long FromTicks { get; } = fromTicks;

        public long ToTicks { get; set; } = fromTicks;

        public bool IsAll { get; set; }

        public SortedSet<int> Cpus { get; } = [];
    }
}
