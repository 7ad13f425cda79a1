using System.Runtime.InteropServices;

namespace Tracer.Analysis;

/// <summary>Pairs ReadyThread with the context switch that lets the thread run, and remembers where threads ran.</summary>
internal sealed class WakeupWatch
{
    /// <summary>No machine has so many threads; a damaged trace may.</summary>
    private const int MostThreads = 1_000_000;

    private readonly Dictionary<uint, Place> _threads = [];

    /// <summary>A thread was made runnable.</summary>
    /// <param name="thread">Thread id.</param>
    /// <param name="ticks">When.</param>
    /// <param name="cpu">On which CPU.</param>
    public void Ready(uint thread, long ticks, int cpu)
    {
        if (thread == 0 || (_threads.Count >= MostThreads && !_threads.ContainsKey(thread)))
        {
            return;
        }

        ref Place place = ref PlaceOf(thread);
        // The last one counts: an earlier one had to bring in the stack or the process first.
        place.ReadyTicks = ticks;
        place.ReadyCpu = cpu;
        place.IsReady = true;
    }

    /// <summary>A thread was switched out.</summary>
    public void SwitchedOut(uint thread, int cpu, int idealCpu)
    {
        if (thread == 0 || (_threads.Count >= MostThreads && !_threads.ContainsKey(thread)))
        {
            return;
        }

        ref Place place = ref PlaceOf(thread);
        place.LastCpu = cpu;
        place.IdealCpu = idealCpu;
    }

    /// <summary>A thread was switched in.</summary>
    /// <returns>Whether it had been made ready before, and not run since.</returns>
    public bool SwitchedIn(uint thread, out Place place)
    {
        ref Place known = ref CollectionsMarshal.GetValueRefOrNullRef(_threads, thread);
        if (System.Runtime.CompilerServices.Unsafe.IsNullRef(ref known))
        {
            place = default;
            return false;
        }

        place = known;
        known.IsReady = false;
        return place.IsReady;
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
        /// <summary>When it was last made ready, in ticks.</summary>
        public long ReadyTicks;

        /// <summary>The CPU that made it ready: a DPC there keeps it in the deferred ready list until it returns.</summary>
        public int ReadyCpu;

        /// <summary>The CPU it last ran on; -1 where not known.</summary>
        public int LastCpu;

        /// <summary>Its ideal processor; -1 where not known.</summary>
        public int IdealCpu;

        /// <summary>Whether it has not run since it was made ready.</summary>
        public bool IsReady;
    }
}
