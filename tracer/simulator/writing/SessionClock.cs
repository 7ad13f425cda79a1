using Tracer.Etl;

namespace Tracer.Simulator;

/// <summary>The clocks of a recording: its performance counter and the time of day, from the seed.</summary>
internal sealed class SessionClock
{
    private const long FileTimePerSecond = 10_000_000;
    private const long NanosecondsPerFileTime = 100;

    // 2024-01-01, from which the recordings' days are counted.
    private const long FirstDay = 133_485_408_000_000_000;

    /// <summary>Makes the clocks.</summary>
    /// <param name="machine">The machine.</param>
    /// <param name="ticksPerSecond">Rate of the performance counter; null for one that suits the machine's Windows.</param>
    public SessionClock(MachineInventory machine, long? ticksPerSecond)
    {
        var random = new RandomSequence(machine.Seed, "clock");
        long rate = machine.Build.IsModern
            ? FileTimePerSecond
            : random.OneOf(machine.Hardware.Mhz * 1_000_000L / 1024, 14_318_180, 3_579_545);
        rate = ticksPerSecond ?? rate;
        UptimeNs = random.Between(60, 20 * 86_400) * 1_000_000_000 + random.NextBelow(1_000_000_000);
        long startFileTime = FirstDay + random.NextBelow(600 * 86_400 * FileTimePerSecond);
        long headerTicks = (long)((Int128)UptimeNs * rate / 1_000_000_000);
        Clock = new TraceClock(TraceClockKind.Qpc, rate, headerTicks, startFileTime);
        BootFileTime = startFileTime - (UptimeNs / NanosecondsPerFileTime);
    }

    /// <summary>The clock of the file; the header event is at 0 ns.</summary>
    public TraceClock Clock { get; }

    /// <summary>How long Windows had been up when the recording began.</summary>
    public long UptimeNs { get; }

    /// <summary>When Windows was started: FILETIME.</summary>
    public long BootFileTime { get; }

    /// <summary>The time stamp of a moment; never goes back where the moments do not.</summary>
    public long TicksAt(long timeNs) => Clock.TicksAt(timeNs);

    /// <summary>FILETIME of a moment.</summary>
    public long FileTimeAt(long timeNs) => Clock.StartFileTime + (timeNs / NanosecondsPerFileTime);

    /// <summary>Interrupt time of a moment: 100 ns since Windows was started.</summary>
    public ulong InterruptTimeAt(long timeNs) => (ulong)((UptimeNs + timeNs) / NanosecondsPerFileTime);
}
