namespace Tracer.Measure.Ground;

/// <summary>
/// Every measured wake-up by itself, so that it can be written as events of the Tracer provider. All memory is taken at the start: noting
/// allocates nothing. What is beyond the room is counted.
/// </summary>
public sealed class WakeupLog
{
    /// <summary>Most wake-ups that are kept; the analyzer keeps no more of a trace.</summary>
    public const int Most = 1 << 20;

    private readonly LoggedWakeup[] _wakeups = new LoggedWakeup[Most];

    /// <summary>Makes it, with pages that are there.</summary>
    public WakeupLog() => Array.Fill(_wakeups, new LoggedWakeup(1, 1, 0));

    /// <summary>The wake-ups in the order in which the threads ran.</summary>
    public ReadOnlySpan<LoggedWakeup> Wakeups => _wakeups.AsSpan(0, (int)Math.Min(Seen, Most));

    /// <summary>How many there were.</summary>
    public long Seen { get; private set; }

    /// <summary>Forgets all, as those of a warm-up.</summary>
    internal void Clear() => Seen = 0;

    /// <param name="due">When the thread should have run, in ticks.</param>
    internal void Note(long due, long ran, int cpu)
    {
        if (Seen < Most)
        {
            _wakeups[Seen] = new LoggedWakeup(due, ran, (ushort)cpu);
        }

        Seen++;
    }
}

/// <summary>A measured wake-up.</summary>
/// <param name="DueTicks">When the thread should have run, in ticks of the counter that measures.</param>
public readonly record struct LoggedWakeup(long DueTicks, long RanTicks, ushort Cpu);
