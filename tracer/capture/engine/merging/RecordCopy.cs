using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Capture;

/// <summary>Copies records of a snapshot and of a rundown into the trace made of them, byte for byte, by time.</summary>
internal sealed class RecordCopy
{
    private readonly EtlWriter _writer;
    private readonly ImageIdWriting _identities;
    private readonly LossTransfer _losses;
    private readonly TraceWindow _window;
    private readonly bool _rundownHasEnd;
    private readonly long[] _lastTicks;

    /// <summary>Starts before the first record.</summary>
    /// <param name="writer">The trace.</param>
    /// <param name="identities">Writes behind each image record what identifies the image.</param>
    /// <param name="losses">Losses of the snapshot.</param>
    /// <param name="window">What is kept of the snapshot.</param>
    /// <param name="rundownHasEnd">Whether the rundown lists at its end what it lists at its beginning.</param>
    public RecordCopy(EtlWriter writer, ImageIdWriting identities, LossTransfer losses, TraceWindow window, bool rundownHasEnd)
    {
        (_writer, _identities, _losses, _window, _rundownHasEnd) = (writer, identities, losses, window, rundownHasEnd);
        _lastTicks = new long[writer.Header.ProcessorCount];
        Array.Fill(_lastTicks, long.MinValue);
    }

    /// <summary>Records written.</summary>
    public long Events { get; private set; }

    /// <summary>The latest time stamp written; <see cref="long.MinValue"/> before the first.</summary>
    public long LastTicks { get; private set; } = long.MinValue;

    /// <summary>Copies what is kept of the snapshot.</summary>
    /// <param name="snapshot">It.</param>
    public void CopySnapshot(EtlReader snapshot)
    {
        var sink = new SnapshotSink(this);
        snapshot.Read(EtlOrder.Time, ref sink);
        _losses.Finish();
    }

    /// <summary>Copies the rundown.</summary>
    /// <param name="rundown">It.</param>
    public void CopyRundown(EtlReader rundown)
    {
        var sink = new RundownSink(this);
        rundown.Read(EtlOrder.Time, ref sink);
    }

    private void Copy(in EtlEvent traceEvent)
    {
        // A merged file of both has the CPUs of both; a damaged buffer may name any.
        int cpu = traceEvent.Cpu < _lastTicks.Length ? traceEvent.Cpu : 0;
        long ticks = traceEvent.TimestampTicks;
        _losses.Before(cpu, ticks);
        _writer.WriteRecord(cpu, traceEvent.Record);
        _lastTicks[cpu] = Math.Max(_lastTicks[cpu], ticks);
        LastTicks = Math.Max(LastTicks, ticks);
        Events++;
        if (traceEvent.HookId is KernelHook.ImageDCEnd or KernelHook.ImageDCStart
            or KernelHook.ImageLoad or KernelHook.ImageLoadOfImageGroup)
        {
            _identities.Write(_writer, in traceEvent, cpu);
        }
    }

    private readonly struct SnapshotSink(RecordCopy copy) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (KeptRecords.IsKept(in traceEvent, copy._window))
            {
                copy.Copy(in traceEvent);
            }

            return true;
        }
    }

    private readonly struct RundownSink(RecordCopy copy) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            bool isOwn = traceEvent.HookId == LogFileHeader || HeaderOnly(traceEvent.HookId);
            bool isRepeated = copy._rundownHasEnd && KeptRecords.IsOfRundownStart(traceEvent.HookId);

            // Behind what the snapshot has of that CPU: a rundown that began before it would be out of order there.
            bool isInOrder = traceEvent.Cpu >= copy._lastTicks.Length || traceEvent.TimestampTicks >= copy._lastTicks[traceEvent.Cpu];
            if (!isOwn && !isRepeated && isInOrder)
            {
                copy.Copy(in traceEvent);
            }

            return true;
        }

        private const ushort LogFileHeader = 0x0000;

        /// <summary>Groups and partition stand in the header buffer.</summary>
        private static bool HeaderOnly(ushort hook) => hook is 0x0005 or 0x0020 or 0x0050 or 0x0052;
    }
}
