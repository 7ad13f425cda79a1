namespace Tracer.Etl.Reading;

/// <summary>
/// Loads the buffers of one CPU on other threads, each while the one before it is merged: reading, decompression and the search for its
/// events. One buffer is loaded at a time, and what was odd about it is told when it is taken, so nothing depends on which thread is faster.
/// </summary>
/// <param name="input">The file.</param>
/// <param name="filter">Leaves out stacks of this CPU; null where all are wanted.</param>
internal sealed class BufferLoad(TraceInput input, StackFilter? filter)
{
    private byte[] _compressed = [];
    private TraceHealth _health = new();
    private Task<MergeCursor>? _loading;

    /// <summary>Whether a buffer is being loaded, or was and has not been taken.</summary>
    public bool IsBegun => _loading is not null;

    /// <summary>Begins to load a buffer.</summary>
    /// <param name="cursor">Takes it; nobody else may use it meanwhile.</param>
    /// <param name="place">Where the buffer is.</param>
    public void Begin(MergeCursor cursor, BufferIndex.Place place)
    {
        _health = new TraceHealth();
        _loading = Task.Run(() =>
        {
            cursor.Load(input, in place, _health, filter, ref _compressed);
            return cursor;
        });
    }

    /// <summary>Waits until the buffer is loaded.</summary>
    /// <param name="health">Is told what was odd about it.</param>
    /// <returns>The buffer.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public MergeCursor Take(TraceHealth health)
    {
        MergeCursor cursor = _loading!.GetAwaiter().GetResult();
        _loading = null;
        health.Add(_health);
        return cursor;
    }

    /// <summary>Waits until nothing is loaded any more, and forgets what was.</summary>
    public void Abandon()
    {
        // What it threw would have been thrown where the buffer was taken; nobody asks for it now.
        _loading?.ContinueWith(static _ => { }, TaskScheduler.Default).Wait();
        _loading = null;
    }
}
