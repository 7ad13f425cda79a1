using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Gives a merge's events by rounds of time, those of several CPUs at once: in a round each CPU's events go to a sink of its own, on one
/// thread from the first to the last. Between two rounds only the caller runs, and the other threads merge what comes next. Beside each
/// round others do what follows on the round before it. What is in a round follows from the file alone, so nothing depends on the
/// number of threads or on which is faster.
/// </summary>
/// <param name="merge">At its start; it makes rounds.</param>
/// <param name="cpus">How many CPUs are merged, with the number of each.</param>
/// <param name="mostEvents">Most events of a CPU in a round, but where more share one time stamp.</param>
/// <param name="sinkOf">The sink of a CPU; asked on the caller's thread, before the first round with events of it.</param>
/// <param name="endRound">Told, on the caller's thread, where a round ends: the time before which all events have come, in ticks.</param>
/// <param name="follow">
/// What is done when that was told, on whichever threads, and before the next round is told to have ended. It begins in this order, all at
/// once where there are threads for it: a later part may wait for an earlier one, but not the other way.
/// </param>
internal sealed class RoundWalk<TSink>(
    TimeMerge merge, IReadOnlyList<int> cpus, int mostEvents, Func<int, TSink> sinkOf, Action<long> endRound, Action[] follow)
    where TSink : struct, IEtlEventSink
{
    /// <summary>A round takes no further part of the merge once its buffers take so much memory, in bytes.</summary>
    private const long RoundBytes = 2 * 1024 * 1024;

    /// <summary>So much is merged ahead of the round at hand, in bytes.</summary>
    private const long AheadBytes = RoundBytes;

    private readonly object _gate = new();
    private readonly Lane?[] _lanes = new Lane?[cpus.Count];

    /// <summary>The lanes of the round at hand.</summary>
    private readonly List<Lane> _round = [];

    /// <summary>What was merged for the round at hand and is used up with it.</summary>
    private readonly List<MergeBatch> _used = [];

    /// <summary>What goes on in the next round, from that of its rounds on.</summary>
    private MergeBatch? _batch;
    private int _nextRound;

    // Under the gate.
    private readonly Queue<MergeBatch> _ahead = [];
    private readonly List<MergeBatch> _given = [];
    private readonly Stack<MergeBatch> _free = [];
    private long _aheadBytes;
    private bool _isMerging;
    private bool _isEnd;
    private int _toGive;
    private int _begun;
    private int _running;
    private int _followed = follow.Length; // How many parts of what follows on the last round have begun.
    private bool _isUnwanted;
    private ExceptionDispatchInfo? _failure;
    private ExceptionDispatchInfo? _mergeFailure;

    /// <summary>Gives all events.</summary>
    /// <param name="threads">How many threads may be used, the caller's included.</param>
    /// <returns>False when a sink wants no more: then its round is the last one, and is not told to have ended.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public bool GiveAll(int threads)
    {
        var helpers = new List<Thread>();
        try
        {
            for (int i = 1; i < threads; i++)
            {
                var helper = new Thread(Help) { IsBackground = true, Name = "ETL rounds" };
                helper.Start();
                helpers.Add(helper);
            }

            while (Collect() is { } untilTicks)
            {
                if (!GiveRound())
                {
                    return false;
                }

                endRound(untilTicks);
                EndRound();
            }

            return GiveRound();
        }
        finally
        {
            lock (_gate)
            {
                _isUnwanted = true;
                Monitor.PulseAll(_gate);
            }

            helpers.ForEach(static helper => helper.Join());
            merge.End();
        }
    }

    /// <summary>Puts together the next round.</summary>
    /// <returns>The time before which all events have come with it, in ticks; null where there are no more.</returns>
    private long? Collect()
    {
        long? untilTicks = null;
        for (long bytes = 0; bytes < RoundBytes && (_batch ??= NextBatch()) is { } batch;)
        {
            for (; _nextRound < batch.Rounds.Count; _nextRound++)
            {
                ReadOnlySpan<MergeBatch.Part> parts = batch.PartsOf(_nextRound);
                if (!Fits(parts))
                {
                    return untilTicks;
                }

                foreach (ref readonly MergeBatch.Part part in parts)
                {
                    Add(batch, in part);
                }

                untilTicks = batch.Rounds[_nextRound].UntilTicks;
            }

            bytes += batch.NeededBytes;
            _used.Add(batch);
            (_batch, _nextRound) = (null, 0);
        }

        return untilTicks;
    }

    /// <summary>Whether no CPU has too many events with more of them.</summary>
    private bool Fits(ReadOnlySpan<MergeBatch.Part> parts)
    {
        foreach (ref readonly MergeBatch.Part part in parts)
        {
            if (_lanes[part.CpuOrder] is { Events: > 0 } lane && lane.Events + part.Count > mostEvents)
            {
                return false;
            }
        }

        return true;
    }

    private void Add(MergeBatch batch, in MergeBatch.Part part)
    {
        Lane lane = _lanes[part.CpuOrder] ??= new Lane(sinkOf(cpus[part.CpuOrder]));
        if (lane.Events == 0)
        {
            _round.Add(lane);
        }

        lane.Add(batch, in part);
    }

    /// <summary>Gives the events of a round, the lanes with the most first: so the threads end at nearly the same time.</summary>
    /// <returns>False when a sink wants no more.</returns>
    private bool GiveRound()
    {
        _round.Sort(static (one, other) => other.Events.CompareTo(one.Events));
        lock (_gate)
        {
            (_begun, _toGive) = (0, _round.Count);
            Monitor.PulseAll(_gate);
            while (_begun < _toGive || _followed < follow.Length || _running > 0)
            {
                if (!TryWork())
                {
                    Monitor.Wait(_gate);
                }
            }

            (_begun, _toGive) = (0, 0);
            _failure?.Throw();
        }

        return !_round.Exists(static lane => lane.IsRefused);
    }

    /// <summary>The round is used up, and what follows on it may begin.</summary>
    private void EndRound()
    {
        _round.ForEach(static lane => lane.Clear());
        _round.Clear();
        lock (_gate)
        {
            _given.AddRange(_used);
            _followed = 0;
            Monitor.PulseAll(_gate);
        }

        _used.Clear();
    }

    /// <summary>What was merged next, by whichever thread; null at the end.</summary>
    private MergeBatch? NextBatch()
    {
        lock (_gate)
        {
            MergeBatch? batch;
            while (!_ahead.TryDequeue(out batch) && !_isEnd)
            {
                if (!TryMerge())
                {
                    Monitor.Wait(_gate);
                }
            }

            if (batch is null)
            {
                _mergeFailure?.Throw();
                return null;
            }

            _aheadBytes -= batch.NeededBytes;
            Monitor.Pulse(_gate);
            return batch;
        }
    }

    private void Help()
    {
        lock (_gate)
        {
            while (!_isUnwanted)
            {
                if (!TryWork())
                {
                    Monitor.Wait(_gate);
                }
            }
        }
    }

    /// <summary>Under the gate, which is left meanwhile: does some work that nobody does yet.</summary>
    /// <returns>False where there is none.</returns>
    private bool TryWork() => TryFollow() || TryGive() || (_aheadBytes < AheadBytes && TryMerge());

    private bool TryFollow()
    {
        if (_followed >= follow.Length || _isUnwanted)
        {
            return false;
        }

        Work(follow[_followed++]);
        return true;
    }

    private bool TryGive()
    {
        if (_begun >= _toGive)
        {
            return false;
        }

        Work(_round[_begun++].Give);
        return true;
    }

    /// <summary>Does a part of the round; where an exception ends it, no other part begins.</summary>
    private void Work(Action part)
    {
        _running++;
        ExceptionDispatchInfo? failure = OutsideGate(part);
        _running--;
        if (failure is not null)
        {
            _failure ??= failure;
            (_begun, _followed) = (_toGive, follow.Length);
        }

        if (_running == 0 && _begun >= _toGive && _followed >= follow.Length)
        {
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Does something while the gate is open.</summary>
    /// <returns>The exception that ended it; null for none.</returns>
    private ExceptionDispatchInfo? OutsideGate(Action work)
    {
        Monitor.Exit(_gate);
        try
        {
            work();
            return null;
        }
        catch (Exception thrown)
        {
            return ExceptionDispatchInfo.Capture(thrown);
        }
        finally
        {
            Monitor.Enter(_gate);
        }
    }

    private bool TryMerge()
    {
        if (_isMerging || _isEnd || _isUnwanted)
        {
            return false;
        }

        _isMerging = true;
        foreach (MergeBatch given in _given)
        {
            merge.Recycle(given);
            _free.Push(given);
        }

        _given.Clear();
        MergeBatch batch = _free.TryPop(out MergeBatch? free) ? free : new MergeBatch();
        bool isMerged = false;
        ExceptionDispatchInfo? failure = OutsideGate(() => isMerged = merge.TryNext(batch));
        _isMerging = false;
        if (isMerged)
        {
            _ahead.Enqueue(batch);
            _aheadBytes += batch.NeededBytes;
        }
        else
        {
            _isEnd = true;
            _mergeFailure = failure;
        }

        Monitor.PulseAll(_gate);
        return true;
    }

    /// <summary>The events of one CPU in the round at hand, and its sink.</summary>
    private sealed class Lane(TSink sink)
    {
        private readonly List<(MergeBatch Batch, int Start, int End)> _parts = [];
        private TSink _sink = sink;

        public int Events { get; private set; }

        /// <summary>Whether the sink wants no more.</summary>
        public bool IsRefused { get; private set; }

        public void Add(MergeBatch batch, in MergeBatch.Part part)
        {
            _parts.Add((batch, part.Start, part.End));
            Events += part.Count;
        }

        public void Give()
        {
            foreach ((MergeBatch batch, int start, int end) in CollectionsMarshal.AsSpan(_parts))
            {
                int next = start;
                if (!batch.Give(ref next, end, ref _sink))
                {
                    IsRefused = true;
                    return;
                }
            }
        }

        public void Clear()
        {
            _parts.Clear();
            Events = 0;
        }
    }
}
