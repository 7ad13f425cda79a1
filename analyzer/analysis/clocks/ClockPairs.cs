using System.Runtime.InteropServices;

namespace Tracer.Analysis.Clocks;

/// <summary>
/// Holds the clocks of CPUs against each other: a thread that waited is made ready, and then runs. Counts, for each pair of CPUs, the
/// threads that one made ready and the other ran, and those that ran before they were made ready, with by how much.
/// </summary>
internal sealed class ClockPairs
{
    /// <summary>So many lengths are kept of each pair of CPUs.</summary>
    private const int MostKept = 512;

    private readonly long _early;
    private readonly long _leaving;
    private readonly long _longest;
    private readonly Dictionary<int, ClockPair> _pairs = [];
    private readonly Dictionary<uint, ThreadState> _threads = [];
    private long _sureTicks = long.MinValue;

    private ClockPairs(long early, long leaving, long longest)
    {
        _early = early;
        _leaving = leaving;
        _longest = longest;
    }

    /// <summary>The pairs of CPUs, by the CPU that made ready and the one that ran.</summary>
    public IReadOnlyCollection<ClockPair> All => _pairs.Values;

    /// <summary>How many threads ran on one CPU before another made them ready.</summary>
    public long Reversed => _pairs.Values.Sum(pair => (long)pair.ReversedCount);

    /// <summary>How many threads ran although no record tells who made them ready, neither before nor soon after.</summary>
    public long Unanswered { get; private set; }

    /// <param name="events">What happened to threads, by time.</param>
    /// <param name="early">Threads that run so much before they are made ready are no contradiction, in ticks.</param>
    /// <param name="leaving">So long before the record that they begin to wait they may be made ready, in ticks.</param>
    /// <param name="longest">Clocks that are off by more are not looked for, in ticks.</param>
    public static ClockPairs Of(ReadOnlySpan<ClockEvent> events, long early, long leaving, long longest)
    {
        var pairs = new ClockPairs(early, leaving, longest);
        foreach (ref readonly ClockEvent one in events)
        {
            pairs.Add(in one);
        }

        return pairs;
    }

    private void Add(in ClockEvent one)
    {
        if (one.Kind == ClockEventKind.Cut)
        {
            _threads.Clear();
            _sureTicks = one.Ticks + Math.Min(one.FreeTicks, _longest);
            return;
        }

        ref ThreadState thread = ref CollectionsMarshal.GetValueRefOrAddDefault(_threads, one.Thread, out _);
        switch (one.Kind)
        {
            case ClockEventKind.Leave or ClockEventKind.Wait:
                thread.Waits = one.Kind == ClockEventKind.Wait;
                thread.LeftTicks = one.Ticks;
                break;
            case ClockEventKind.Ready:
                if (thread.IsEarly)
                {
                    thread.IsEarly = false;
                    long early = one.Ticks - thread.RunTicks;
                    Unanswered += early > _longest ? 1 : 0;
                    if (early > _early && early <= _longest && one.Cpu != thread.RunCpu)
                    {
                        PairOf(one.Cpu, thread.RunCpu).AddReversed(early);
                    }
                }

                thread.IsReady = true;
                thread.ReadyTicks = one.Ticks;
                thread.ReadyCpu = one.Cpu;
                break;
            default:
                Unanswered += thread.IsEarly ? 1 : 0;
                if (thread.Waits && thread.IsReady && thread.ReadyTicks >= thread.LeftTicks - _leaving)
                {
                    thread.IsEarly = false;
                    if (thread.ReadyCpu != one.Cpu)
                    {
                        PairOf(thread.ReadyCpu, one.Cpu).Add(one.Ticks - thread.ReadyTicks);
                    }
                }
                else
                {
                    thread.IsEarly = thread.Waits && one.Ticks >= _sureTicks;
                }

                thread.Waits = false;
                thread.IsReady = false;
                thread.RunTicks = one.Ticks;
                thread.RunCpu = one.Cpu;
                break;
        }
    }

    private ClockPair PairOf(int from, int to)
    {
        ref ClockPair? pair = ref CollectionsMarshal.GetValueRefOrAddDefault(_pairs, (from << 16) | to, out _);
        return pair ??= new ClockPair(from, to, MostKept);
    }

    private struct ThreadState
    {
        public long LeftTicks;
        public long ReadyTicks;
        public long RunTicks;
        public int ReadyCpu;
        public int RunCpu;

        /// <summary>Whether it left its CPU to wait and has not run since.</summary>
        public bool Waits;

        /// <summary>Whether it was made ready since it ran.</summary>
        public bool IsReady;

        /// <summary>Whether it runs although nobody has made it ready since it began to wait.</summary>
        public bool IsEarly;
    }
}

/// <summary>What one CPU made ready and another ran.</summary>
/// <param name="from">The CPU that made ready.</param>
/// <param name="to">The CPU that ran it.</param>
/// <param name="most">So many lengths are kept.</param>
internal sealed class ClockPair(int from, int to, int most)
{
    private readonly List<long> _waits = [];
    private readonly List<long> _reversed = [];

    /// <summary>The CPU that made ready.</summary>
    public int From => from;

    /// <summary>The CPU that ran it.</summary>
    public int To => to;

    /// <summary>How many threads.</summary>
    public long Count { get; private set; }

    /// <summary>How many of them ran before they were made ready.</summary>
    public int ReversedCount { get; private set; }

    /// <summary>By how many ticks they ran before they were made ready, the first ones.</summary>
    public IReadOnlyList<long> Reversed => _reversed;

    /// <summary>How many ticks they waited for a CPU, the first ones.</summary>
    public IReadOnlyList<long> Waits => _waits;

    public void Add(long ticks)
    {
        Count++;
        Keep(_waits, ticks);
    }

    public void AddReversed(long ticks)
    {
        Count++;
        ReversedCount++;
        Keep(_reversed, ticks);
    }

    private void Keep(List<long> lengths, long ticks)
    {
        if (lengths.Count < most)
        {
            lengths.Add(ticks);
        }
    }
}
