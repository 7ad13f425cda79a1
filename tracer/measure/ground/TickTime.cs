using System.Runtime.CompilerServices;

namespace Tracer.Measure.Ground;

/// <summary>Turns ticks of a counter into nanoseconds, and back.</summary>
internal readonly struct TickTime
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private readonly long _whole;

    /// <param name="ticksPerSecond">Its rate; at least 1.</param>
    public TickTime(long ticksPerSecond)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(ticksPerSecond, 1);
        Hz = ticksPerSecond;
        _whole = NanosecondsPerSecond % ticksPerSecond == 0 ? NanosecondsPerSecond / ticksPerSecond : 0;
    }

    /// <summary>Ticks in a second.</summary>
    public long Hz { get; }

    /// <summary>Nanoseconds of so many ticks, towards zero.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ToNanoseconds(long ticks) =>
        _whole != 0 ? ticks * _whole : (long)((Int128)ticks * NanosecondsPerSecond / Hz);

    /// <summary>Ticks of so many nanoseconds, towards zero.</summary>
    public long ToTicks(long nanoseconds) => (long)((Int128)nanoseconds * Hz / NanosecondsPerSecond);
}
