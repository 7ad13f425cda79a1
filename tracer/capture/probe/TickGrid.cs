namespace Tracer.Capture.Probe;

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

    private const double JustBehindShare = 1.0 / 16;

    /// <summary>Nothing is served before its tick, but much a little behind it: the early ones tell most.</summary>
    private const double EarlyGain = 0.5;
    private const double LateGain = 0.003;

    /// <summary>Clocks drift slowly: no single wake-up moves the ticks by more than this part of a period.</summary>
    private const double LargestStep = 1.0 / 2048;

    /// <summary>A wake-up that does not fit counts for so many that do.</summary>
    private const int MissWeight = 4;
    private const int MostMisses = 512;

    /// <summary>
    /// A wake-up that was served by a later tick than the first one counts for so many that were not: from one of some sixty on, leaving
    /// out ticks is this machine's way.
    /// </summary>
    private const int SkipWeight = 64;
    private const int MostSkips = 2_048;

    /// <summary>Two within sixty wake-ups, so that one delay which by chance ended behind a tick is a delay.</summary>
    private const int UsualSkips = 100;

    private long _origin;
    private double _offset;
    private int _misses;
    private int _skips;

    /// <param name="tick">A tick of the clock.</param>
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

    /// <summary>
    /// How long before a tick, as it is known, a due time may be and still have missed it, in ticks of the performance counter: the ticks
    /// are known by their threads' first instructions, which come a little later. 0 until it has been measured.
    /// </summary>
    public double ServiceCost { get; set; }

    /// <summary>
    /// How long behind its tick a wake-up is served at most on this machine when nothing is wrong, in ticks of the performance counter;
    /// 0 until it has been measured.
    /// </summary>
    public double UsualService { get; set; }

    /// <summary>
    /// Whether timers are often served by a later tick than the first one although nothing is wrong (the tick was left out, or did not look
    /// at the timers).
    /// </summary>
    public readonly bool HasSkips => _skips >= UsualSkips;

    /// <summary>The same ticks, as if all wake-ups had been near them.</summary>
    public readonly TickGrid WithoutMisses() => this with { _misses = 0 };

    /// <summary>The same ticks, on a machine that serves timers as another grid knows it.</summary>
    public readonly TickGrid WithServiceOf(in TickGrid other) =>
        this with { ServiceCost = other.ServiceCost, UsualService = other.UsualService };

    /// <summary>When a wake-up should have been served: its latency counts from there. Never later than when it was.</summary>
    public readonly long ServingTick(in TimedWakeup wakeup)
    {
        if (Period == 0)
        {
            return Math.Min(wakeup.Due, wakeup.Served);
        }

        double served = wakeup.Served - _origin;
        double tick = Meant(in wakeup);
        double behind = BehindTick(served - tick);
        if (HasSkips && served > tick && behind <= Near)
        {
            // A later one did it, as so often here. What delays a thread ends anywhere between two ticks, and mostly not just behind one.
            tick = served - Math.Max(0, behind);
        }

        return Math.Min(_origin + (long)Math.Round(tick), wakeup.Served);
    }

    /// <summary>Moves the ticks by what a wake-up shows.</summary>
    public void Follow(in TimedWakeup wakeup)
    {
        if (Period == 0)
        {
            return;
        }

        double tick = Meant(in wakeup);
        double off = wakeup.Served - _origin - tick;
        double behind = BehindTick(off);
        bool isSkip = off > Period / 2 && behind <= Near;
        _skips = Math.Clamp(_skips + (isSkip ? SkipWeight : -1), 0, MostSkips);
        if (isSkip && HasSkips)
        {
            tick += off - behind;
            off = behind;
        }

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

    /// <summary>How far behind the tick before it a wake-up was served, whichever that is; 0 where there is no grid.</summary>
    public readonly double BehindAnyTick(in TimedWakeup wakeup) =>
        Period == 0 ? 0 : BehindTick(wakeup.Served - _origin - Predicted(in wakeup));

    /// <summary>Whether a wake-up was served about when the ticks, whichever of them, serve one.</summary>
    public readonly bool IsUsual(in TimedWakeup wakeup) =>
        Period == 0 || BehindAnyTick(in wakeup) <= Math.Max(Period / 8, Math.Min(UsualService, Period / 2));

    /// <summary>The first tick at or after the due time, whenever the wake-up was served.</summary>
    public readonly double Expected(in TimedWakeup wakeup) => _origin + Predicted(in wakeup);

    /// <summary>A wake-up served this far behind a tick may be that tick's.</summary>
    private readonly double Near => Math.Max(JustBehindShare * Period, Math.Min(UsualService, Period / 2));

    /// <summary>How far something is behind the tick before it, a little less than 0 where it is just before the next one.</summary>
    private readonly double BehindTick(double off) => off - (Math.Floor((off / Period) + JustBehindShare) * Period);

    /// <summary>
    /// The tick that a wake-up was meant for, behind the origin: the first one at or after its due time or, where that can't be told from a
    /// neighbour, the one that served it.
    /// </summary>
    private readonly double Meant(in TimedWakeup wakeup)
    {
        double served = wakeup.Served - _origin;
        double tick = Predicted(in wakeup);
        double tie = (TieShare * Period) + ServiceCost;
        return served < tick - tie
            // An earlier one did it: the kernel's due time was before ours. It may count from the tick before the timer was set.
            ? At(Math.Floor(Number(served + tie)))
            // Due at a tick as exactly as can be told: the next one may have been meant.
            : tick - (wakeup.Due - _origin) <= tie && served >= tick + Period - tie ? tick + Period : tick;
    }

    private readonly double Predicted(in TimedWakeup wakeup) => At(Math.Ceiling(Number(wakeup.Due - _origin)));

    private readonly double Number(double time) => (time - _offset) / Period;

    private readonly double At(double number) => _offset + (number * Period);
}
