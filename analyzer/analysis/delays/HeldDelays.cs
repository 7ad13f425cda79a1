namespace Tracer.Analysis.Delays;

/// <summary>Keeps the delays that were found on one CPU until the round is over: others may find some meanwhile.</summary>
internal sealed class HeldDelays : IDelaySink
{
    private readonly List<(Delay Delay, long NowTicks)> _held = [];

    public void Add(Delay delay, long nowTicks) => _held.Add((delay, nowTicks));

    /// <summary>Passes what was held on, in the order it came.</summary>
    public void GiveAll(IDelaySink delays)
    {
        foreach ((Delay delay, long nowTicks) in _held)
        {
            delays.Add(delay, nowTicks);
        }

        _held.Clear();
    }
}
