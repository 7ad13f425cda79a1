namespace Tracer.Capture.Probe;

/// <summary>
/// Measures the wake-ups of one CPU. First <see cref="Calibrate"/>, then <see cref="Measure"/>, both on the same thread; nothing is
/// allocated in the second, so that no garbage collection ever stops it.
/// </summary>
internal sealed class ProbeThread
{
    /// <summary>Wake-ups that show where the ticks are and how low the floor is: about half a second.</summary>
    public const int CalibrationWakeups = 384;

    /// <summary>At most so many wake-ups find the code warm first.</summary>
    private const int WarmUps = 32;

    /// <summary>
    /// Delays are spread over a millisecond, in units of 100 ns: equal ones would come to the same place of every tick.
    /// </summary>
    private const uint DelaySpread = 10_000;

    /// <summary>
    /// So many wake-ups behind a late one show whether it was late, or somebody has changed the rate of the clock: it is told then.
    /// </summary>
    private const int WakeupsAfter = 12;

    /// <summary>Of those behind a late one so many are late as well where the clock has another rate: one in so many.</summary>
    private const int LateOf = 4;

    /// <summary>Or one in so many stands at another place between two ticks than usual.</summary>
    private const int OddOf = 2;

    /// <summary>Rounds of calibration while the floor is too high: a machine may be busy for a moment.</summary>
    private const int Rounds = 2;

    private const int MostPercent = 97;

    /// <summary>How much longer than 97 of 100 services the longest one is that tells nothing: tails are long.</summary>
    private const int TailFactor = 4;

    private const int Unit100NsPerSecond = 10_000_000;
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>Periods of PC clocks in units of 100 ns: 64 Hz, 1 kHz, 1024 Hz (Jones &amp; Regehr 4.1), and 2 kHz.</summary>
    private static readonly uint[] UsualClockPeriods = [156_250, 10_000, 9_766, 5_000];

    private readonly IProbeMachine _machine;
    private readonly ProbeSettings _settings;
    private readonly ProbeRun _run;
    private readonly ProbeRing _ring;
    private readonly int _cpu;
    private readonly double[] _periods;
    private readonly TimedWakeup[] _recent = new TimedWakeup[CalibrationWakeups];
    private readonly long[] _latencies = new long[CalibrationWakeups];
    private readonly double _nsPerTick;
    private readonly long _thresholdTicks;

    private readonly TimedWakeup[] _held = new TimedWakeup[1 + WakeupsAfter];
    private readonly long _sleepTicks;

    private TickGrid _grid;
    private uint _random;
    private long _sequence;
    private long _seen;
    private long _refineAt = long.MaxValue;
    private int _heldCount;
    private bool _wasAsleep;

    /// <summary>Makes a thread that measures one CPU; it does not run yet.</summary>
    public ProbeThread(IProbeMachine machine, ProbeSettings settings, ProbeRun run, ProbeRing ring, int cpu)
    {
        _machine = machine;
        _settings = settings;
        _run = run;
        _ring = ring;
        _ring.Cpu = cpu;
        _cpu = cpu;
        _random = 2_654_435_769u * (uint)(cpu + 1);
        _nsPerTick = NanosecondsPerSecond / machine.QpcHz;
        _sleepTicks = SleepRule.LeastLateTicks(machine.QpcHz);
        _thresholdTicks = (long)Math.Ceiling(settings.Threshold.Nanoseconds / _nsPerTick);
        uint[] clock = [.. machine.ClockPeriods.Where(IsClockPeriod).Concat(UsualClockPeriods).Distinct().OrderDescending()];
        _periods = [.. clock.Select(period => (double)period * machine.QpcHz / Unit100NsPerSecond)];
    }

    /// <summary>The measured floor in nanoseconds.</summary>
    public long FloorNs { get; private set; }

    /// <summary>From one clock tick that serves the timer to the next, in nanoseconds; 0 where it is served when it is due.</summary>
    public long GranularityNs => (long)(_grid.Period * _nsPerTick);

    /// <summary>Priority of the thread, as read back.</summary>
    public int Priority { get; private set; }

    /// <summary>Whether the timer is finer than the clock tick.</summary>
    public bool IsHighResolution { get; private set; }

    /// <summary>Wake-ups measured.</summary>
    public long Wakeups => Volatile.Read(ref _sequence);

    /// <summary>Wake-ups that the ring had no room for.</summary>
    public long Lost => _ring.Lost;

    /// <summary>
    /// Whether its wake-ups tell what is late by the threshold: the floor is low enough. If not, none is told or logged.
    /// </summary>
    public bool CanMeasure { get; private set; } = true;

    /// <summary>Finds the ticks and the floor.</summary>
    public void Calibrate(IProbeTimer timer)
    {
        Priority = timer.Priority;
        IsHighResolution = timer.IsHighResolution;
        for (int round = 0; round < Rounds && !_run.IsStopping; round++)
        {
            CalibrateOnce(timer);
            CanMeasure = ProbeFloor.CanMeasure(_settings.Threshold, FloorNs);
            if (CanMeasure)
            {
                break;
            }
        }

        _ring.FloorNs = FloorNs;
    }

    private void CalibrateOnce(IProbeTimer timer)
    {
        for (int i = 0; i < WarmUps && !_run.IsStopping; i++)
        {
            Wake(timer);
        }

        int count = 0;
        while (count < CalibrationWakeups && !_run.IsStopping)
        {
            TimedWakeup wakeup = Wake(timer);
            count = _wasAsleep ? 0 : count;
            if (!_wasAsleep)
            {
                _recent[count++] = wakeup;
            }
        }

        _grid = TickGridSearch.Find(_recent.AsSpan(0, count), _periods);
        _grid.ServiceCost = _grid.Period == 0 ? 0 : TickGridSearch.ServiceCost(_recent.AsSpan(0, count), in _grid);
        TickGrid grid = _grid;
        for (int i = 0; i < count; i++)
        {
            _latencies[i] = _recent[i].Served - grid.ServingTick(in _recent[i]);
            grid.Follow(in _recent[i]);
        }

        FloorNs = count == 0 ? 0 : (long)(ProbeFloor.Of(_latencies.AsSpan(0, count)) * _nsPerTick);
        for (int i = 0; i < count; i++)
        {
            _latencies[i] = (long)_grid.BehindAnyTick(in _recent[i]);
        }

        _latencies.AsSpan(0, count).Sort();
        grid.UsualService = count == 0 ? 0 : TailFactor * (double)_latencies[count * MostPercent / 100];
        // The search left the ticks where the first of these wake-ups were.
        _grid = grid;
    }

    /// <summary>Measures until the run is to stop.</summary>
    public void Measure(IProbeTimer timer)
    {
        while (!_run.IsStopping)
        {
            TimedWakeup wakeup = Wake(timer);
            if (_wasAsleep)
            {
                // What the clock does now is to be found anew; no wake-up is told meanwhile.
                _heldCount = 0;
                _ring.Resumes++;
                Calibrate(timer);
            }
            else
            {
                Account(in wakeup);
            }
        }

        Decide();
    }

    private static bool IsClockPeriod(uint period) => period is >= 1_000 and <= 200_000;

    private TimedWakeup Wake(IProbeTimer timer)
    {
        long delay = (_settings.Period.Nanoseconds / 100) + (NextRandom() % DelaySpread);
        long awake = _machine.AwakeTime;
        timer.Set(delay);
        // Behind the call: what held it up must not count as latency.
        long set = _machine.Qpc;
        timer.Wait();
        long served = _machine.Qpc;
        long due = set + (long)(delay * (double)_machine.QpcHz / Unit100NsPerSecond);
        _wasAsleep = served - due >= _sleepTicks && SleepRule.IsResume(served - set, _machine.AwakeTime - awake, _machine.QpcHz);
        return new TimedWakeup(set, due, served);
    }

    private void Account(in TimedWakeup wakeup)
    {
        _recent[_seen++ % CalibrationWakeups] = wakeup;
        if (_heldCount == 0 && !IsLate(in wakeup))
        {
            Tell(in wakeup);
            return;
        }

        _held[_heldCount++] = wakeup;
        if (_heldCount == _held.Length)
        {
            Decide();
        }
    }

    private bool IsLate(in TimedWakeup wakeup) => wakeup.Served - _grid.ServingTick(in wakeup) >= _thresholdTicks;

    /// <summary>Tells a late wake-up and those behind it, once these have shown which ticks the clock has.</summary>
    private void Decide()
    {
        int count = _heldCount;
        _heldCount = 0;
        int late = 0;
        int odd = 0;
        for (int i = 1; i < count; i++)
        {
            late += IsLate(in _held[i]) ? 1 : 0;
            odd += _grid.IsUsual(in _held[i]) ? 0 : 1;
        }

        if (count == _held.Length && Math.Max(late * LateOf, odd * OddOf) >= WakeupsAfter)
        {
            TickGrid found = TickGridSearch.FindLately(_held.AsSpan(1), _periods);
            if (found.Period != 0)
            {
                _grid = found.WithServiceOf(in _grid);
                _refineAt = _seen + CalibrationWakeups;
            }
        }

        for (int i = 0; i < count; i++)
        {
            Tell(in _held[i]);
        }
    }

    private void Tell(in TimedWakeup wakeup)
    {
        long number = _sequence;
        Volatile.Write(ref _sequence, number + 1);
        long tick = _grid.ServingTick(in wakeup);
        _grid.Follow(in wakeup);
        if (CanMeasure)
        {
            _ring.Write(new ProbeRecord(number, wakeup.Due, tick, wakeup.Served));
            Log(number, in wakeup, tick);
        }

        if (_grid.IsLost || _seen >= _refineAt)
        {
            FindTicksAnew();
        }
    }

    private void Log(long number, in TimedWakeup wakeup, long tick)
    {
        if (!_run.Events.IsOn)
        {
            return;
        }

        _run.Events.Wakeup(number, _cpu, in wakeup, tick, Priority);
        if (wakeup.Served - tick >= _thresholdTicks)
        {
            _run.Events.Episode(_run.NextEpisode(), (long)((wakeup.Served - tick) * _nsPerTick), _cpu);
        }
    }

    /// <summary>
    /// Somebody changed the rate of the clock. On a machine so busy that no ticks are to be seen those that were known stay.
    /// </summary>
    private void FindTicksAnew()
    {
        _refineAt = long.MaxValue;
        TickGrid found = TickGridSearch.Find(_recent, _periods);
        _grid = found.Period == 0 ? _grid.WithoutMisses() : found.WithServiceOf(in _grid);
    }

    /// <summary>Xorshift (Marsaglia 2003).</summary>
    private uint NextRandom()
    {
        _random ^= _random << 13;
        _random ^= _random >> 17;
        _random ^= _random << 5;
        return _random;
    }
}
