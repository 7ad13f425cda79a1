using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests.Writing;

/// <summary>Random events of all kinds are written, and read again by <see cref="StoredFile"/>.</summary>
public class WriterRoundTripTests
{
    private const long Start = 133_000_000_000_000_000;

    private static readonly EtlHeaderKind[] Kinds =
    [
        EtlHeaderKind.System32, EtlHeaderKind.System64, EtlHeaderKind.Compact32, EtlHeaderKind.Compact64, EtlHeaderKind.Full32,
        EtlHeaderKind.Full64, EtlHeaderKind.Instance32, EtlHeaderKind.Instance64, EtlHeaderKind.Message, EtlHeaderKind.PerfInfo32,
        EtlHeaderKind.PerfInfo64, EtlHeaderKind.EventHeader32, EtlHeaderKind.EventHeader64,
    ];

    private static readonly int[] CpuCounts = [1, 2, 8, 64, 256, 257, 320];

    private static readonly Gen<EtlEventHeader> Headers =
        from kind in Gen.Elements(Kinds)
        from ticks in Gen.Choose(-1000, int.MaxValue)
        from numbers in Gen.Choose(0, int.MaxValue).ArrayOf(8)
        from bytes in Gen.Choose(0, 255).ArrayOf(8)
        from messageFields in Gen.Choose(0, 255)
        from counters in Gen.Frequency((4, Gen.Constant(0)), (1, Gen.Choose(0, 15)))
        select Fields(kind, ticks, numbers, bytes, messageFields, counters);

    private enum Action
    {
        Write,
        WriteRecord,
        EndBuffer,
        LoseEvents,
        LoseBuffers,
        Flush,
    }

    private static Gen<Step> Steps =>
        from action in Gen.Frequency(
            (20, Gen.Constant(Action.Write)),
            (5, Gen.Constant(Action.WriteRecord)),
            (1, Gen.Elements(Action.EndBuffer, Action.LoseEvents, Action.LoseBuffers, Action.Flush)))
        from cpu in Gen.Choose(0, int.MaxValue)
        from header in Headers
        from payload in Gen.OneOf(Bytes(0, 80), Bytes(0, 1500), Gen.Choose(0, 1500).Select(count => new byte[count]))
        from items in Items
        select new Step(action, cpu, header, payload, items);

    private static Gen<EtlExtendedItem[]> Items => Gen.Frequency(
        (2, Gen.Constant(Array.Empty<EtlExtendedItem>())),
        (1, (from kind in Gen.Choose(1, 20)
             from data in Bytes(0, 60)
             select new EtlExtendedItem((EtlExtendedItemKind)kind, data)).ArrayOf(3)));

    [Fact]
    public void Random_events_of_all_kinds_are_read_as_they_were_written()
    {
        Gen<Session> sessions =
            from cpus in Gen.Elements(CpuCounts)
            from compress in Gen.Elements(false, true)
            from pointerBytes in Gen.Elements(4, 8)
            from bufferKb in Gen.Elements(4, 5, 64)
            from steps in Steps.ListOf()
            select new Session(cpus, compress, pointerBytes, bufferKb * 1024, [.. steps]);
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(Selection.Cases(200)).WithEndSize(300),
            Prop.ForAll(sessions.ToArbitrary(), IsReadAsWritten));
    }

    private static bool IsReadAsWritten(Session session)
    {
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 1000, Start),
            ProcessorCount = session.Cpus,
            PointerBytes = session.PointerBytes,
            BufferBytes = session.BufferBytes,
            SessionName = "Round trip",
        };
        var expected = Enumerable.Range(0, session.Cpus).Select(_ => new List<string>()).ToArray();
        uint lostEvents = 0;
        uint lostBuffers = 0;
        using MemoryStream stream = new();
        using EtlWriter writer = EtlWriter.Create(stream, header, new EtlWriterOptions { Compress = session.Compress });
        foreach (Step step in session.Steps)
        {
            int cpu = step.Cpu % session.Cpus;
            switch (step.Action)
            {
                case Action.Write:
                    writer.Write(cpu, step.Header, step.Payload, step.AllowedItems);
                    expected[cpu].Add(step.Text());
                    break;
                case Action.WriteRecord:
                    byte[] record = new byte[EventRecord.Measure(step.Header, step.Payload.Length, step.AllowedItems)];
                    EventRecord.Write(record, step.Header, step.Payload, step.AllowedItems);
                    writer.WriteRecord(cpu, record);
                    expected[cpu].Add(step.Text());
                    break;
                case Action.EndBuffer:
                    writer.EndBuffer(cpu);
                    break;
                case Action.LoseEvents:
                    writer.AddLostEvents(cpu, 3);
                    lostEvents += 3;
                    break;
                case Action.LoseBuffers:
                    writer.AddLostBuffers(cpu, 2);
                    lostBuffers += 2;
                    break;
                default:
                    writer.Flush();
                    break;
            }
        }

        writer.Complete(Start + 1);
        byte[] file = stream.ToArray();
        List<StoredBuffer> buffers = StoredFile.Buffers(file);
        EtlFileHeader read = StoredFile.Header(file);
        Assert.Equal(((uint)buffers.Count, lostEvents, lostBuffers), (read.BuffersWritten, read.EventsLost, read.BuffersLost));
        Assert.Equal(read, writer.Header);
        Assert.Equal(lostEvents != 0, buffers.Exists(buffer => (buffer.Flags & 2) != 0));
        Assert.Equal(lostBuffers != 0, buffers.Exists(buffer => (buffer.Flags & 4) != 0));
        long missing = buffers.Max(buffer => buffer.SequenceNumber) + 1 - buffers.Count;
        Assert.InRange(missing, 0, lostBuffers);
        Assert.Equal(buffers.Count, buffers.Select(buffer => buffer.SequenceNumber).Distinct().Count());
        for (int cpu = 0; cpu < session.Cpus; cpu++)
        {
            Assert.Equal(expected[cpu], StoredFile.Events(buffers, cpu).Select(stored => Text(stored.Record)));
        }

        AssertOurReaderAgrees(file, writer.Header, expected);
        return true;
    }

    /// <summary>The product's reader gives the header event and then, CPU by CPU, the same events: two ways to the same answer.</summary>
    private static void AssertOurReaderAgrees(byte[] file, EtlFileHeader header, List<string>[] expected)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        var sink = new TextSink([.. expected.Select(_ => new List<string>())]);
        Assert.True(reader.Read(EtlOrder.File, ref sink));
        Assert.Equal(header, reader.Header);
        Assert.Equal(expected.Sum(texts => texts.Count), sink.Events.Sum(texts => texts.Count));
        Every.Item(expected.Zip(sink.Events), pair => Assert.Equal(pair.First.Order(), pair.Second.Order()));
    }

    private static string Text(byte[] record)
    {
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent read));
        Assert.Equal(record.Length, read.Record.Length);
        string items = "";
        foreach (EtlExtendedItemEnumerator item in read.ExtendedItems)
        {
            items += $" {item.Kind}:{Convert.ToHexString(item.Data)}";
        }

        return $"{EtlEventHeader.Of(read)}{items} {Convert.ToHexString(read.Counters)}{Convert.ToHexString(read.Payload)}";
    }

    private static Gen<byte[]> Bytes(int least, int most) =>
        from count in Gen.Choose(least, most)
        from seed in Gen.Choose(0, int.MaxValue)
        select Noise(count, seed);

    private static byte[] Noise(int count, int seed)
    {
        byte[] bytes = new byte[count];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    /// <summary>A header with every field set that its kind has, and no other.</summary>
    private static EtlEventHeader Fields(EtlHeaderKind kind, long ticks, int[] numbers, int[] bytes, int messageFields, int counters)
    {
        var header = new EtlEventHeader { Kind = kind, TimestampTicks = ticks };
        var process = header with { ThreadId = (uint)numbers[0], ProcessId = (uint)numbers[1] };
        var timed = process with { KernelTimeClockTicks = (uint)numbers[2], UserTimeClockTicks = (uint)numbers[3] };
        var provider = new Guid(numbers[4], (short)numbers[5], 3, 4, 5, 6, 7, 8, 9, 10, 11);
        EtlEventHeader Hook(EtlEventHeader start) => start with
        {
            HookId = (ushort)numbers[6],
            Version = (byte)bytes[0],
            CounterCount = (byte)(counters & 7),
            HasPebsIndex = counters > 7,
        };
        EtlEventHeader Full() => timed with
        {
            ProviderId = provider,
            Version = (ushort)numbers[6],
            Opcode = (byte)bytes[1],
            Level = (byte)bytes[2],
        };
        switch (kind)
        {
            case EtlHeaderKind.PerfInfo32 or EtlHeaderKind.PerfInfo64:
                return Hook(header with { ThreadId = EtlEvent.NotInHeader, ProcessId = EtlEvent.NotInHeader });
            case EtlHeaderKind.Compact32 or EtlHeaderKind.Compact64:
                return Hook(process);
            case EtlHeaderKind.System32 or EtlHeaderKind.System64:
                return Hook(timed);
            case EtlHeaderKind.Full32 or EtlHeaderKind.Full64:
                return Full();
            case EtlHeaderKind.Instance32 or EtlHeaderKind.Instance64:
                return Full() with { InstanceId = (uint)numbers[6], ParentInstanceId = (uint)numbers[7], ParentClassId = provider };
            case EtlHeaderKind.Message:
                var fields = (EtlMessageFields)messageFields;
                bool hasComponent = fields.HasFlag(EtlMessageFields.ComponentId);
                bool hasThread = fields.HasFlag(EtlMessageFields.ThreadAndProcess);
                return header with
                {
                    MessageFields = fields,
                    Id = (ushort)numbers[6],
                    TimestampTicks = fields.HasFlag(EtlMessageFields.Time) ? ticks : 0,
                    ProviderId = fields.HasFlag(EtlMessageFields.Guid) && !hasComponent ? provider : Guid.Empty,
                    MessageSequence = fields.HasFlag(EtlMessageFields.Sequence) ? (uint)numbers[7] : 0,
                    ComponentId = hasComponent ? (uint)numbers[2] : 0,
                    ThreadId = hasThread ? (uint)numbers[0] : EtlEvent.NotInHeader,
                    ProcessId = hasThread ? (uint)numbers[1] : EtlEvent.NotInHeader,
                };
            default:
                return timed with
                {
                    ProviderId = provider,
                    ActivityId = provider,
                    Id = (ushort)numbers[6],
                    Version = (byte)bytes[0],
                    Opcode = (byte)bytes[1],
                    Level = (byte)bytes[2],
                    Channel = (byte)bytes[3],
                    EventFlags = (ushort)(bytes[4] & ~1),
                    EventProperty = (ushort)bytes[5],
                    Task = (ushort)numbers[7],
                    Keyword = (ulong)numbers[7] << 20,
                };
        }
    }

    private readonly struct TextSink(List<string>[] events) : IEtlEventSink
    {
        public List<string>[] Events => events;

        public bool OnEvent(in EtlEvent traceEvent)
        {
            if (!traceEvent.IsKernelHook || traceEvent.HookId != LogFileHeaderEvent.HookId || traceEvent.TimestampTicks != 1000)
            {
                events[traceEvent.Cpu].Add(Text(traceEvent.Record.ToArray()));
            }

            return true;
        }
    }

    private sealed record Session(int Cpus, bool Compress, int PointerBytes, int BufferBytes, Step[] Steps);

    private sealed record Step(Action Action, int Cpu, EtlEventHeader Header, byte[] Data, EtlExtendedItem[] Items)
    {
        public EtlExtendedItem[] AllowedItems =>
            Header.Kind is EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64 ? Items : [];

        public byte[] Payload
        {
            get
            {
                byte[] counters = new byte[8 * (Header.CounterCount + (Header.HasPebsIndex ? 1 : 0))];
                Array.Fill(counters, (byte)0xCC);
                return [.. counters, .. Data];
            }
        }

        public string Text() =>
            $"{Header}{string.Concat(AllowedItems.Select(item => $" {item.Kind}:{Convert.ToHexString(item.Data.Span)}"))}"
            + $" {Convert.ToHexString(Payload)}";
    }
}
