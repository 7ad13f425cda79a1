namespace Tracer.Analysis.Slicing;

/// <summary>Is told of each record that was copied, and may write behind it.</summary>
public interface ICopyFollower
{
    void Copied(EtlWriter writer, in EtlEvent traceEvent, int cpu);
}

/// <summary>Writes the records of a part of a trace otherwise than they were: without names, for example.</summary>
public interface IRecordRewriting
{
    /// <param name="header">What it would say otherwise.</param>
    EtlFileHeader Header(EtlFileHeader header);

    /// <summary>What a record beside the header event is to hold.</summary>
    /// <returns>Null where it is left out.</returns>
    byte[]? HeaderRecord(ushort hookId, byte[] payload);

    /// <summary>Writes a record that belongs into the part, or leaves it out.</summary>
    /// <param name="isOfPart">Whether it lies in the part; otherwise it was kept for what it tells.</param>
    bool Write(EtlWriter writer, int cpu, in EtlEvent traceEvent, bool isOfPart);
}

/// <summary>Copies records of a trace into one that is made of a part of it, by time; byte for byte, unless they are rewritten.</summary>
public sealed class RecordCopy
{
    private readonly EtlWriter _writer;
    private readonly ICopyFollower? _follower;
    private readonly IRecordRewriting? _rewriting;
    private readonly long[] _lastTicks;

    /// <summary>Starts before the first record.</summary>
    /// <param name="follower">Is told of each record; null for nobody.</param>
    /// <param name="rewriting">Writes them otherwise; null where they stay as they are.</param>
    public RecordCopy(EtlWriter writer, ICopyFollower? follower = null, IRecordRewriting? rewriting = null)
    {
        ArgumentNullException.ThrowIfNull(writer);
        (_writer, _follower, _rewriting) = (writer, follower, rewriting);
        _lastTicks = new long[writer.Header.ProcessorCount];
        Array.Fill(_lastTicks, long.MinValue);
    }

    public long Events { get; private set; }

    /// <summary>The latest time stamp written; <see cref="long.MinValue"/> before the first.</summary>
    public long LastTicks { get; private set; } = long.MinValue;

    /// <summary>The latest time stamp written of a CPU; <see cref="long.MinValue"/> before the first.</summary>
    public long LastTicksOf(int cpu) => cpu < _lastTicks.Length ? _lastTicks[cpu] : long.MinValue;

    /// <summary>Copies what belongs into the part, and tells of losses in it at their place.</summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public void CopyPart(EtlReader source, SliceSurvey survey, LossTransfer losses)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(losses);
        var sink = new PartSink(this, survey, losses);
        source.Read(EtlOrder.Time, ref sink);
        losses.Finish();
    }

    public void Copy(in EtlEvent traceEvent)
    {
        _writer.WriteRecord(CpuOf(in traceEvent), traceEvent.Record);
        Count(in traceEvent);
    }

    private void Count(in EtlEvent traceEvent)
    {
        int cpu = CpuOf(in traceEvent);
        long ticks = traceEvent.TimestampTicks;
        _lastTicks[cpu] = Math.Max(_lastTicks[cpu], ticks);
        LastTicks = Math.Max(LastTicks, ticks);
        Events++;
        _follower?.Copied(_writer, in traceEvent, cpu);
    }

    /// <summary>A merged file of several has the CPUs of all; a damaged buffer may name any.</summary>
    private int CpuOf(in EtlEvent traceEvent) => traceEvent.Cpu < _lastTicks.Length ? traceEvent.Cpu : 0;

    private readonly struct PartSink(RecordCopy copy, SliceSurvey survey, LossTransfer losses) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (KeptRecords.IsKept(in traceEvent, survey))
            {
                losses.Before(copy.CpuOf(in traceEvent), traceEvent.TimestampTicks);
                if (copy._rewriting is not { } rewriting)
                {
                    copy.Copy(in traceEvent);
                }
                else if (rewriting.Write(
                    copy._writer, copy.CpuOf(in traceEvent), in traceEvent, survey.Window.Contains(traceEvent.TimestampTicks)))
                {
                    copy.Count(in traceEvent);
                }
            }

            return true;
        }
    }
}
