namespace Tracer.Capture.Driver;

/// <summary>Converts moments of a run's clock to the performance counter, by the latest <c>ClockSync</c>.</summary>
internal struct RunClock
{
    private const ulong LongestNs = 60_000_000_000;

    private readonly ulong _hz;
    private readonly long _qpcHz;
    private readonly bool _isCounter;
    private ulong _clock;
    private ulong _qpc;
    private bool _isTied;

    /// <summary>Takes what the status of a run says.</summary>
    public RunClock(ProbeClock clock, ulong hz, long qpcHz)
    {
        (_hz, _qpcHz) = (hz, qpcHz);
        _isCounter = clock == ProbeClock.Qpc;
    }

    /// <summary>Takes one moment in both clocks.</summary>
    public void Tie(in ClockSyncRecord sync) => (_clock, _qpc, _isTied) = (sync.Clock, sync.Qpc, true);

    /// <param name="beginQpc">Its begin in ticks of the performance counter.</param>
    /// <returns>False where it is none: negative, longer than a minute, or without a tie between the clocks.</returns>
    public readonly bool TryDate(ulong begin, ulong end, out long beginQpc, out long latencyNs)
    {
        (beginQpc, latencyNs) = (0, 0);
        if (_hz == 0 || begin > end || (UInt128)(end - begin) * 1_000_000_000 / _hz is var length && length > LongestNs
            || !(_isCounter || _isTied))
        {
            return false;
        }

        Int128 ticks = _isCounter ? begin : _qpc + (((Int128)begin - _clock) * _qpcHz / _hz);
        if (ticks < 0 || ticks > long.MaxValue)
        {
            return false;
        }

        latencyNs = (long)length;
        beginQpc = (long)ticks;
        return true;
    }
}
