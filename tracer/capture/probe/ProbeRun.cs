namespace Tracer.Capture.Probe;

/// <summary>What the threads of a probe process share.</summary>
internal sealed class ProbeRun(IProbeEventLog log)
{
    private int _isStopping;
    private uint _episodes;

    public bool IsStopping => Volatile.Read(ref _isStopping) != 0;

    /// <summary>The events of the Tracer provider.</summary>
    public ProbeEvents Events { get; } = new(log);

    /// <summary>Ends them, each after the wake-up that it waits for.</summary>
    public void Stop() => Volatile.Write(ref _isStopping, 1);

    public uint NextEpisode() => Interlocked.Increment(ref _episodes);
}
