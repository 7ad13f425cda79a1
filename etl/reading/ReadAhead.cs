using System.Runtime.CompilerServices;
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

    private readonly TimeMerge _merge;
    private readonly Load[] _loads = new Load[Loads];
    private readonly Lock _lock = new();
    private readonly AutoResetEvent _wasMerged = new(false);
    private readonly AutoResetEvent _wasTaken = new(false);

    // Under the lock: how many loads were merged and taken.
    private long _merged;
    private long _taken;
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
            if (!load.Give(ref sink))
            {
                return false;
            }

            lock (_lock)
            {
                _taken++;
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
            var batch = new MergeBatch();
            int next = 0;
            for (long number = 0; WaitForRoom(number); number++)
            {
                Load load = _loads[number % Loads];
                load.Clear();
                var packing = new Packing(load);
                while (!load.IsFull && (next < batch.Count || TryMerge(batch, out next)))
                {
                    batch.Give(ref next, batch.Count, ref packing);
                }

                if (load.IsEmpty)
                {
                    break;
                }

                lock (_lock)
                {
                    _merged++;
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

    private bool TryMerge(MergeBatch batch, out int next)
    {
        next = 0;
        _merge.Recycle(batch);
        return _merge.TryNext(batch);
    }

    /// <summary>Waits until a load may be merged.</summary>
    /// <returns>False where no more are wanted.</returns>
    private bool WaitForRoom(long number)
    {
        while (true)
        {
            lock (_lock)
            {
                if (_isUnwanted || number - _taken < Loads)
                {
                    return !_isUnwanted;
                }
            }

            _wasTaken.WaitOne();
        }
    }

    /// <summary>
    /// What is handed over at once: copies of some events, one behind the other. The thread that takes them finds them where it looks next,
    /// and the buffers that they come from are used again at once, while they are in the cache.
    /// </summary>
    private sealed class Load
    {
        /// <summary>Enough for a load, in bytes: handing over costs little beside it.</summary>
        private const int FullBytes = 512 * 1024;

        private byte[] _copies = [];
        private int _length;

        /// <summary>Whether it holds enough to be handed over.</summary>
        public bool IsFull => _length >= FullBytes;

        /// <summary>Whether it holds nothing.</summary>
        public bool IsEmpty => _length == 0;

        public void Clear() => _length = 0;

        public void Add(in EtlEvent traceEvent)
        {
            ReadOnlySpan<byte> record = traceEvent.Record;
            int end = _length + Head.Bytes + BufferHeaderLayout.Aligned(record.Length);
            if (end > _copies.Length)
            {
                Array.Resize(ref _copies, Math.Max(end, 2 * _copies.Length));
            }

            Span<byte> copy = _copies.AsSpan(_length);
            MemoryMarshal.Write(copy, new Head(traceEvent.BufferOffset, traceEvent.Cpu, record.Length));
            record.CopyTo(copy[Head.Bytes..]);
            _length = end;
        }

        /// <returns>False when the sink wants no more.</returns>
        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        public bool Give<TSink>(ref TSink sink)
            where TSink : IEtlEventSink, allows ref struct
        {
            ReadOnlySpan<byte> copies = _copies.AsSpan(0, _length);
            while (!copies.IsEmpty)
            {
                Head head = MemoryMarshal.Read<Head>(copies);
                if (!EventWalk.GiveFound(copies.Slice(Head.Bytes, head.RecordBytes), 0, head.Cpu, head.BufferOffset, ref sink))
                {
                    return false;
                }

                copies = copies[(Head.Bytes + BufferHeaderLayout.Aligned(head.RecordBytes))..];
            }

            return true;
        }

        /// <summary>Stands in front of a copy.</summary>
        private readonly record struct Head(long BufferOffset, int Cpu, int RecordBytes)
        {
            public const int Bytes = 16;
        }
    }

    /// <summary>Copies events into a load until it is full.</summary>
    private readonly struct Packing(Load load) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            load.Add(in traceEvent);
            return !load.IsFull;
        }
    }
}
