using Tracer.Analysis.Slicing;

namespace Tracer.Capture.Merge;

/// <summary>Copies a rundown behind the part of a snapshot that it belongs to.</summary>
internal static class RundownCopy
{
    private const ushort LogFileHeader = 0x0000;

    /// <param name="copy">The trace; it has the part of the snapshot already.</param>
    /// <param name="hasEnd">Whether the rundown lists at its end what it lists at its beginning.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static void Copy(EtlReader rundown, RecordCopy copy, bool hasEnd)
    {
        var sink = new Sink(copy, hasEnd);
        rundown.Read(EtlOrder.Time, ref sink);
    }

    private readonly struct Sink(RecordCopy copy, bool hasEnd) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            bool isOwn = traceEvent.HookId == LogFileHeader || HeaderOnly(traceEvent.HookId);
            bool isRepeated = hasEnd && KeptRecords.IsOfRundownStart(traceEvent.HookId);

            // Behind what the snapshot has of that CPU: a rundown that began before it would be out of order there.
            bool isInOrder = traceEvent.TimestampTicks >= copy.LastTicksOf(traceEvent.Cpu);
            if (!isOwn && !isRepeated && isInOrder)
            {
                copy.Copy(in traceEvent);
            }

            return true;
        }

        /// <summary>Groups and partition stand in the header buffer.</summary>
        private static bool HeaderOnly(ushort hook) => hook is 0x0005 or 0x0020 or 0x0050 or 0x0052;
    }
}
