namespace Tracer.Capture;

/// <summary>
/// The clock ticks that serve the probe's timer: their period and place, found by <see cref="TickGridSearch"/> and followed from wake-up
/// to wake-up, because the clocks drift against each other. Until the tick that should have served it a wake-up waited for nothing but the
/// timer's granularity (<c>timer-tick</c>; Jones &amp; Regehr 4.1): latency counts from there. Allocates nothing.
/// </summary>
/// <remarks>
/// User mode does not see a tick, only the thread that it woke. So the ticks lie where the earliest wake-ups were served, and the constant
/// cost of a wake-up, some microseconds, is part of them.
/// </remarks>
internal struct TickGrid
{
    /// <summary>This part of a period tells nothing of whether a tick came before or after it.</summary>
    private const double TieShare = 1.0 / 64;

    /// <summary>What is served more than this part of a period off its tick was late, and tells nothing of where the tick was.</summary>
    private const double NearShare = 0.25;

    /// <summary>Nothing is served before its tick, but much a little behind it: the early ones tell most.</summary>
    private const double EarlyGain = 0.5;
    private const double LateGain = 0.003;

    /// <summary>Clocks drift slowly: no single wake-up moves the ticks by more than this part of a period.</summary>
    private const double LargestStep = 1.0 / 2048;

    /// <summary>A wake-up that does not fit counts for so many that do.</summary>
    private const int MissWeight = 4;
    private const int MostMisses = 512;

    private long _origin;
    private double _offset;
    private int _misses;

    /// <summary>Makes a grid.</summary>
    /// <param name="tick">A tick of the clock.</param>
    /// <param name="period">From one to the next.</param>
    public TickGrid(double tick, double period)
    {
        Period = period;
        _origin = (long)Math.Floor(tick);
        _offset = tick - _origin;
    }

    /// <summary>No grid: an interrupt of its own serves the timer when it is due.</summary>
    public static TickGrid None => default;

    /// <summary>From one tick of the clock to the next, in ticks of the performance counter; 0 where there is no grid.</summary>
    public double Period { get; }

    /// <summary>Whether too many wake-ups of late were not where the ticks are: the clock runs at another rate now.</summary>
    public readonly bool IsLost => _misses >= MostMisses;

    /// <summary>The same ticks, as if all wake-ups had been near them.</summary>
    public readonly TickGrid WithoutMisses() => this with { _misses = 0 };

    /// <summary>When a wake-up should have been served: its latency counts from there. Never later than when it was.</summary>
    /// <param name="wakeup">The wake-up.</param>
    public readonly long ServingTick(in TimedWakeup wakeup)
    {
        if (Period == 0)
        {
            return Math.Min(wakeup.Due, wakeup.Served);
        }

        double served = wakeup.Served - _origin;
        double tick = Predicted(in wakeup);
        double tie = TieShare * Period;
        if (served < tick - tie)
        {
            // An earlier one did it: the kernel's due time was before ours. It may count from the tick before the timer was set.
            tick = At(Math.Floor(Number(served + tie)));
        }
        else if (tick - (wakeup.Due - _origin) <= tie && served >= tick + Period - tie)
        {
            // Due at a tick as exactly as can be told: the next one may have been meant.
            tick += Period;
        }

        return Math.Min(_origin + (long)Math.Round(tick), wakeup.Served);
    }

    /// <summary>Moves the ticks by what a wake-up shows.</summary>
    /// <param name="wakeup">The wake-up.</param>
    public void Follow(in TimedWakeup wakeup)
    {
        if (Period == 0)
        {
            return;
        }

        double tick = Predicted(in wakeup);
        double off = wakeup.Served - _origin - tick;
        bool isNear = Math.Abs(off) <= NearShare * Period;
        _misses = Math.Clamp(_misses + (isNear ? -1 : MissWeight), 0, MostMisses);
        if (isNear)
        {
            double step = (off < 0 ? EarlyGain : LateGain) * off;
            double moved = tick + Math.Clamp(step, -LargestStep * Period, LargestStep * Period);
            long whole = (long)Math.Floor(moved);
            _origin += whole;
            _offset = moved - whole;
        }
    }

    /// <summary>The first tick at or after the due time, whenever the wake-up was served.</summary>
    /// <param name="wakeup">The wake-up.</param>
    public readonly double Expected(in TimedWakeup wakeup) => _origin + Predicted(in wakeup);

    private readonly double Predicted(in TimedWakeup wakeup) => At(Math.Ceiling(Number(wakeup.Due - _origin)));

    private readonly double Number(double time) => (time - _offset) / Period;

    private readonly double At(double number) => _offset + (number * Period);
}
