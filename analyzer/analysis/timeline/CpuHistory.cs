namespace Tracer.Analysis;

/// <summary>
/// What the records tell about one CPU, the recent past only: spans of ISRs and DPCs, the threads beneath, samples, callbacks of the
/// driver framework, silences. Values are taken in the order of their time stamps; spans are stamped at their end.
/// </summary>
internal sealed class CpuHistory
{
    /// <summary>More frames say nothing that the first do not.</summary>
    public const int MaximumFrames = 64;

    /// <summary>A stack comes before so many more samples have been taken.</summary>
    private const int Awaited = 4;

    private readonly SampleClock _sampleClock;

    /// <summary>The latest samples that have no stack yet, one bit each, the newest lowest.</summary>
    private uint _awaiting;
    private long _latestTicks = long.MinValue;

    /// <summary>Starts with nothing.</summary>
    /// <param name="cpu">Logical processor.</param>
    /// <param name="capacity">How many values of a sort are kept.</param>
    /// <param name="sampleClock">When samples of this CPU are due.</param>
    public CpuHistory(int cpu, int capacity, SampleClock sampleClock)
    {
        Cpu = cpu;
        _sampleClock = sampleClock;
        Spans = new Ring<LevelSpan>(capacity);
        Runs = new Ring<RunStretch>(capacity);
        Samples = new Ring<SampleMark>(Math.Max(1024, capacity / 4));
        Frames = new Ring<ulong>(Math.Max(64 * 1024, capacity * 4));
        Callbacks = new Ring<CallbackMark>(Math.Max(1024, capacity / 8));
        Silences = new Ring<Silence>(Math.Max(1024, capacity / 8));
        DpcStarts = new Ring<DpcStart>(Math.Max(1024, capacity / 8));
        ThreadRoutines = new Ring<ThreadRoutine>(Math.Max(1024, capacity / 16));
    }

    /// <summary>Logical processor.</summary>
    public int Cpu { get; }

    /// <summary>ISRs and DPCs, by end.</summary>
    public Ring<LevelSpan> Spans { get; }

    /// <summary>Threads, by start.</summary>
    public Ring<RunStretch> Runs { get; }

    /// <summary>Samples, by time.</summary>
    public Ring<SampleMark> Samples { get; }

    /// <summary>Kernel stack frames of the samples.</summary>
    public Ring<ulong> Frames { get; }

    /// <summary>Callbacks, by time.</summary>
    public Ring<CallbackMark> Callbacks { get; }

    /// <summary>Silences, by end.</summary>
    public Ring<Silence> Silences { get; }

    /// <summary>DPCs that were taken from a queue, those whose enqueue is known, by time.</summary>
    public Ring<DpcStart> DpcStarts { get; }

    /// <summary>Threaded DPCs and passive ISRs, by end.</summary>
    public Ring<ThreadRoutine> ThreadRoutines { get; }

    /// <summary>Clock interrupts, by time.</summary>
    public Ring<ClockMark> ClockInterrupts { get; } = new(4096);

    /// <summary>Time stamp of the newest record, in ticks.</summary>
    public long LatestTicks => _latestTicks;

    /// <summary>Something happened on this CPU; before that it was silent.</summary>
    /// <param name="ticks">When; an earlier time than the latest tells nothing.</param>
    public void Mark(long ticks)
    {
        if (ticks <= _latestTicks)
        {
            return;
        }

        if (_latestTicks != long.MinValue && _sampleClock.FirstMissed(_latestTicks, ticks) is { } due)
        {
            Silences.Add(new Silence { FromTicks = _latestTicks, DueTicks = due, ToTicks = ticks, BeatTicks = _sampleClock.BeatTicks });
        }

        _latestTicks = ticks;
    }

    /// <summary>Takes an ISR or DPC.</summary>
    public void AddSpan(in LevelSpan span)
    {
        Mark(span.StartTicks);
        Mark(span.EndTicks);
        Spans.Add(in span);
    }

    /// <summary>Takes a change of threads.</summary>
    /// <param name="ticks">When.</param>
    /// <param name="newThread">Who runs now.</param>
    /// <param name="newPriority">Its priority.</param>
    /// <param name="oldThread">Who ran.</param>
    /// <param name="oldPriority">Its priority.</param>
    /// <param name="idleState">The idle state that the CPU was in before; 0 where it was not idle.</param>
    /// <returns>Whether the old thread is the one that was known to run; if not, records are missing since the last switch.</returns>
    public bool AddSwitch(long ticks, uint newThread, sbyte newPriority, uint oldThread, sbyte oldPriority, byte idleState = 0)
    {
        Mark(ticks);
        bool isUnbroken = true;
        if (Runs.Count == 0)
        {
            Runs.Add(new RunStretch
            {
                StartTicks = long.MinValue,
                ReadyTicks = long.MinValue,
                ThreadId = oldThread,
                Priority = oldPriority,
                IsKnown = true,
            });
        }
        else
        {
            ref RunStretch last = ref Runs[Runs.Next - 1];
            if (last.ThreadId != oldThread)
            {
                last.IsKnown = false;
                isUnbroken = false;
            }
        }

        Runs.Add(new RunStretch
        {
            StartTicks = ticks,
            ReadyTicks = long.MinValue,
            ThreadId = newThread,
            Priority = newPriority,
            IsKnown = true,
            IdleStateBefore = idleState,
        });
        return isUnbroken;
    }

    /// <summary>Takes a sample; its stack follows as a record of its own.</summary>
    public void AddSample(in SampleMark sample)
    {
        Mark(sample.Ticks);
        _sampleClock.Sampled(sample.Ticks);
        Samples.Add(in sample);
        _awaiting = ((_awaiting << 1) | 1) & ((1u << Awaited) - 1);
    }

    /// <summary>
    /// Takes a sample of our own driver: it keeps another beat than the profile interrupt, and may come as a non-maskable one, so it
    /// neither sets the beat nor shows that interrupts were served.
    /// </summary>
    public void AddDriverSample(in SampleMark sample, ReadOnlySpan<ulong> kernelFrames)
    {
        Samples.Add(in sample);
        _awaiting = (_awaiting << 1) & ((1u << Awaited) - 1);
        Keep(ref Samples[Samples.Next - 1], kernelFrames);
    }

    /// <summary>Whether any of the latest samples has no stack yet: where all have one, a stack is of something else.</summary>
    public bool MayAwaitStack => _awaiting != 0;

    /// <summary>Whether one of the latest samples was taken at a time and has no stack yet: it may be the one that a stack is of.</summary>
    public bool AwaitsStack(long ticks, out long number)
    {
        for (number = Samples.Next - 1; number >= Math.Max(Samples.First, Samples.Next - Awaited); number--)
        {
            if (Samples[number].Ticks == ticks)
            {
                return Samples[number].Frames == 0;
            }
        }

        return false;
    }

    /// <summary>Gives a sample its stack.</summary>
    /// <param name="number">Number of the sample.</param>
    /// <param name="kernelFrames">Kernel part of its stack, innermost first.</param>
    public void AddStack(long number, ReadOnlySpan<ulong> kernelFrames)
    {
        Keep(ref Samples[number], kernelFrames);
        _awaiting &= ~(1u << (int)(Samples.Next - 1 - number));
    }

    /// <summary>Copies the kernel frames of a sample, innermost first; nothing where they are forgotten.</summary>
    public ReadOnlySpan<ulong> FramesOf(in SampleMark sample, Span<ulong> buffer)
    {
        if (sample.Frames == 0 || sample.FirstFrame < Frames.First)
        {
            return default;
        }

        int count = Math.Min(sample.Frames, buffer.Length);
        for (int i = 0; i < count; i++)
        {
            buffer[i] = Frames[sample.FirstFrame + i];
        }

        return buffer[..count];
    }

    private void Keep(ref SampleMark sample, ReadOnlySpan<ulong> kernelFrames)
    {
        sample.FirstFrame = Frames.Next;
        sample.Frames = (ushort)Math.Min(kernelFrames.Length, MaximumFrames);
        Frames.AddAll(kernelFrames[..sample.Frames]);
    }

    /// <summary>Number of the stretch that runs at a time; -1 where it is not known.</summary>
    public long RunAt(long ticks) => Runs.FirstAfter(ticks) is long next && next > Runs.First ? next - 1 : -1;

    /// <summary>
    /// Whether the newest of <see cref="DpcStarts"/> may still run: DPCs do not nest, and the processor switches no threads meanwhile.
    /// </summary>
    public bool IsInDpcStart(long ticks)
    {
        if (DpcStarts.Count == 0)
        {
            return false;
        }

        long since = DpcStarts[DpcStarts.Next - 1].Ticks;
        for (long number = Spans.Next - 1; number >= Spans.First && Spans[number].EndTicks > since; number--)
        {
            if (!Spans[number].IsIsr && Spans[number].EndTicks < ticks)
            {
                return false;
            }
        }

        return Runs.Count == 0 || Runs[Runs.Next - 1].StartTicks <= since;
    }

    /// <summary>Number of the first sample at or after a time.</summary>
    public long FirstSampleFrom(long ticks) => Samples.FirstAfter(ticks == long.MinValue ? ticks : ticks - 1);

    /// <summary>Number of the first span that ends after a time.</summary>
    public long FirstSpanEndingAfter(long ticks) => Spans.FirstAfter(ticks);

    /// <summary>Whether a record of this CPU lies strictly between two times, as far as is remembered.</summary>
    public bool HasRecordBetween(long fromTicks, long toTicks)
    {
        long run = RunAt(toTicks - 1);
        if (run >= 0 && Runs[run].StartTicks > fromTicks)
        {
            return true;
        }

        long sample = FirstSampleFrom(fromTicks + 1);
        if (sample < Samples.Next && Samples[sample].Ticks < toTicks)
        {
            return true;
        }

        for (long number = FirstSpanEndingAfter(fromTicks); number < Spans.Next; number++)
        {
            ref LevelSpan span = ref Spans[number];
            if (span.EndTicks < toTicks || (span.StartTicks > fromTicks && span.StartTicks < toTicks))
            {
                return true;
            }

            if (span.StartTicks > toTicks && span.EndTicks - toTicks > toTicks - fromTicks)
            {
                break;
            }
        }

        return false;
    }
}
