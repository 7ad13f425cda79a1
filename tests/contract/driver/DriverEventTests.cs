using System.Reflection;
using System.Runtime.InteropServices;
using Tracer.Etl;
using Tracer.Etl.Decoding;

namespace Tracer.Contract.Tests;

/// <summary>
/// The events that the driver makes by hand (kdriver/core/tracer_events.c), as tests/kdriver/print_events.c gets them from it: the same
/// provider, descriptor, schema and payload as <see cref="TracerProvider"/> says, and out of a trace file come the record's values.
/// </summary>
public sealed class DriverEventTests : IClassFixture<DriverEventTests.CompiledEvents>
{
    private readonly CompiledEvents _events;

    public DriverEventTests(CompiledEvents events)
    {
        Assert.SkipUnless(DriverLayoutTests.CompiledHeaders.HasCompiler, "no C compiler (cc) here: package gcc");
        _events = events;
    }

    public static TheoryData<int, int> Counts => new() { { 2, 3 }, { 1, 0 }, { DriverAbi.MaxPriorities, DriverAbi.MaxCallers } };

    [Fact]
    public void The_provider_is_ours() => Assert.Equal(TracerProvider.Id, new Guid(_events.Rows(1, 0).Provider));

    [Fact]
    public void There_is_an_event_of_every_record_but_the_module() => Assert.Equal(
        TracerProvider.Events
            .Except([TracerProvider.CaptureWork, TracerProvider.Capture, TracerProvider.Slice, TracerProvider.RundownLoss])
            .Select(description => description.Name),
        _events.Rows(1, 0).Events.Select(row => row.Type.ToString()));

    [Theory]
    [MemberData(nameof(Counts))]
    public void Its_schema_is_that_of_the_provider_byte_for_byte(int priorities, int callers)
    {
        foreach (EventRow row in _events.Rows(priorities, callers).Events)
        {
            TraceLoggingEventSchema expected = Schema(row.Description);
            Assert.Equal(expected.Items[0].Data.ToArray(), row.Traits);
            Assert.Equal(expected.Items[1].Data.ToArray(), row.Metadata);
            EtlEventHeader header = expected.Header(0, 0, 0);
            byte[] descriptor = [.. new byte[3], header.Channel, header.Level, .. new byte[3], .. BitConverter.GetBytes(header.Keyword)];
            Assert.Equal(descriptor, row.Descriptor);
        }
    }

    [Theory]
    [MemberData(nameof(Counts))]
    public void Read_back_from_a_trace_it_has_the_values_of_the_record(int priorities, int callers)
    {
        List<EventRow> rows = _events.Rows(priorities, callers).Events;
        using var stream = new MemoryStream();
        Write(stream, rows);
        using EtlReader reader = EtlReader.Open(stream);
        var decoded = new DecodedEvents();
        Assert.True(reader.Read(EtlOrder.Time, ref decoded));
        Assert.Equal(rows.Select(row => $"{TracerProvider.Name}/{row.Type}"), decoded.Events.Select(found => found.Name));
        Every.Item(rows.Zip(decoded.Events), pair => Assert.Equal(pair.First.Expected(priorities, callers), pair.Second.Fields));
    }

    private static TraceLoggingEventSchema Schema(ProviderEvent description) => new(
        new TraceLoggingProvider(TracerProvider.Name),
        description.Name,
        [.. description.Fields.Select(Field)]);

    private static TraceLoggingField Field(ProviderField field)
    {
        var single = new TraceLoggingField(field.Name, field.InType, field.OutType);
        return field.IsArray ? single.AsArray() : single;
    }

    /// <summary>As Windows stores them: what stands in the parts of types 2 and 1 becomes extended items, the rest the payload.</summary>
    private static void Write(Stream stream, List<EventRow> rows)
    {
        var header = new EtlFileHeader { Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 0, 0), ProcessorCount = 1 };
        using EtlWriter writer = EtlWriter.Create(stream, header, leaveOpen: true);
        foreach (EventRow row in rows)
        {
            var plain = EtlEventHeader.Event(TracerProvider.Id, id: 0, version: 0, timestampTicks: 1 + (int)row.Type, 4, 8, 8);
            writer.Write(
                cpu: 0, plain with { Channel = row.Descriptor[3], Level = row.Descriptor[4] }, row.Payload,
                [new(EtlExtendedItemKind.ProviderTraits, row.Traits), new(EtlExtendedItemKind.TraceLoggingSchema, row.Metadata)]);
        }

        writer.Complete(0);
        stream.Position = 0;
    }

    /// <summary>One line of print_events: a record, and the parts of its event.</summary>
    public sealed record EventRow(byte[] Record, byte[] Descriptor, byte[] Traits, byte[] Metadata, byte[] Payload)
    {
        public DriverRecordType Type => MemoryMarshal.Read<DriverRecordHeader>(Record).Type;

        /// <summary>What the provider says of such events.</summary>
        public ProviderEvent Description =>
            Assert.Single(TracerProvider.Events, candidate => candidate.Name == Type.ToString());

        /// <summary>The values that the fields must have, by the record's structure on the C# side.</summary>
        public List<(string Name, ulong Value)> Expected(int priorities, int callers)
        {
            List<(string Name, ulong Value)> values = [];
            foreach (ProviderField field in Description.Fields)
            {
                FieldInfo? place = Structure.GetField(char.ToUpperInvariant(field.Name[0]) + field.Name[1..]);
                int offset = place is null ? (int)Marshal.OffsetOf<DriverRecordHeader>(nameof(DriverRecordHeader.Cpu))
                    : (int)Marshal.OffsetOf(Structure, place.Name);
                int count = field.IsArray ? (field.Name == "callers" ? callers : priorities) : 1;
                int bytes = Bytes(field.InType);
                values.AddRange(Enumerable.Range(0, count).Select(i => (field.Name, Number(Record.AsSpan(offset + (i * bytes), bytes)))));
            }

            return values;
        }

        private Type Structure => typeof(DriverAbi).Assembly.GetType($"{typeof(DriverAbi).Namespace}.{Type}Record", throwOnError: true)!;

        private static int Bytes(TraceLoggingInType type) => type switch
        {
            TraceLoggingInType.UInt8 => 1,
            TraceLoggingInType.UInt16 => 2,
            TraceLoggingInType.UInt32 => 4,
            _ => 8,
        };

        private static ulong Number(ReadOnlySpan<byte> bytes)
        {
            ulong value = 0;
            for (int i = bytes.Length; i-- > 0;)
            {
                value = (value << 8) | bytes[i];
            }

            return value;
        }
    }

    /// <summary>Compiles print_events.c and tracer_events.c with the C compiler of the system; nothing where there is none.</summary>
    public sealed class CompiledEvents : IDisposable
    {
        private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tracer-events-");

        public CompiledEvents()
        {
            if (DriverLayoutTests.CompiledHeaders.HasCompiler)
            {
                ChildProcess.Output(
                    "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Ikdriver/include", "-Ikdriver/core", "-o", Program,
                    "tests/kdriver/print_events.c", "kdriver/core/tracer_events.c");
            }
        }

        private string Program => Path.Combine(_folder.FullName, "print_events");

        public void Dispose() => _folder.Delete(recursive: true);

        public (byte[] Provider, List<EventRow> Events) Rows(int priorities, int callers)
        {
            string text = ChildProcess.Output(
                Program, priorities.ToString(CultureInfo.InvariantCulture), callers.ToString(CultureInfo.InvariantCulture));
            string[][] lines = [.. text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(' '))];
            return (
                Convert.FromHexString(Assert.Single(lines, line => line[0] == "provider")[1]),
                [.. lines.Where(line => line[0] == "event").Select(line => line[1..].Select(Convert.FromHexString).ToArray())
                    .Select(parts => new EventRow(parts[0], parts[1], parts[2], parts[3], parts[4]))]);
        }
    }

    /// <summary>Keeps the name and the values of each event of the provider.</summary>
    private sealed class DecodedEvents : IEtlEventSink
    {
        private readonly EventDecoder _decoder = new();

        public List<(string Name, List<(string Name, ulong Value)> Fields)> Events { get; } = [];

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.ProviderId == TracerProvider.Id)
            {
                Assert.True(_decoder.TryDescribe(in traceEvent, out EventSchema? schema));
                var values = new Values();
                Assert.Equal(PayloadOutcome.Complete, _decoder.WriteFields(in traceEvent, values).Outcome);
                Events.Add((schema!.FullName, values.Fields));
            }

            return true;
        }
    }

    private sealed class Values : IFieldSink
    {
        private string _array = "";

        public List<(string Name, ulong Value)> Fields { get; } = [];

        public void Field(string name, in FieldValue value) => Fields.Add((name.Length == 0 ? _array : name, value.Bits));

        public void BeginStruct(string name) => Assert.Fail($"{name} is a struct");

        public void EndStruct() => Assert.Fail("no struct was begun");

        public void BeginArray(string name) => _array = name;

        public void EndArray() => _array = "";
    }
}
