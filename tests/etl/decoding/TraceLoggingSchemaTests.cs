using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>
/// Schemas are typed from the layout in TraceLoggingProvider.h; the corpus has neither fixed arrays nor custom fields nor tags of several
/// bytes.
/// </summary>
public class TraceLoggingSchemaTests
{
    private static readonly Guid Provider = new("754cdd7a-fc63-5673-dad5-1a2bf23c1aa7");

    [Fact]
    public void Every_part_of_a_schema_is_read()
    {
        byte[] schema = Sized(
            [0x81, 0x02], // A tag of two bytes.
            Name("Event"),
            Name("plain"), [0x04],
            Name("hex"), [0x88, 0x04],
            Name("tagged"), [0x84, 0x83, 0x81, 0x01],
            Name("fixed"), [0x24, 0x02, 0x00],
            Name("variable"), [0x46],
            Name("chars"), [0xC6, 0x02],
            Name("custom"), [0x64, 0x03, 0x00, 0xAA, 0xBB, 0xCC],
            Name("binary"), [0x0E],
            Name("structs"), [0xD8, 0x02],
            Name("inner"), [0x98, 0x01],
            Name("deep"), [0x04],
            Name("last"), [0x02]);
        byte[] traits = Sized(Name("My.Provider"), [0x13, 0x00, 0x01], Provider.ToByteArray());
        EventSchema? read = TraceLoggingSchema.Parse(schema, traits);
        Assert.NotNull(read);
        Assert.Equal(("My.Provider/Event", EventSchemaSource.TraceLogging, Provider), (read.FullName, read.Source, read.ProviderGroup));
        byte[] payload = EventBytes.Hex(
            "01", "ff 00 00 00", "01", "02 03", "01 00 04 00", "02 00 41 00 42 00", "02 00 05 06", "02 00 aa bb",
            "02 00", "07 41 00", "08 42 00");
        var text = new FieldText();
        Assert.Equal(PayloadOutcome.Complete, PayloadDecoder.Decode(read, payload, 8, text).Outcome);
        Assert.Equal(
            "plain=1 hex=0xff tagged=true fixed=[2 3] variable=[4] chars=AB custom=[5 6] binary=aabb"
            + " structs=[{inner={deep=7} last=A} {inner={deep=8} last=B}]",
            text.ToString());
    }

    [Fact]
    public void A_standard_opcode_belongs_to_the_name() => Assert.Equal(
        ("/Work/Start", "/Work/Stop", "/Work", "/Work"),
        (Named(1), Named(2), Named(0), Named(77)));

    [Fact]
    public void A_damaged_schema_gives_none()
    {
        byte[] schema = Sized([0x00], Name("Event"), Name("s"), [0x98, 0x02], Name("a"), [0x04], Name("b"), [0x24, 0x02, 0x00]);
        Assert.NotNull(TraceLoggingSchema.Parse(schema, []));
        for (int length = 0; length < schema.Length; length++)
        {
            byte[] cut = schema[..length];
            Assert.Null(TraceLoggingSchema.Parse(cut, []));
            if (length >= 10)
            {
                // The size word is right, so the end lies within a field or ends a struct early.
                cut[0] = (byte)length;
                Assert.Null(TraceLoggingSchema.Parse(cut, []));
            }
        }

        Assert.Null(TraceLoggingSchema.Parse(schema, EventBytes.Hex("05 00 41 42 43"))); // A name without an end.
        Assert.Null(TraceLoggingSchema.Parse(schema, EventBytes.Hex("07 00 41 00 02 00 01"))); // A trait shorter than its head.
    }

    [Fact]
    public void Structs_that_nest_for_ever_are_refused()
    {
        byte[] nested = [.. Enumerable.Repeat(new byte[] { 0x61, 0x00, 0x98, 0x01 }, 10_000).SelectMany(part => part)];
        Assert.Null(TraceLoggingSchema.Parse(Sized([0x00], Name("Event"), nested), []));
    }

    [Fact]
    public void A_schema_is_parsed_once()
    {
        byte[] record = Record(Sized([0x00], Name("Event"), Name("a"), [0x04]), opcode: 0);
        var decoder = new EventDecoder();
        EtlEvent traceEvent = EventBytes.Read(record);
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? first));
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? second));
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Same(first, second);
        traceEvent = EventBytes.Read(Record(Sized([0x00], Name("Event"), Name("b"), [0x04]), opcode: 0));
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? other));
        Assert.NotSame(first, other);
        Assert.Equal((2, 0), (decoder.TraceLoggingSchemasKnown, decoder.TraceLoggingSchemasMalformed));
    }

    [Fact]
    public void The_schemas_held_are_limited()
    {
        var decoder = new EventDecoder();
        for (int i = 0; i < 40_000; i++)
        {
            EtlEvent traceEvent = EventBytes.Read(Record(Sized([0x00], Name($"Event{i}")), opcode: 0));
            Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? schema));
            Assert.Equal($"P/Event{i}", schema!.FullName);
            Assert.InRange(decoder.TraceLoggingSchemasKnown, 1, 1 << 14);
        }
    }

    [Fact]
    public void A_damaged_schema_leaves_the_providers_name()
    {
        var decoder = new EventDecoder();
        EtlEvent traceEvent = EventBytes.Read(Record([0x09, 0x00, 0x00], opcode: 0));
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? schema));
        Assert.Equal(("P/EventID(0)", EventSchemaSource.ProviderOnly), (schema!.FullName, schema.Source));
        Assert.Equal(PayloadOutcome.Unknown, decoder.WriteFields(in traceEvent, new FieldText()).Outcome);
        Assert.Equal(1, decoder.TraceLoggingSchemasMalformed);
    }

    [Fact]
    public void No_bytes_make_parsing_throw() => Prop.ForAll(
        ArbMap.Default.ArbFor<byte[]>(),
        ArbMap.Default.ArbFor<byte[]>(),
        (schema, payload) =>
        {
            EventSchema? read = TraceLoggingSchema.Parse(Sized([0x00], Name("E"), schema), Sized(payload));
            read ??= TraceLoggingSchema.Parse(Sized([0x00], Name("E"), Name("a"), schema), []);
            if (read is not null)
            {
                PayloadDecoder.Decode(read, payload, 8, new FieldText());
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(2000));

    private static string Named(byte opcode) => TraceLoggingSchema.Parse(Sized([0x00], Name("Work")), [], opcode)!.FullName;

    private static byte[] Record(byte[] schema, byte opcode) => EventBytes.Event(
        Provider, 0, [1], opcode: opcode, items: [((ushort)EtlExtendedItemKind.ProviderTraits, Sized(Name("P"))),
            ((ushort)EtlExtendedItemKind.TraceLoggingSchema, schema)]);

    private static byte[] Name(string name) => Encoding.UTF8.GetBytes(name + "\0");

    private static byte[] Sized(params byte[][] parts)
    {
        byte[] all = [0, 0, .. parts.SelectMany(part => part)];
        BitConverter.TryWriteBytes(all, (ushort)all.Length);
        return all;
    }
}
