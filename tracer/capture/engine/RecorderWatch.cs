using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Engine;

/// <summary>Watches the recorder: how far its ring reaches back, and what it lost when.</summary>
public sealed class RecorderWatch(ITraceSession recorder, ICaptureClock clock, Duration wanted)
{
    /// <summary>Counters are asked for this often.</summary>
    private const int PollSeconds = 1;

    /// <summary>Losses are dated this far back, which is beyond any window.</summary>
    private const int MostPolls = 120;

    /// <summary>A rate is taken over so many polls: single seconds differ.</summary>
    private const int RatePolls = 10;

    private readonly (long Qpc, uint Lost, uint Written)[] _polls = new (long, uint, uint)[MostPolls];
    private long _pollCount;
    private long _nextPoll = long.MinValue;
    private Duration? _measured;
    private double _bytesPerSecond;
    private bool _isCounted;

    /// <summary>Why Windows did not tell the counters; the first refusal, null where there was none.</summary>
    public EtwException? Refusal { get; private set; }

    public long RingBytes { get; } = 1024L * recorder.Plan.BufferKb * recorder.Plan.Buffers;

    public uint EventsLost { get; private set; }

    /// <summary>How far back the ring reaches.</summary>
    public RingStatus Ring => new()
    {
        Bytes = RingBytes,
        Wanted = wanted,
        Measured = _measured,
        Estimated = _bytesPerSecond > 0 ? new Duration((long)Math.Min(1e18, RingBytes / _bytesPerSecond * 1e9)) : null,
    };

    /// <summary>Asks for the counters, once a second; what Windows refuses is not known then, and the next second asks again.</summary>
    /// <exception cref="EtwException">The session is gone.</exception>
    public void Poll()
    {
        long now = clock.Qpc;
        if (now < _nextPoll)
        {
            return;
        }

        _nextPoll = now + TickRate.TicksOfSeconds(PollSeconds, clock.QpcHz);
        SessionCounters counters;
        try
        {
            counters = recorder.Query();
        }
        catch (EtwException fault) when (!fault.IsOfGoneSession)
        {
            Refusal ??= fault;
            return;
        }

        EventsLost = counters.EventsLost;
        _polls[_pollCount++ % MostPolls] = (now, counters.EventsLost, counters.BuffersWritten);
        (long qpc, _, uint written) = _polls[Math.Max(0, _pollCount - 1 - RatePolls) % MostPolls];
        if (counters.BuffersWritten > written && now > qpc)
        {
            _isCounted = true;
            _bytesPerSecond = (counters.BuffersWritten - written) * 1024.0 * recorder.Plan.BufferKb * clock.QpcHz / (now - qpc);
        }
    }

    /// <summary>Events that had been lost before a moment, as far as that is known.</summary>
    /// <returns>How many; 0 for a moment before the first answer.</returns>
    public uint EventsLostBefore(long qpc)
    {
        for (long i = _pollCount - 1; i >= Math.Max(0, _pollCount - MostPolls); i--)
        {
            (long at, uint lost, _) = _polls[i % MostPolls];
            if (at <= qpc)
            {
                return lost;
            }
        }

        return 0;
    }

    public void Note(SnapshotSurvey survey, long fileBytes)
    {
        ArgumentNullException.ThrowIfNull(survey);
        if (survey.Events == 0 || survey.LastTicks <= survey.CoveredFrom)
        {
            return;
        }

        double seconds = (double)(survey.LastTicks - survey.CoveredFrom) / clock.QpcHz;
        _measured = new Duration((long)(seconds * 1e9));
        // Windows may count only buffers that went into a file: of a ring, none.
        if (!_isCounted)
        {
            _bytesPerSecond = fileBytes / seconds;
        }
    }
}
