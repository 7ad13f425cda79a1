namespace Tracer.Analysis;

/// <summary>
/// Learns the beat at which periodic threads are made ready (audio, multimedia timers, control loops), and notices where one comes late:
/// code at raised IRQL keeps the timer itself from expiring, and the thread waits before any record says that it is ready.
/// </summary>
internal sealed class WakeBeats
{
    /// <summary>Intervals by which a beat is known.</summary>
    private const int Learnt = 16;

    /// <summary>Of these so many must agree.</summary>
    private const int FewestAlike = 12;

    /// <summary>Intervals that differ by less than one part of so many of the threshold agree.</summary>
    private const int AlikePartOf = 4;

    /// <summary>
    /// Of the intervals at most so many may be off the beat by half of what the late one is: a thread that sleeps and works in turn misses
    /// a tick of the clock every now and then, and nobody keeps it.
    /// </summary>
    private const int MostAsFarOff = 1;

    /// <summary>Threads whose beat is learnt.</summary>
    private const int MostThreads = 4096;

    /// <summary>Late ones that are remembered as being back on their beat; there are at most as many episodes.</summary>
    private const int MostBack = 50_000;

    private readonly LossMap _losses;
    private readonly long _thresholdTicks;
    private readonly Dictionary<uint, ThreadBeat> _beats = [];
    private readonly long[] _sorted = new long[Learnt];
    private readonly HashSet<Delay> _back = new(ReferenceEqualityComparer.Instance);

    /// <summary>Makes one.</summary>
    /// <param name="losses">When records are missing.</param>
    /// <param name="thresholdTicks">Lateness at or above this is told, in ticks.</param>
    public WakeBeats(LossMap losses, long thresholdTicks)
    {
        _losses = losses;
        _thresholdTicks = thresholdTicks;
    }

    /// <summary>What was late and whose thread's next wake-up was back on the beat: it had not chosen to sleep longer.</summary>
    public IReadOnlySet<Delay> Back => _back;

    /// <summary>A thread that waited was made ready.</summary>
    /// <param name="thread">Its id.</param>
    /// <param name="ticks">When.</param>
    /// <param name="leftTicks">When it had left its CPU.</param>
    /// <returns>When it was due, and its period, where it is late by its own beat; else null.</returns>
    public (long DueTicks, long PeriodTicks)? Ready(uint thread, long ticks, long leftTicks)
    {
        if (!_beats.TryGetValue(thread, out ThreadBeat? beat))
        {
            if (_beats.Count < MostThreads)
            {
                _beats.Add(thread, new ThreadBeat { LastTicks = ticks });
            }

            return null;
        }

        long last = beat.LastTicks;
        beat.LastTicks = ticks;
        if (ticks <= last)
        {
            return null;
        }

        long period = PeriodOf(beat);
        if (beat.Late is { } late)
        {
            if (period > 0 && IsOn(ticks - beat.DueTicks, period) && !IsOn(ticks - last, period) && _back.Count < MostBack)
            {
                _back.Add(late);
            }

            beat.Late = null;
        }

        long due = last + period;
        bool isLate = period > 0 && ticks - due >= _thresholdTicks && leftTicks <= due
            && !IsOftenAsFarOff(beat, period, ticks - due) && !_losses.OverlapsAny(last, ticks);
        beat.DueTicks = due;
        // Neither the interval of one that is late tells of the thread, nor the one that brings it back.
        if (!isLate && !beat.WasLate)
        {
            beat.Intervals[beat.Next++ % Learnt] = ticks - last;
        }

        beat.WasLate = isLate;

        return isLate ? (due, period) : null;
    }

    /// <summary>What was late; whether the thread is back on its beat afterwards will be told to it.</summary>
    public void Found(uint thread, Delay delay)
    {
        if (_beats.TryGetValue(thread, out ThreadBeat? beat))
        {
            beat.Late = delay;
        }
    }

    private static bool IsOftenAsFarOff(ThreadBeat beat, long period, long lateTicks)
    {
        int off = 0;
        foreach (long interval in beat.Intervals)
        {
            off += 2 * Math.Abs(interval - period) >= lateTicks ? 1 : 0;
        }

        return off > MostAsFarOff;
    }

    private bool IsOn(long ticks, long period)
    {
        long past = ticks % period;
        return Math.Min(past, period - past) <= _thresholdTicks / AlikePartOf;
    }

    /// <summary>The period of a thread's wake-ups; 0 where they keep none.</summary>
    private long PeriodOf(ThreadBeat beat)
    {
        if (beat.Next < Learnt)
        {
            return 0;
        }

        beat.Intervals.CopyTo(_sorted.AsSpan());
        Array.Sort(_sorted);
        long median = _sorted[Learnt / 2];
        int alike = 0;
        foreach (long interval in _sorted)
        {
            alike += Math.Abs(interval - median) <= _thresholdTicks / AlikePartOf ? 1 : 0;
        }

        return alike >= FewestAlike ? median : 0;
    }

    private sealed class ThreadBeat
    {
        public long[] Intervals { get; } = new long[Learnt];

        public int Next { get; set; }

        public long LastTicks { get; set; }

        public long DueTicks { get; set; }

        public bool WasLate { get; set; }

        public Delay? Late { get; set; }
    }
}
