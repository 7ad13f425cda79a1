using System.Buffers;
using System.Runtime.ExceptionServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Loads the buffers of one CPU on other threads, each while the one before it is merged: reading, decompression and the search for its
/// events. One buffer is loaded at a time, and what was odd about it is told when it is taken, so nothing depends on which thread is
/// faster.
/// </summary>
/// <param name="input">The file.</param>
/// <param name="times">Puts times right; null where they stay as they are.</param>
/// <param name="filter">Leaves out stacks of this CPU; null where all are wanted.</param>
internal sealed class BufferLoad(TraceInput input, StrayTimes? times, StackFilter? filter) : IThreadPoolWorkItem
{
    private readonly TraceHealth _health = new();
    private readonly object _gate = new();
    private MergeCursor? _cursor;
    private BufferIndex.Place _place;
    private bool _isLoaded;
    private ExceptionDispatchInfo? _failure;

    /// <summary>Whether a buffer is being loaded, or was and has not been taken.</summary>
    public bool IsBegun => _cursor is not null;

    /// <param name="cursor">Takes it; nobody else may use it meanwhile.</param>
    /// <param name="place">Where the buffer is.</param>
    public void Begin(MergeCursor cursor, in BufferIndex.Place place)
    {
        _health.Clear();
        _cursor = cursor;
        _place = place;
        _isLoaded = false;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Waits until the buffer is loaded.</summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public MergeCursor Take(TraceHealth health)
    {
        MergeCursor cursor = Wait()!;
        _failure?.Throw();
        health.Add(_health);
        return cursor;
    }

    /// <summary>
    /// Waits until nothing is loaded any more, and forgets what was: what it threw would have been thrown where the buffer was taken.
    /// </summary>
    public void Abandon() => Wait();

    public void Execute()
    {
        // Shared by all CPUs: a block of its own for each would stay in memory between its turns.
        byte[] rented = ArrayPool<byte>.Shared.Rent(_place.StoredBytes);
        byte[] compressed = rented;
        try
        {
            _cursor!.Load(input, in _place, times, _health, filter, ref compressed);
        }
        catch (Exception failure)
        {
            _failure = ExceptionDispatchInfo.Capture(failure);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }

        lock (_gate)
        {
            _isLoaded = true;
            Monitor.Pulse(_gate);
        }
    }

    private MergeCursor? Wait()
    {
        MergeCursor? cursor = _cursor;
        if (cursor is not null)
        {
            lock (_gate)
            {
                while (!_isLoaded)
                {
                    Monitor.Wait(_gate);
                }
            }

            _cursor = null;
        }

        return cursor;
    }
}
