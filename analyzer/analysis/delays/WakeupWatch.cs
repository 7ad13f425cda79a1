using System.Numerics;
using System.Runtime.CompilerServices;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

/// <summary>Pairs each ReadyThread event with the context switch that switches the thread in, and remembers where threads ran.</summary>
internal sealed class WakeupWatch
{
    /// <summary>Most threads that are tracked: no machine has more, but a damaged trace may.</summary>
    private const int MostThreads = 1 << 18;

    /// <summary>Threads with ids below this are looked up in an array indexed by id.</summary>
    private const uint LargestIndexed = 1 << 20;

    /// <summary>
    /// So long after a thread began to run, as parts of a second, its wake-up may be recorded: 0.05 ms. The clocks of two CPUs agree no
    /// better on some machines.
    /// </summary>
    private const int ServedPerSecond = 20_000;

    private readonly long _servedTicks;
    private readonly bool _isOneCpuOnly;

    /// <summary>Index plus one of a thread's place by its id; 0 for none.</summary>
    private int[] _numbers = new int[1 << 14];
    private readonly Dictionary<uint, int> _numbersOfLargeIds = [];
    private Place[] _places = new Place[256];
    private int _count;

    /// <summary>Creates a watch that knows no thread.</summary>
    /// <param name="ticksPerSecond">Frequency of the trace's clock.</param>
    /// <param name="isOneCpuOnly">Whether wake-ups from another CPU than the one that the thread then runs on do not count.</param>
    public WakeupWatch(long ticksPerSecond = 0, bool isOneCpuOnly = false)
    {
        _servedTicks = ticksPerSecond / ServedPerSecond;
        _isOneCpuOnly = isOneCpuOnly;
    }

    /// <summary>Notes that a thread was made runnable.</summary>
    /// <param name="wake">The wake-up: when and by what.</param>
    public void Ready(uint thread, in Wake wake)
    {
        ref Place place = ref PlaceOf(thread);
        if (!Unsafe.IsNullRef(ref place) && !IsServed(in place, wake.ReadyTicks))
        {
            // The last wake-up counts: before it the kernel first had to bring in the stack or the process.
            place.Latest = wake;
            place.IsReady = true;
        }
    }

    /// <summary>Forgets a wake-up that does not count.</summary>
    /// <param name="place">What is known about the thread that is switched in.</param>
    public void LeaveOutOthers(ref Place place, int cpu) => place.IsReady &= !_isOneCpuOnly || place.Latest.Cpu == cpu;

    /// <summary>
    /// Whether a thread has been running since the same tick in which it was made ready, where the clock is too coarse to tell which record
    /// came first; or it left to wait, runs again, and its wake-up comes a little later by the clock of another CPU.
    /// </summary>
    private bool IsServed(in Place place, long readyTicks) => place.LeftTicks <= place.InTicks && place.Ran.Ticks != place.InTicks
        && (place.InTicks == readyTicks
            || (HasLeftToWait(in place) && place.InTicks < readyTicks && readyTicks - place.InTicks <= _servedTicks));

    private static bool HasLeftToWait(in Place place) => place.Left is Leaving.ToWait or Leaving.ForLock or Leaving.ForOther;

    public void SwitchedOut(uint thread, long ticks, int cpu, int idealCpu, Leaving why)
    {
        ref Place place = ref PlaceOf(thread);
        if (!Unsafe.IsNullRef(ref place))
        {
            place.LastCpu = cpu;
            place.IdealCpu = idealCpu;
            place.LeftTicks = ticks;
            place.Left = why;
        }
    }

    /// <param name="place">What was known about the thread until then.</param>
    public static void SwitchedIn(ref Place place, long ticks, int cpu, sbyte priority)
    {
        place.InTicks = ticks;
        place.Priority = priority;
        if (place.IsReady)
        {
            place.Before = place.Ran;
            place.Ran.Wake = place.Latest;
            place.Ran.Ticks = ticks;
            place.Ran.Cpu = cpu;
            place.IsReady = false;
        }
    }

    /// <summary>What is known about a thread; a null reference where nothing is. Valid until the next call about another thread.</summary>
    public ref Place Find(uint thread)
    {
        int number = thread < (uint)_numbers.Length ? _numbers[thread]
            : thread >= LargestIndexed && _numbersOfLargeIds.TryGetValue(thread, out int known) ? known : 0;
        return ref number == 0 ? ref Unsafe.NullRef<Place>() : ref _places[number - 1];
    }

    /// <summary>The threads that were made ready and have not run since.</summary>
    public IEnumerable<(uint Thread, int Priority, Wake Wake)> Unserved()
    {
        IEnumerable<(uint Thread, int Number)> all = _numbers.Select((number, id) => ((uint)id, number))
            .Concat(_numbersOfLargeIds.Select(one => (one.Key, one.Value)));
        return all.Where(one => one.Number != 0 && _places[one.Number - 1].IsReady && HasLeftToWait(in _places[one.Number - 1]))
            .Select(one => (one.Thread, (int)_places[one.Number - 1].Priority, _places[one.Number - 1].Latest));
    }

    /// <summary>
    /// The entry of a thread, which is added where there is none; a null reference for the idle thread, and where the limit is reached.
    /// </summary>
    private ref Place PlaceOf(uint thread)
    {
        ref Place place = ref Find(thread);
        return ref !Unsafe.IsNullRef(ref place) || thread == 0 || _count == MostThreads ? ref place : ref Add(thread);
    }

    private ref Place Add(uint thread)
    {
        if (_count == _places.Length)
        {
            Array.Resize(ref _places, 2 * _count);
        }

        int number = ++_count;
        if (thread >= LargestIndexed)
        {
            _numbersOfLargeIds.Add(thread, number);
        }
        else
        {
            if (thread >= _numbers.Length)
            {
                Array.Resize(ref _numbers, (int)BitOperations.RoundUpToPowerOf2(thread + 1));
            }

            _numbers[thread] = number;
        }

        ref Place place = ref _places[number - 1];
        place.LastCpu = -1;
        place.IdealCpu = -1;
        return ref place;
    }

    /// <summary>What is known about a thread.</summary>
    internal struct Place
    {
        public Wake Latest;

        /// <summary>The latest wake-up after which the thread ran.</summary>
        public ServedWake Ran;

        /// <summary>The previous wake-up after which the thread ran.</summary>
        public ServedWake Before;

        /// <summary>When the thread was last switched in, in ticks.</summary>
        public long InTicks;

        /// <summary>When the thread was last switched out, in ticks.</summary>
        public long LeftTicks;

        /// <summary>The CPU that the thread last ran on; -1 where it is unknown.</summary>
        public int LastCpu;

        /// <summary>The thread's ideal processor; -1 where it is unknown.</summary>
        public int IdealCpu;

        /// <summary>The thread's priority when it was last switched in.</summary>
        public sbyte Priority;

        /// <summary>Why the thread was last switched out.</summary>
        public Leaving Left;

        /// <summary>Whether the thread has not run since it was made ready.</summary>
        public bool IsReady;
    }
}

/// <summary>Why a thread left its CPU.</summary>
internal enum Leaving : byte
{
    /// <summary>It did not start to wait, or its switch-out is unknown.</summary>
    NotWaiting,

    ToWait,

    /// <summary>It waits for a hard page fault.</summary>
    ForPage,

    /// <summary>The runtime of its process had suspended it.</summary>
    ForPause,

    /// <summary>It waits for a lock of the kernel, in the midst of its work.</summary>
    ForLock,

    /// <summary>It waits for a lock, a device or another process: perhaps in the midst of its work.</summary>
    ForOther,
}

/// <summary>A wake-up of a thread. Times in ticks.</summary>
internal struct Wake
{
    /// <summary>When the thread was made ready.</summary>
    public long ReadyTicks;

    /// <summary>
    /// The CPU that made the thread ready. If a DPC did, the thread stays in that CPU's deferred ready list until the DPC returns.
    /// </summary>
    public int Cpu;

    /// <summary>Whether the record says that a DPC made the thread ready.</summary>
    public bool IsFromDpc;

    /// <summary>When the wake-up was due by the thread's own beat, if it came late; else 0.</summary>
    public long DueTicks;

    /// <summary>The length of that beat, in ticks; 0 where it has none.</summary>
    public long PeriodTicks;

    /// <summary>
    /// Whether <see cref="Dpc"/> is set: a DPC whose enqueue is known was running on that CPU, as far as could be told at that time.
    /// </summary>
    public bool HasDpc;

    /// <summary>The DPC that was running on the CPU that made the thread ready.</summary>
    public DpcStart Dpc;

    /// <summary>
    /// When the thread became runnable: when the DPC was queued, where that is known; otherwise when the thread was made ready.
    /// </summary>
    public readonly long FromTicks => HasDpc ? Dpc.Queued.Ticks : ReadyTicks;
}

/// <summary>A wake-up after which the thread ran.</summary>
internal struct ServedWake
{
    public Wake Wake;

    /// <summary>When the thread was switched in, in ticks.</summary>
    public long Ticks;

    /// <summary>The CPU that the thread was switched in on.</summary>
    public int Cpu;
}
