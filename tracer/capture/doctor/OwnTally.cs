using System.Buffers.Binary;
using System.Text;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Doctor;

public sealed class OwnTally : ITraceTally
{
    public string Reader => "Tracer.Etl";

    public ProofTally Count(string path)
    {
        using EtlReader reader = EtlReader.Open(path);
        var sink = new Sink(new TallyCounter());
        reader.Read(EtlOrder.Any, ref sink);
        return sink.Counter.Tally(Reader);
    }

    /// <summary>The name in a TraceLogging schema: u16 size, tag bytes of which the last has no high bit, then the name in UTF-8.</summary>
    internal static ReadOnlySpan<byte> NameOf(ReadOnlySpan<byte> schema)
    {
        int at = sizeof(ushort);
        while (at < schema.Length && (schema[at] & 0x80) != 0)
        {
            at++;
        }

        ReadOnlySpan<byte> rest = at + 1 < schema.Length ? schema[(at + 1)..] : default;
        int end = rest.IndexOf((byte)0);
        return end < 0 ? default : rest[..end];
    }

    /// <returns>False where the event does not describe itself.</returns>
    internal static bool TryFindSchema(in EtlEvent traceEvent, out ReadOnlySpan<byte> schema)
    {
        foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
        {
            if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema)
            {
                schema = item.Data;
                return true;
            }
        }

        schema = default;
        return false;
    }

    private readonly struct Sink(TallyCounter counter) : IEtlEventSink
    {
        private static readonly byte[] Wakeup = Encoding.UTF8.GetBytes(TracerProvider.Wakeup.Name);

        public TallyCounter Counter => counter;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.IsEventHeader)
            {
                bool describesItself = TryFindSchema(in traceEvent, out ReadOnlySpan<byte> schema);
                counter.Add(traceEvent.ProviderId, isClassic: false, traceEvent.Id, traceEvent.Version, describesItself);
                if (traceEvent.ProviderId == TracerProvider.Id && NameOf(schema).SequenceEqual(Wakeup)
                    && traceEvent.Payload.Length >= sizeof(ulong))
                {
                    counter.AddWakeup(BinaryPrimitives.ReadUInt64LittleEndian(traceEvent.Payload));
                }

                return true;
            }

            Guid id = traceEvent.IsKernelHook ? traceEvent.Group.ClassId() : traceEvent.ProviderId;
            counter.Add(id, isClassic: true, traceEvent.Opcode, traceEvent.Version);
            if (traceEvent.HookId == KernelHook.Stack && StackRecord.TryRead(in traceEvent, out StackRecord stack))
            {
                counter.AddStack(stack.FrameCount);
            }

            return true;
        }
    }
}
