using System.Runtime.InteropServices;
using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>
/// How often each interrupt service routine of one CPU ran, and how often a profile sample lies within its run; which routines ran as DPCs.
/// Takes the events of a buffer in the order of their time stamps, those of a few buffers mixed.
/// </summary>
internal sealed class InterruptCounts
{
    /// <summary>Routines that are told apart; a damaged trace may name any number.</summary>
    private const int MostRoutines = 1024;

    /// <summary>Buffers whose latest sample is remembered; a power of two.</summary>
    private const int Buffers = 16;

    private readonly Dictionary<ulong, InterruptCount> _counts = [];
    private readonly HashSet<ulong> _dpcs = [];
    private ulong _latestDpc;
    private readonly (long Offset, long Ticks)[] _latest = new (long, long)[Buffers];
    private int _next;

    /// <summary>Profile samples that were taken.</summary>
    public long Samples { get; private set; }

    /// <summary>The routines with their counts, in no order.</summary>
    public IReadOnlyDictionary<ulong, InterruptCount> Counts => _counts;

    /// <summary>The routines of DPCs.</summary>
    public IReadOnlySet<ulong> Dpcs => _dpcs;

    /// <summary>Takes the record of a DPC.</summary>
    /// <param name="traceEvent">The event; one too short to be such a record is passed over.</param>
    public void Deferred(in EtlEvent traceEvent)
    {
        if (DpcRecord.TryRead(in traceEvent, out DpcRecord record) && record.Routine != _latestDpc)
        {
            _latestDpc = record.Routine;
            if (_dpcs.Count < MostRoutines)
            {
                _dpcs.Add(record.Routine);
            }
        }
    }

    /// <summary>Takes a profile sample.</summary>
    /// <param name="bufferOffset">Where its buffer begins in the file.</param>
    /// <param name="ticks">When it was taken, in ticks.</param>
    public void Sampled(long bufferOffset, long ticks)
    {
        Samples++;
        for (int i = 0; i < Buffers; i++)
        {
            if (_latest[i].Offset == bufferOffset)
            {
                _latest[i].Ticks = ticks;
                return;
            }
        }

        _latest[_next++ & (Buffers - 1)] = (bufferOffset, ticks);
    }

    /// <summary>Takes the record of an interrupt service routine.</summary>
    /// <param name="traceEvent">The event; one too short to be such a record is passed over.</param>
    /// <param name="ticks">When the routine returned, in ticks.</param>
    public void Returned(in EtlEvent traceEvent, long ticks)
    {
        if (!IsrRecord.TryRead(in traceEvent, out IsrRecord record) || record.InitialTime > ticks
            || (_counts.Count == MostRoutines && !_counts.ContainsKey(record.Routine)))
        {
            return;
        }

        ref InterruptCount count = ref CollectionsMarshal.GetValueRefOrAddDefault(_counts, record.Routine, out _);
        count.Runs++;
        count.Ticks += ticks - record.InitialTime;
        long sampled = LatestSample(traceEvent.BufferOffset);
        count.RunsWithSample += sampled >= record.InitialTime && sampled <= ticks ? 1 : 0;
    }

    private long LatestSample(long bufferOffset)
    {
        foreach ((long offset, long ticks) in _latest)
        {
            if (offset == bufferOffset)
            {
                return ticks;
            }
        }

        return long.MinValue;
    }
}

/// <summary>How often an interrupt service routine ran.</summary>
internal struct InterruptCount
{
    /// <summary>Records of it.</summary>
    public long Runs;

    /// <summary>Runs within which a profile sample lies.</summary>
    public long RunsWithSample;

    /// <summary>Time of all runs in ticks, what nests in them included.</summary>
    public long Ticks;
}
