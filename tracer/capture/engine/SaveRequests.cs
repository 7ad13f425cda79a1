namespace Tracer.Capture.Engine;

/// <summary>
/// What the user asks a running capture to save: from a key or another process, on any thread. Several asks that the engine has not got to
/// are one: the first of them counts, so that somebody who keeps the key down gets one file.
/// </summary>
public sealed class SaveRequests
{
    private long _askedQpc;

    /// <param name="nowQpc">Now, in ticks of the performance counter; more than 0.</param>
    public void Ask(long nowQpc) => Interlocked.CompareExchange(ref _askedQpc, nowQpc, 0);

    /// <returns>False where nothing was.</returns>
    public bool TryTake(out long askedQpc)
    {
        askedQpc = Interlocked.Exchange(ref _askedQpc, 0);
        return askedQpc != 0;
    }
}
