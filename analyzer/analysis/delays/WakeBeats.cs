using System.Numerics;
using System.Runtime.CompilerServices;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

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

    /// <summary>A thread keeps its beat if all but this part of its intervals are the period.</summary>
    private const double MostOffBeat = 0.25;

    /// <summary>An interval is the period if it differs by less than this part of it: timers come with the clock's ticks.</summary>
    private const int PeriodAlike = 5;

    /// <summary>Of the <see cref="Learnt"/> intervals at least this many must agree with a beat that was known for it to go on.</summary>
    private const int FewestOfKnown = 8;

    /// <summary>Intervals that it takes to tell whether a thread keeps the beat that the user told.</summary>
    private const int FewestOfTold = 2;

    /// <summary>Most late wake-ups in a row of which it is open whether the thread was back on its beat.</summary>
    private const int MostPending = 8;

    /// <summary>
    /// A thread waits for others in the midst of its turns where it did so in this many of the latest <see cref="Learnt"/>, and was done in
    /// time: the frame that a screen shows is no part of a turn in which nothing had to be drawn.
    /// </summary>
    private const int FewestWithOthers = 12;

    /// <summary>Beats that may pass in such a wait; a thread that stays away for longer had stopped its timer.</summary>
    private const int MostPassed = 8;

    /// <summary>Most threads whose beat is learnt, to bound memory.</summary>
    private const int MostThreads = 4096;

    /// <summary>Most delays that are remembered as followed by a return to the beat; there are at most as many episodes.</summary>
    private const int MostBack = 50_000;

    private readonly LossMap _losses;
    private readonly long _thresholdTicks;
    private readonly long _alikeTicks;
    private readonly long? _periodTicks;
    private readonly TickChanges? _changes;
    private readonly Dictionary<uint, ThreadBeat> _beats = [];

    /// <summary>The beats of waits that may be in the midst of the work of a thread that keeps a beat otherwise.</summary>
    private readonly Dictionary<uint, ThreadBeat> _others = [];

    /// <summary>
    /// The beats at which DPCs make threads ready that other threads wake as well, where all their wake-ups together keep none.
    /// </summary>
    private readonly Dictionary<uint, ThreadBeat> _served = [];
    private readonly HashSet<Delay> _back = new(ReferenceEqualityComparer.Instance);

    /// <summary>Creates an empty record of beats.</summary>
    /// <param name="thresholdTicks">Least lateness to report, in ticks.</param>
    /// <param name="periodTicks">The length of the beat, where the user knows it, in ticks; null to learn it.</param>
    /// <param name="changes">Learns of each interval; null where that is not asked for.</param>
    public WakeBeats(LossMap losses, long thresholdTicks, long? periodTicks = null, TickChanges? changes = null)
    {
        _changes = changes;
        _periodTicks = periodTicks;
        _losses = losses;
        _thresholdTicks = thresholdTicks;
        _alikeTicks = thresholdTicks / AlikePartOf;
    }

    /// <summary>The delays after which the thread's next wake-up was back on the beat: the thread had not chosen to sleep longer.</summary>
    public IReadOnlySet<Delay> Back => _back;

    /// <summary>
    /// The threads that were ready for work on each of their beats: each time they had done with the work of the beat before.
    /// </summary>
    public IEnumerable<uint> Punctual => _beats.Concat(_others)
        .Where(thread => thread.Value is { Intervals: >= Learnt } beat && beat.OffBeat <= MostOffBeat * beat.Intervals)
        .Select(thread => thread.Key).Distinct();

    /// <summary>Whether a thread keeps a beat by waits that are not in the midst of its work.</summary>
    public bool HasBeat(uint thread) => (_beats.TryGetValue(thread, out ThreadBeat? beat) && PeriodOf(beat) > 0)
        || (_served.TryGetValue(thread, out beat) && PeriodOf(beat) > 0);

    /// <summary>Notes that a waiting thread was made ready.</summary>
    /// <param name="leftTicks">When it began to wait.</param>
    /// <param name="mayBeInside">Whether it may have waited in the midst of its work.</param>
    /// <param name="isByDpc">Whether a DPC made it ready.</param>
    /// <returns>The due time if the thread is late by its own beat, else 0; and the period, 0 where it has none.</returns>
    public (long DueTicks, long PeriodTicks) Ready(
        uint thread, long ticks, long leftTicks, bool mayBeInside = false, bool isByDpc = false)
    {
        if (mayBeInside && HasBeat(thread))
        {
            return default;
        }

        (long due, long period) = Ready(mayBeInside ? _others : _beats, thread, ticks, leftTicks);
        if (!isByDpc || mayBeInside || !_served.TryGetValue(thread, out ThreadBeat? served))
        {
            return (due, period);
        }

        if (period > 0)
        {
            _served.Remove(thread); // All that wakes it keeps one beat.
            return (due, period);
        }

        (served.WithOthers, served.HasWaited) = ((ushort)((served.WithOthers << 1) | (served.HasWaited ? 1 : 0)), false);
        return Ready(_served, thread, ticks, leftTicks);
    }

    /// <summary>
    /// Another thread made a waiting thread ready. Whether it had waited in the midst of its turn: a beat passed meanwhile and did not wake
    /// it, and in its turns before it waited so, too, and was done in time.
    /// </summary>
    public bool IsInside(uint thread, long ticks)
    {
        if (!_served.TryGetValue(thread, out ThreadBeat? beat))
        {
            if (_served.Count < MostThreads)
            {
                _served.Add(thread, new ThreadBeat { LastTicks = ticks });
            }

            return false;
        }

        beat.HasWaited = true;
        if (PeriodOf(beat) is not (> 0 and var period))
        {
            return false;
        }

        long over = ticks - beat.LastTicks - period;
        return over > _alikeTicks && over <= MostPassed * period && BitOperations.PopCount(beat.WithOthers) >= FewestWithOthers;
    }

    private (long DueTicks, long PeriodTicks) Ready(Dictionary<uint, ThreadBeat> beats, uint thread, long ticks, long leftTicks)
    {
        if (!beats.TryGetValue(thread, out ThreadBeat? beat))
        {
            if (beats.Count < MostThreads)
            {
                beats.Add(thread, new ThreadBeat { LastTicks = ticks });
            }

            return default;
        }

        long last = beat.LastTicks;
        beat.LastTicks = ticks;
        if (ticks <= last)
        {
            return default;
        }

        long period = PeriodOf(beat);
        beat.Kept = period > 0 ? period : beat.Kept;
        if (beat.Kept > 0)
        {
            beat.Intervals++;
            beat.OffBeat += Math.Abs(ticks - last - beat.Kept) * PeriodAlike > beat.Kept ? 1 : 0;
        }

        _changes?.Ready(thread, last, ticks, period, ref beat.OnTicks);
        long due = AfterWork(DueAt(beat, last, ticks, period), last, leftTicks, period);
        Settle(beat, last, ticks, period);
        bool isLate = period > 0 && ticks - due >= _thresholdTicks && leftTicks <= due
            && !IsOftenAsFarOff(beat, period, ticks - due) && !_losses.OverlapsAny(last, ticks);
        // Neither the interval that ends late nor the next one, which returns to the beat, describes the thread's beat.
        if (!isLate && !beat.WasLate)
        {
            beat.Learn(ticks - last);
            beat.Missed = 0;
        }
        else if (++beat.Missed >= Learnt)
        {
            beat.Forget(); // It keeps another one now.
        }

        (beat.WasLate, beat.DueTicks) = (isLate, due);
        return (isLate ? due : 0, period);
    }

    /// <summary>
    /// When a thread was due: a period after its last wake-up; where that was late, a period after it had been due, unless the thread shows
    /// that it counts from when it ran, or a later beat is the one that it keeps.
    /// </summary>
    private long DueAt(ThreadBeat beat, long last, long ticks, long period)
    {
        if (!beat.WasLate || period == 0 || Math.Abs(ticks - last - period) <= _alikeTicks)
        {
            return last + period;
        }

        long due = beat.DueTicks + period;
        return IsOn(ticks - due, period) && ticks > due ? ticks - (((ticks - due + _alikeTicks) % period) - _alikeTicks) : due;
    }

    /// <summary>
    /// The first beat that a thread could be late for: while it worked it waited for none, and what came then it had without waiting.
    /// A beat that had passed before it woke up is left alone.
    /// </summary>
    private static long AfterWork(long due, long last, long leftTicks, long period) => period == 0 || leftTicks <= due || due < last
        ? due
        : due + ((leftTicks - due + period - 1) / period * period);

    /// <summary>Notes of the late wake-ups of a thread whether it is back on its beat, where that shows now.</summary>
    private void Settle(ThreadBeat beat, long last, long ticks, long period)
    {
        if (beat.Late.Count == 0)
        {
            return;
        }

        bool isOn = period > 0 && IsOn(ticks - beat.Late[0].FromTicks, period);
        if (isOn && !IsOn(ticks - last, period))
        {
            _back.UnionWith(beat.Late.Take(MostBack - _back.Count));
        }

        if (isOn || period == 0 || IsOn(ticks - last, period) || beat.Late.Count >= MostPending)
        {
            beat.Late.Clear();
        }
    }

    /// <summary>Remembers a delay, so that it can be noted later whether the thread returned to its beat.</summary>
    public void Found(uint thread, Delay delay)
    {
        if ((_beats.TryGetValue(thread, out ThreadBeat? beat) && IsOf(beat)) || (_served.TryGetValue(thread, out beat) && IsOf(beat)))
        {
            beat.Late.Add(delay);
        }
        else if (_others.TryGetValue(thread, out beat))
        {
            beat.Late.Add(delay);
        }

        bool IsOf(ThreadBeat one) => one.WasLate && one.DueTicks == delay.FromTicks;
    }

    private bool IsOftenAsFarOff(ThreadBeat beat, long period, long lateTicks)
    {
        if (_periodTicks is not null)
        {
            return false;
        }

        int off = 0;
        bool isReturn = false;
        for (int i = 0; i < Learnt; i++)
        {
            long interval = beat.Latest[(beat.Next + i) % Learnt];
            bool isOff = 2 * Math.Abs(interval - period) >= lateTicks;

            // One that comes back to the beat belongs to the one before, which left it.
            isReturn = isOff && !isReturn && i > 0
                && Math.Abs(interval + beat.Latest[(beat.Next + i - 1) % Learnt] - (2 * period)) <= _alikeTicks;
            off += isOff && !isReturn ? 1 : 0;
        }

        return off > MostAsFarOff;
    }

    private bool IsOn(long ticks, long period)
    {
        long past = ticks % period;
        return Math.Min(past, period - past) <= _alikeTicks;
    }

    /// <summary>The period of a thread's wake-ups; 0 where they have none.</summary>
    private long PeriodOf(ThreadBeat beat)
    {
        if (_periodTicks is { } told)
        {
            return Keeps(beat, told) ? told : 0;
        }

        if (beat.Next < Learnt)
        {
            return 0;
        }

        if (beat.Period is { } known)
        {
            return known;
        }

        // Those that agree with the median stand around it.
        ReadOnlySpan<long> sorted = beat.Sorted;
        long median = sorted[Learnt / 2];
        long period = 0;
        for (int least = 0; least <= Learnt - FewestAlike; least++)
        {
            if (median - sorted[least] <= _alikeTicks && sorted[least + FewestAlike - 1] - median <= _alikeTicks)
            {
                period = median;
                break;
            }
        }

        if (period == 0 && beat.Known > 0)
        {
            int alike = 0;
            foreach (long interval in sorted)
            {
                alike += Math.Abs(interval - beat.Known) <= _alikeTicks ? 1 : 0;
            }

            period = alike >= FewestOfKnown ? beat.Known : 0;
        }

        (beat.Period, beat.Known) = (period, period);
        return period;
    }

    /// <summary>Whether a thread keeps a beat that the user told: most of its latest intervals are of about that length.</summary>
    private static bool Keeps(ThreadBeat beat, long period)
    {
        int known = Math.Min(beat.Next, Learnt);
        int alike = 0;
        foreach (long interval in ((ReadOnlySpan<long>)beat.Latest)[..known])
        {
            alike += Math.Abs(interval - period) * PeriodAlike <= period ? 1 : 0;
        }

        return known >= FewestOfTold && 2 * alike > known;
    }

    /// <summary>Stored in the thread's own record, which saves a memory access.</summary>
    [InlineArray(Learnt)]
    private struct LatestIntervals
    {
        private long _first;
    }

    private sealed class ThreadBeat
    {
        private LatestIntervals _intervals;
        private LatestIntervals _sorted;

        /// <summary>Its latest intervals that are multiples of the clock's usual tick.</summary>
        public TickRun OnTicks;

        /// <summary>The latest intervals as they were learnt; the next one to be replaced is at <see cref="Next"/>.</summary>
        public ref LatestIntervals Latest => ref _intervals;

        /// <summary>The same, the shortest first.</summary>
        public ReadOnlySpan<long> Sorted => _sorted;

        /// <summary>The period that they show; 0 for none, null where they have changed since it was computed.</summary>
        public long? Period { get; set; }

        public int Next { get; private set; }

        public long LastTicks { get; set; }

        public long DueTicks { get; set; }

        public bool WasLate { get; set; }

        /// <summary>In which of its latest turns other threads made it ready, too; a bit each.</summary>
        public ushort WithOthers { get; set; }

        /// <summary>Whether one did in its turn of now.</summary>
        public bool HasWaited { get; set; }

        /// <summary>How many intervals there were since the beat was first known.</summary>
        public long Intervals { get; set; }

        /// <summary>How many of them are not the period.</summary>
        public long OffBeat { get; set; }

        /// <summary>The latest late wake-ups, in a row, of which it is open whether the thread was back on its beat.</summary>
        public List<Delay> Late { get; } = [];

        /// <summary>The period that was known last; 0 for none.</summary>
        public long Known { get; set; }

        /// <summary>
        /// The period that was known last, also while the intervals stray too far to say when the thread is due, as those of a timer that
        /// comes with the clock's ticks do; 0 for none.
        /// </summary>
        public long Kept { get; set; }

        /// <summary>How many wake-ups in a row describe no beat.</summary>
        public int Missed { get; set; }

        public void Forget()
        {
            (Next, Known, Missed, Period) = (0, 0, 0, null);
            _intervals = default;
            _sorted = default;
        }

        /// <summary>Replaces the oldest interval.</summary>
        public void Learn(long interval)
        {
            ref long oldest = ref _intervals[Next++ % Learnt];
            Span<long> sorted = _sorted;
            int at = sorted.IndexOf(oldest);
            oldest = interval;
            for (; at > 0 && sorted[at - 1] > interval; at--)
            {
                sorted[at] = sorted[at - 1];
            }

            for (; at < Learnt - 1 && sorted[at + 1] < interval; at++)
            {
                sorted[at] = sorted[at + 1];
            }

            sorted[at] = interval;
            Period = null;
        }
    }
}
