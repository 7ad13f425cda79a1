namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>
/// Keeps results within a budget of memory, those that were asked for last; makes each once, however many ask for it, and only so many at
/// a time. A result belongs to a file as it was: where the file has changed, it is made anew.
/// </summary>
/// <param name="budget">Bytes that the results may take.</param>
#pragma warning disable CA1001 // Semaphores hold nothing as long as nobody asks for their handles, and whoever waits may outlive this.
internal sealed class ResultShelf(long budget)
#pragma warning restore CA1001
{
    private const int MostAtOnce = 2;

    /// <summary>Keys, too, take memory.</summary>
    private const int MostResults = 64;

    private readonly Dictionary<(TraceFile File, string What), Slot> _slots = [];
    private readonly SemaphoreSlim _making = new(MostAtOnce, MostAtOnce);
    private readonly Lock _lock = new();
    private long _clock;

    /// <summary>Bytes that the results take.</summary>
    public long Held
    {
        get
        {
            lock (_lock)
            {
                return _slots.Values.Sum(slot => slot.Bytes);
            }
        }
    }

    /// <summary>Gives a result, made before or now.</summary>
    /// <param name="what">What of it: everything that the result depends on.</param>
    /// <param name="make">Makes it, on another thread, and tells about how many bytes it takes.</param>
    /// <param name="cancellation">Ends the waiting; the making has to look for itself.</param>
    public async Task<T> GetAsync<T>(TraceFile file, string what, Func<(T Result, long Bytes)> make, CancellationToken cancellation)
        where T : class
    {
        Slot slot = Take(file, what);
        try
        {
            await slot.Gate.WaitAsync(cancellation).ConfigureAwait(false);
            try
            {
                if (slot.Result is T made)
                {
                    return made;
                }

                (T result, long bytes) = await RunAsync(make, cancellation).ConfigureAwait(false);
                (slot.Result, slot.Bytes) = (result, bytes);
                return result;
            }
            finally
            {
                slot.Gate.Release();
            }
        }
        finally
        {
            Leave(slot);
        }
    }

    /// <summary>Does work that is not kept, when its turn has come, on another thread.</summary>
    /// <param name="cancellation">Ends the waiting; the work has to look for itself.</param>
    public async Task<T> RunAsync<T>(Func<T> work, CancellationToken cancellation)
    {
        await _making.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            return await Task.Run(work, cancellation).ConfigureAwait(false);
        }
        finally
        {
            _making.Release();
        }
    }

    private Slot Take(TraceFile file, string what)
    {
        lock (_lock)
        {
            // What it was before it changed nobody asks for any more.
            (TraceFile File, string What)[] others = [.. _slots.Keys.Where(key => key.File.Path == file.Path && key.File != file)];
            foreach ((TraceFile File, string What) old in others)
            {
                if (_slots[old].Users == 0)
                {
                    _slots.Remove(old);
                }
            }

            if (!_slots.TryGetValue((file, what), out Slot? slot))
            {
                _slots.Add((file, what), slot = new Slot());
            }

            slot.Users++;
            return slot;
        }
    }

    private void Leave(Slot slot)
    {
        lock (_lock)
        {
            slot.Users--;
            slot.LastUse = ++_clock;
            long held = _slots.Values.Sum(one => one.Bytes);
            foreach (((TraceFile File, string What) key, Slot old) in _slots.OrderBy(one => one.Value.LastUse).ToArray())
            {
                if (old.Users == 0 && (held > budget || _slots.Count > MostResults || old.Result is null))
                {
                    held -= old.Bytes;
                    _slots.Remove(key);
                }
            }
        }
    }

    private sealed class Slot
    {
        public SemaphoreSlim Gate { get; } = new(1, 1);

        public object? Result { get; set; }

        public long Bytes { get; set; }

        public int Users { get; set; }

        public long LastUse { get; set; }
    }
}
