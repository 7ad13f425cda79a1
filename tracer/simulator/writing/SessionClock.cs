using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>The clocks of a recording: its performance counter and the time of day, from the seed.</summary>
internal sealed class SessionClock
{
    private const long FileTimePerSecond = 10_000_000;
    private const long NanosecondsPerFileTime = 100;
    private const int FirstWithScaledCounter = 17_134;

    // 2024-01-01, from which the recordings' days are counted.
    private const long FirstDay = 133_485_408_000_000_000;

    private readonly long _stepNs;
    private readonly List<(long AtNs, long Ns)> _sleeps = [];

    public SessionClock(MachineInventory machine, KernelLogOptions options)
    {
        _stepNs = options.SystemTimeStepNs;
        var random = new RandomSequence(machine.Seed, "clock");
        // Since 2018 Windows scales its counter to 10 MHz; before, it gave what it counted: the processor's clock by 1,024, or the
        // event timer, or the power management timer. Some set the event timer on newer systems, too.
        long[] older = [machine.Hardware.Mhz * 1_000_000L / 1024, machine.Hardware.Mhz * 1_000_000L / 1024, 14_318_180, 3_579_545];
        long rate = machine.Build.Number < FirstWithScaledCounter ? random.OneOf(older)
            : random.Happens(0.9) ? FileTimePerSecond : 14_318_180;
        // ARM's generic timer is not scaled: the processor's own, or that of a virtual machine on another one.
        rate = machine.IsArm64 ? random.OneOf(19_200_000L, 19_200_000L, 24_000_000L) : rate;
        rate = options.TicksPerSecond ?? rate;
        UptimeNs = random.Between(60, 20 * 86_400) * 1_000_000_000 + random.NextBelow(1_000_000_000);
        long drawn = FirstDay + random.NextBelow(600 * 86_400 * FileTimePerSecond);
        long startFileTime = options.BeganUtc?.ToFileTimeUtc() ?? drawn;
        long headerTicks = TickRate.TicksOf(UptimeNs, rate);
        Clock = _stepNs > 0
            ? new TraceClock(TraceClockKind.SystemTime, FileTimePerSecond, startFileTime, startFileTime)
            : new TraceClock(TraceClockKind.Qpc, rate, headerTicks, startFileTime);
        BootFileTime = startFileTime - (UptimeNs / NanosecondsPerFileTime);
    }

    /// <summary>The clock of the file; the header event is at 0 ns.</summary>
    public TraceClock Clock { get; }

    /// <summary>How long Windows had been up when the recording began.</summary>
    public long UptimeNs { get; }

    /// <summary>How long the machine has slept.</summary>
    public long SleptNs { get; private set; }

    /// <summary>When Windows was started: FILETIME.</summary>
    public long BootFileTime { get; }

    /// <summary>The time stamp of a moment; never goes back where the moments do not.</summary>
    public long TicksAt(long timeNs) => Clock.TicksAt(WithSleeps(_stepNs > 0 ? timeNs - (timeNs % _stepNs) : timeNs));

    /// <summary>The machine slept: all later moments are so much later.</summary>
    public void Slept(long timeNs, long ns)
    {
        _sleeps.Add((timeNs, ns));
        SleptNs += ns;
    }

    public long FileTimeAt(long timeNs) => Clock.StartFileTime + (timeNs / NanosecondsPerFileTime);

    /// <summary>
    /// Clock ticks of 15.625 ms since Windows was started: what an idle thread, which never began to wait, is said to have waited.
    /// </summary>
    public uint TicksSinceBootAt(long timeNs) => (uint)((UptimeNs + WithSleeps(timeNs)) / 15_625_000);

    /// <summary>Interrupt time of a moment: 100 ns since Windows was started.</summary>
    public ulong InterruptTimeAt(long timeNs) => (ulong)((UptimeNs + WithSleeps(timeNs)) / NanosecondsPerFileTime);

    private long WithSleeps(long timeNs)
    {
        long all = timeNs;
        foreach ((long atNs, long ns) in _sleeps)
        {
            all += atNs < timeNs ? ns : 0;
        }

        return all;
    }
}
