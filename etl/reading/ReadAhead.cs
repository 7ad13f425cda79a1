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
    private const int Loads = 6;

    /// <summary>Enough events for a load: handing over must cost little beside them.</summary>
    private const int EventsOfLoad = 16 * 1024;

    private readonly TimeMerge _merge;
    private readonly Load[] _loads = new Load[Loads];
    private readonly SemaphoreSlim _merged = new(0);
    private readonly SemaphoreSlim _taken = new(Loads);
    private volatile bool _isUnwanted;
    private ExceptionDispatchInfo? _failure;

    /// <summary>Number of loads when all were merged; until then the largest number.</summary>
    private long _count = long.MaxValue;

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
    /// <param name="sink">Takes the events, on the caller's thread.</param>
    /// <returns>False when the sink wants no more.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public static bool GiveAll<TSink>(TimeMerge merge, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        if (Environment.ProcessorCount == 1)
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
            ahead._isUnwanted = true;
            ahead._taken.Release();
            thread.Join();
            ahead._failure?.Throw();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _merged.Dispose();
        _taken.Dispose();
    }

    private bool Take<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        for (long number = 0; ; number++)
        {
            _merged.Wait();
            if (number == Interlocked.Read(ref _count))
            {
                return true;
            }

            foreach (MergeBatch batch in _loads[number % Loads].Merged)
            {
                if (!batch.Give(ref sink))
                {
                    return false;
                }
            }

            _taken.Release();
        }
    }

    private void Merge()
    {
        long number = 0;
        try
        {
            while (true)
            {
                _taken.Wait();
                if (_isUnwanted)
                {
                    break;
                }

                if (!_loads[number % Loads].Fill(_merge))
                {
                    break;
                }

                number++;
                _merged.Release();
            }
        }
        catch (Exception failure)
        {
            _failure = ExceptionDispatchInfo.Capture(failure);
        }

        Interlocked.Exchange(ref _count, number);
        _merged.Release();
    }

    /// <summary>What is handed over at once: some batches, which are recycled when their events were taken.</summary>
    private sealed class Load
    {
        private readonly List<MergeBatch> _batches = [];
        private int _count;

        public ReadOnlySpan<MergeBatch> Merged => CollectionsMarshal.AsSpan(_batches)[.._count];

        /// <summary>Merges enough for a load.</summary>
        /// <returns>Whether there was anything left.</returns>
        public bool Fill(TimeMerge merge)
        {
            foreach (MergeBatch batch in Merged)
            {
                merge.Recycle(batch);
            }

            _count = 0;
            int events = 0;
            while (events < EventsOfLoad)
            {
                if (_count == _batches.Count)
                {
                    _batches.Add(new MergeBatch());
                }

                if (!merge.TryNext(_batches[_count]))
                {
                    break;
                }

                events += _batches[_count++].Count;
            }

            return _count > 0;
        }
    }
}
