using System.Runtime.InteropServices;

namespace Tracer.Analysis;

/// <summary>Pairs ReadyThread with the context switch that lets the thread run, and remembers where threads ran.</summary>
internal sealed class WakeupWatch
{
    /// <summary>No machine has so many threads; a damaged trace may.</summary>
    private const int MostThreads = 1 << 18;

    private readonly Dictionary<uint, Place> _threads = [];

    /// <summary>A thread was made runnable.</summary>
    /// <param name="thread">Thread id.</param>
    /// <param name="wake">When and by what.</param>
    public void Ready(uint thread, in Wake wake)
    {
        if (thread == 0 || (_threads.Count >= MostThreads && !_threads.ContainsKey(thread)))
        {
            return;
        }

        ref Place place = ref PlaceOf(thread);
        // The last one counts: an earlier one had to bring in the stack or the process first.
        place.Latest = wake;
        place.IsReady = true;
    }

    /// <summary>A thread was switched out.</summary>
    /// <param name="thread">Thread id.</param>
    /// <param name="ticks">When.</param>
    /// <param name="cpu">On which CPU.</param>
    /// <param name="idealCpu">Its ideal processor.</param>
    /// <param name="why">What it waits for.</param>
    public void SwitchedOut(uint thread, long ticks, int cpu, int idealCpu, Leaving why)
    {
        if (thread == 0 || (_threads.Count >= MostThreads && !_threads.ContainsKey(thread)))
        {
            return;
        }

        ref Place place = ref PlaceOf(thread);
        place.LastCpu = cpu;
        place.IdealCpu = idealCpu;
        place.LeftTicks = ticks;
        place.Left = why;
    }

    /// <summary>A thread was switched in.</summary>
    /// <param name="thread">Thread id.</param>
    /// <param name="ticks">When.</param>
    /// <param name="cpu">On which CPU.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="place">What was known of it until then.</param>
    /// <returns>Whether it had been made ready before, and not run since.</returns>
    public bool SwitchedIn(uint thread, long ticks, int cpu, sbyte priority, out Place place)
    {
        ref Place known = ref CollectionsMarshal.GetValueRefOrNullRef(_threads, thread);
        if (System.Runtime.CompilerServices.Unsafe.IsNullRef(ref known))
        {
            place = default;
            return false;
        }

        place = known;
        known.InTicks = ticks;
        known.Priority = priority;
        if (known.IsReady)
        {
            known.Before = known.Ran;
            known.Ran = new ServedWake { Wake = known.Latest, Ticks = ticks, Cpu = cpu };
            known.IsReady = false;
        }

        return place.IsReady;
    }

    /// <summary>What is known of a thread; null for nothing.</summary>
    public Place? Find(uint thread) => _threads.TryGetValue(thread, out Place place) ? place : null;

    /// <summary>A thread that is out waits for a page: the record of the fault came early.</summary>
    public void WaitsForPage(uint thread)
    {
        ref Place known = ref CollectionsMarshal.GetValueRefOrNullRef(_threads, thread);
        if (!System.Runtime.CompilerServices.Unsafe.IsNullRef(ref known))
        {
            known.Left = Leaving.ForPage;
        }
    }

    private ref Place PlaceOf(uint thread)
    {
        ref Place place = ref CollectionsMarshal.GetValueRefOrAddDefault(_threads, thread, out bool exists);
        if (!exists)
        {
            place.LastCpu = -1;
            place.IdealCpu = -1;
        }

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
