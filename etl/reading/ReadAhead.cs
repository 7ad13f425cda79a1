using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Merges on a thread of its own while the caller's takes what was merged: reading, decompression and order cost the caller nothing
/// where a second processor is free. The events and their order are those of <see cref="TimeMerge.GiveAll"/>.
/// </summary>
internal sealed class ReadAhead : IDisposable
{
    /// <summary>So many loads are merged before the first of them has been taken.</summary>
    private const int Loads = 4;

    /// <summary>Loads that wait hold no more memory than this, unless a single one does.</summary>
    private const long MaximumHeldBytes = 8 * 1024 * 1024;

    /// <summary>Enough events for a load: handing over must cost little beside them.</summary>
    private const int EventsOfLoad = 8 * 1024;

    /// <summary>A load of fewer events ends where it takes so much memory, or comes from so many batches.</summary>
    private const long BytesOfLoad = 4 * 1024 * 1024;
    private const int BatchesOfLoad = 512;

    private readonly TimeMerge _merge;
    private readonly Load[] _loads = new Load[Loads];
    private readonly Lock _lock = new();
    private readonly AutoResetEvent _wasMerged = new(false);
    private readonly AutoResetEvent _wasTaken = new(false);

    // Under the lock: how many loads were merged and taken, and what those between the two hold.
    private long _merged;
    private long _taken;
    private long _heldBytes;
    private bool _isEnd;
    private bool _isUnwanted;
    private ExceptionDispatchInfo? _failure;

    private ReadAhead(TimeMerge merge)
    {
        _merge = merge;
        for (int i = 0; i < Loads; i++)
        {
            _loads[i] = new Load();
        }
    }

    /// <summary>Gives all events of a merge.</summary>
    /// <param name="merge">At its start.</param>
    /// <param name="threads">How many threads may be used; with 1 the caller's merges, too.</param>
    /// <param name="sink">Takes the events, on the caller's thread.</param>
    /// <returns>False when the sink wants no more.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public static bool GiveAll<TSink>(TimeMerge merge, int threads, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        if (threads == 1)
        {
            return merge.GiveAll(ref sink);
        }

        using var ahead = new ReadAhead(merge);
        var thread = new Thread(ahead.Merge) { IsBackground = true, Name = "ETL read ahead" };
        thread.Start();
        try
        {
            return ahead.Take(ref sink);
        }
        finally
        {
            ahead.Stop();
            thread.Join();
            ahead._failure?.Throw();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _wasMerged.Dispose();
        _wasTaken.Dispose();
    }

    private void Stop()
    {
        lock (_lock)
        {
            _isUnwanted = true;
        }

        _wasTaken.Set();
    }

    private bool Take<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        while (WaitForLoad() is { } load)
        {
            foreach (MergeBatch batch in load.Merged)
            {
                if (!batch.Give(ref sink))
                {
                    return false;
                }
            }

            lock (_lock)
            {
                _taken++;
                _heldBytes -= load.HeldBytes;
            }

            _wasTaken.Set();
        }

        return true;
    }

    /// <summary>The next load; null where there are no more.</summary>
    private Load? WaitForLoad()
    {
        while (true)
        {
            lock (_lock)
            {
                if (_taken < _merged || _isEnd)
                {
                    return _taken < _merged ? _loads[_taken % Loads] : null;
                }
            }

            _wasMerged.WaitOne();
        }
    }

    private void Merge()
    {
        try
        {
            long recycled = 0;
            for (long number = 0; WaitForRoom(number, out long taken); number++)
            {
                for (; recycled < taken; recycled++)
                {
                    _loads[recycled % Loads].Recycle(_merge);
                }

                Load load = _loads[number % Loads];
                if (!load.Fill(_merge))
                {
                    break;
                }

                lock (_lock)
                {
                    _merged++;
                    _heldBytes += load.HeldBytes;
                }

                _wasMerged.Set();
            }
        }
        catch (Exception failure)
        {
            _failure = ExceptionDispatchInfo.Capture(failure);
        }

        _merge.End();
        lock (_lock)
        {
            _isEnd = true;
        }

        _wasMerged.Set();
    }

    /// <summary>Waits until a load may be merged.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="taken">How many loads were taken.</param>
    /// <returns>False where no more are wanted.</returns>
    private bool WaitForRoom(long number, out long taken)
    {
        while (true)
        {
            lock (_lock)
            {
                taken = _taken;
                if (_isUnwanted || taken == number || (number - taken < Loads && _heldBytes <= MaximumHeldBytes))
                {
                    return !_isUnwanted;
                }
            }

            _wasTaken.WaitOne();
        }
    }

    /// <summary>What is handed over at once: some batches, which are recycled when their events were taken.</summary>
    private sealed class Load
    {
        private readonly List<MergeBatch> _batches = [];
        private int _count;

        public ReadOnlySpan<MergeBatch> Merged => CollectionsMarshal.AsSpan(_batches)[.._count];

        /// <summary>Memory that it holds, in bytes.</summary>
        public long HeldBytes { get; private set; }

        /// <summary>Its events were taken.</summary>
        public void Recycle(TimeMerge merge)
        {
            foreach (MergeBatch batch in Merged)
            {
                merge.Recycle(batch);
            }

            _count = 0;
        }

        /// <summary>Merges enough for a load.</summary>
        /// <returns>Whether there was anything left.</returns>
        public bool Fill(TimeMerge merge)
        {
            HeldBytes = 0;
            int events = 0;
            while (events < EventsOfLoad && HeldBytes < BytesOfLoad && _count < BatchesOfLoad)
            {
                if (_count == _batches.Count)
                {
                    _batches.Add(new MergeBatch());
                }

                MergeBatch batch = _batches[_count];
                if (!merge.TryNext(batch))
                {
                    break;
                }

                if (batch.Count == 0)
                {
                    merge.Recycle(batch);
                    continue;
                }

                HeldBytes += batch.HeldBytes;
                events += batch.Count;
                _count++;
            }

            return _count > 0;
        }
    }
}
