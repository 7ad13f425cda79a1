namespace Tracer.Simulator.Engine;

/// <summary>
/// Times in which the whole machine sleeps and only its performance counter goes on. Nothing happens then, so the machine's own time stands
/// still: what was to come after a time comes that time after the sleep. The recording, and the truth, have the time with the sleeps.
/// </summary>
internal sealed class MachineSleeps(MachineState state)
{
    private const long LookEveryNs = 10_000;

    private readonly List<(long AtNs, long Ns)> _all = [];

    /// <summary>The machine sleeps from the first moment on at which no CPU has anything to do.</summary>
    /// <param name="withinNs">It does not sleep at all where none comes within this time.</param>
    /// <param name="then">What wakes it, right after the sleep.</param>
    public void WhenIdle(long ns, long withinNs, Action<Machine> then) => state.After(LookEveryNs, machine =>
    {
        if (state.Stall is null && Array.TrueForAll(state.Cpus, HasNothingToDo))
        {
            _all.Add((state.NowNs, ns));
            state.Log.Slept(state.NowNs, ns);
            state.After(1, then);
        }
        else if (withinNs > LookEveryNs)
        {
            WhenIdle(ns, withinNs - LookEveryNs, then);
        }
    });

    /// <summary>A time of the machine, with what it had slept before.</summary>
    public long WithSleeps(long timeNs)
    {
        long all = timeNs;
        foreach ((long atNs, long ns) in _all)
        {
            all += atNs < timeNs ? ns : 0;
        }

        return all;
    }

    private static bool HasNothingToDo(Cpu cpu) => cpu is
    {
        IsIdle: true, Depth: 1, IsInterruptPending: false, IsDispatchRequested: false, IsTimerExpiryPending: false,
        Dpcs.Count: 0, ThreadedDpcs.Count: 0, Calls.Count: 0, Power.TakenBy: null,
    };
}
