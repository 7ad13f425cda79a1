using System.Runtime.InteropServices;

namespace Tracer.Analysis.Facts;

/// <summary>
/// How often each ISR of one CPU ran, and how often a profile sample lies within its run; also, which routines ran as DPCs. Accepts the
/// events of each buffer in the order of their time stamps; a few buffers may be interleaved.
/// </summary>
internal sealed class InterruptCounts
{
    /// <summary>Most routines that are told apart; a damaged trace may name any number.</summary>
    private const int MostRoutines = 1024;

    /// <summary>Number of buffers whose latest sample is remembered; a power of two.</summary>
    private const int Buffers = 16;

    /// <summary>Messages that are told apart: a bit each of a word.</summary>
    private const uint MostMessages = 64;

    private readonly Dictionary<ulong, InterruptCount> _counts = [];
    private readonly HashSet<ulong> _dpcs = [];
    private ulong _latestDpc;
    private readonly (long Offset, long Ticks)[] _latest = new (long, long)[Buffers];
    private int _next;

    /// <summary>Number of profile samples.</summary>
    public long Samples { get; private set; }

    /// <summary>The ISRs with their counts, in no order.</summary>
    public IReadOnlyDictionary<ulong, InterruptCount> Counts => _counts;

    /// <summary>The routines that ran as DPCs.</summary>
    public IReadOnlySet<ulong> Dpcs => _dpcs;

    /// <param name="traceEvent">The event; one too short for such a record is ignored.</param>
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

    /// <param name="traceEvent">The event; one too short for such a record is ignored.</param>
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
        count.Messages |= record.MessageNumber is < MostMessages and var message ? 1UL << (int)message : 0;
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

/// <summary>Counts of one interrupt service routine.</summary>
internal struct InterruptCount
{
    public long Runs;

    /// <summary>Number of runs within which a profile sample lies.</summary>
    public long RunsWithSample;

    /// <summary>Total time of all runs in ticks, nested interrupts included.</summary>
    public long Ticks;

    /// <summary>The numbers of the message-signalled interrupts that it served, a bit each.</summary>
    public ulong Messages;
}
