using System.Numerics;
using System.Runtime.CompilerServices;

namespace Tracer.Analysis;

/// <summary>Pairs ReadyThread with the context switch that lets the thread run, and remembers where threads ran.</summary>
internal sealed class WakeupWatch
{
    /// <summary>No machine has so many threads; a damaged trace may.</summary>
    private const int MostThreads = 1 << 18;

    /// <summary>Places of threads with ids below this are found by the id.</summary>
    private const uint LargestIndexed = 1 << 20;

    /// <summary>Number of a thread's place by its id, plus one; 0 for none.</summary>
    private int[] _numbers = new int[1 << 14];
    private readonly Dictionary<uint, int> _numbersOfLargeIds = [];
    private Place[] _places = new Place[256];
    private int _count;

    /// <summary>A thread was made runnable.</summary>
    /// <param name="thread">Thread id.</param>
    /// <param name="wake">When and by what.</param>
    public void Ready(uint thread, in Wake wake)
    {
        ref Place place = ref PlaceOf(thread);
        if (!Unsafe.IsNullRef(ref place) && !IsServed(in place, wake.ReadyTicks))
        {
            // The last one counts: an earlier one had to bring in the stack or the process first.
            place.Latest = wake;
            place.IsReady = true;
        }
    }

    /// <summary>
    /// Whether a thread runs since the very tick in which it was made ready: the clock is too coarse to tell which record came first.
    /// </summary>
    private static bool IsServed(in Place place, long readyTicks) => place.InTicks == readyTicks && place.LeftTicks <= readyTicks
        && place.Ran.Ticks != place.InTicks;

    /// <summary>A thread was switched out.</summary>
    /// <param name="thread">Thread id.</param>
    /// <param name="ticks">When.</param>
    /// <param name="cpu">On which CPU.</param>
    /// <param name="idealCpu">Its ideal processor.</param>
    /// <param name="why">What it waits for.</param>
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

    /// <summary>A thread was switched in.</summary>
    /// <param name="place">What was known of it until then.</param>
    /// <param name="ticks">When.</param>
    /// <param name="cpu">On which CPU.</param>
    /// <param name="priority">Its priority.</param>
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

    /// <summary>What is known of a thread; a null reference for nothing. Valid until another thread is told of.</summary>
    /// <param name="thread">Thread id.</param>
    public ref Place Find(uint thread)
    {
        int number = thread < (uint)_numbers.Length ? _numbers[thread]
            : thread >= LargestIndexed && _numbersOfLargeIds.TryGetValue(thread, out int known) ? known : 0;
        return ref number == 0 ? ref Unsafe.NullRef<Place>() : ref _places[number - 1];
    }

    /// <summary>
    /// The place of a thread, made where there is none; a null reference for the idle thread, and where there are too many.
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

    /// <summary>What is known of a thread.</summary>
    internal struct Place
    {
        /// <summary>How it was last made ready.</summary>
        public Wake Latest;

        /// <summary>The latest wake-up after which it ran.</summary>
        public ServedWake Ran;

        /// <summary>The one before that.</summary>
        public ServedWake Before;

        /// <summary>When it was last switched in, in ticks.</summary>
        public long InTicks;

        /// <summary>When it was last switched out, in ticks.</summary>
        public long LeftTicks;

        /// <summary>The CPU it last ran on; -1 where not known.</summary>
        public int LastCpu;

        /// <summary>Its ideal processor; -1 where not known.</summary>
        public int IdealCpu;

        /// <summary>Its priority when it was last switched in.</summary>
        public sbyte Priority;

        /// <summary>Why it was last switched out.</summary>
        public Leaving Left;

        /// <summary>Whether it has not run since it was made ready.</summary>
        public bool IsReady;
    }
}

/// <summary>Why a thread left its CPU.</summary>
internal enum Leaving : byte
{
    /// <summary>It did not wait, or not even its leaving is known.</summary>
    NotWaiting,

    /// <summary>It waits for something.</summary>
    ToWait,

    /// <summary>It waits for a page that is being read.</summary>
    ForPage,
}

/// <summary>A thread is made ready. Times in ticks.</summary>
internal struct Wake
{
    /// <summary>When.</summary>
    public long ReadyTicks;

    /// <summary>The CPU that made it ready: a DPC there keeps it in the deferred ready list until it returns.</summary>
    public int Cpu;

    /// <summary>Whether the record says that a DPC did it.</summary>
    public bool IsFromDpc;

    /// <summary>When it was due by the thread's own beat, where it came late; else 0.</summary>
    public long DueTicks;

    /// <summary>The length of that beat, in ticks.</summary>
    public long PeriodTicks;

    /// <summary>Whether <see cref="Dpc"/> is set: a DPC whose enqueue is known ran there, as far as could be told at that time.</summary>
    public bool HasDpc;

    /// <summary>That DPC.</summary>
    public DpcStart Dpc;

    /// <summary>When its wake-up became runnable: when the DPC was queued, where that is known; else when it was made ready.</summary>
    public readonly long FromTicks => HasDpc ? Dpc.Queued.Ticks : ReadyTicks;
}

/// <summary>A wake-up after which the thread ran.</summary>
internal struct ServedWake
{
    /// <summary>How it was made ready.</summary>
    public Wake Wake;

    /// <summary>When it was switched in, in ticks.</summary>
    public long Ticks;

    /// <summary>On which CPU.</summary>
    public int Cpu;
}
