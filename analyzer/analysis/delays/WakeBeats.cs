namespace Tracer.Analysis;

/// <summary>
/// Learns the beat at which periodic threads are made ready (audio, multimedia timers, control loops), and notices a wake-up that comes
/// late. Code at raised IRQL can keep the timer itself from expiring; then the thread waits before any record says that it is ready.
/// </summary>
internal sealed class WakeBeats
{
    /// <summary>Number of latest intervals from which a beat is learnt.</summary>
    private const int Learnt = 16;

    /// <summary>Of the <see cref="Learnt"/> intervals at least this many must agree for a thread to have a beat.</summary>
    private const int FewestAlike = 12;

    /// <summary>Intervals agree if they differ by at most the latency threshold divided by this.</summary>
    private const int AlikePartOf = 4;

    /// <summary>
    /// At most this many of the <see cref="Learnt"/> intervals may be off the beat by half the lateness in question: a thread that
    /// alternates between sleep and work misses a clock tick now and then without being delayed by others.
    /// </summary>
    private const int MostAsFarOff = 1;

    /// <summary>Most threads whose beat is learnt, to bound memory.</summary>
    private const int MostThreads = 4096;

    /// <summary>Most delays that are remembered as followed by a return to the beat; there are at most as many episodes.</summary>
    private const int MostBack = 50_000;

    private readonly LossMap _losses;
    private readonly long _thresholdTicks;
    private readonly Dictionary<uint, ThreadBeat> _beats = [];
    private readonly long[] _sorted = new long[Learnt];
    private readonly HashSet<Delay> _back = new(ReferenceEqualityComparer.Instance);

    /// <summary>Creates an empty record of beats.</summary>
    /// <param name="losses">When records are missing.</param>
    /// <param name="thresholdTicks">Least lateness to report, in ticks.</param>
    public WakeBeats(LossMap losses, long thresholdTicks)
    {
        _losses = losses;
        _thresholdTicks = thresholdTicks;
    }

    /// <summary>The delays after which the thread's next wake-up was back on the beat: the thread had not chosen to sleep longer.</summary>
    public IReadOnlySet<Delay> Back => _back;

    /// <summary>Notes that a waiting thread was made ready.</summary>
    /// <param name="thread">The thread's id.</param>
    /// <param name="ticks">Time in ticks.</param>
    /// <param name="leftTicks">When the thread left its CPU.</param>
    /// <returns>The due time and the period if the thread is late by its own beat; else null.</returns>
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
        // Neither the interval that ends late nor the next one, which returns to the beat, describes the thread's beat.
        if (!isLate && !beat.WasLate)
        {
            beat.Intervals[beat.Next++ % Learnt] = ticks - last;
        }

        beat.WasLate = isLate;

        return isLate ? (due, period) : null;
    }

    /// <summary>Remembers a delay, so that it can be noted later whether the thread returned to its beat.</summary>
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

    /// <summary>The period of a thread's wake-ups; 0 where they have none.</summary>
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
