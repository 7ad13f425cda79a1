using System.Runtime.ExceptionServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Merges on a thread of its own while the caller's takes what was merged: reading, decompression and order cost the caller nothing
/// where a second processor is free. The events and their order are those of <see cref="TimeMerge.GiveAll"/>.
/// </summary>
internal sealed class ReadAhead : IDisposable
{
    /// <summary>So many batches are merged before the first of them has been taken.</summary>
    private const int Batches = 6;

    private readonly TimeMerge _merge;
    private readonly MergeBatch[] _batches = new MergeBatch[Batches];
    private readonly SemaphoreSlim _merged = new(0);
    private readonly SemaphoreSlim _taken = new(Batches);
    private volatile bool _isUnwanted;
    private ExceptionDispatchInfo? _failure;

    /// <summary>Number of batches when all were merged; until then the largest number.</summary>
    private long _count = long.MaxValue;

    private ReadAhead(TimeMerge merge)
    {
        _merge = merge;
        for (int i = 0; i < Batches; i++)
        {
            _batches[i] = new MergeBatch();
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

            if (!_batches[number % Batches].Give(ref sink))
            {
                return false;
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

                MergeBatch batch = _batches[number % Batches];
                _merge.Recycle(batch); // Its events were taken when this thread was let on.
                if (!_merge.TryNext(batch))
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
}
