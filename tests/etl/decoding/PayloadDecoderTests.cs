using System.Collections.Immutable;
using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>Payloads are typed from the type tables of TraceLoggingProvider.h and tdh.h.</summary>
public class PayloadDecoderTests
{
    [Theory]
    [InlineData(FieldInType.Null, FieldOutType.Default, "", "")]
    [InlineData(FieldInType.UnicodeString, FieldOutType.Default, "41 00 42 00 00 00", "AB")]
    [InlineData(FieldInType.UnicodeString, FieldOutType.Default, "41 00 42 00", "AB")] // Runs to the end.
    [InlineData(FieldInType.AnsiString, FieldOutType.Default, "41 42 00", "AB")]
    [InlineData(FieldInType.AnsiString, FieldOutType.Json, "7b 7d", "{}")]
    [InlineData(FieldInType.Int8, FieldOutType.Default, "ff", "-1")]
    [InlineData(FieldInType.Int8, FieldOutType.String, "41", "A")]
    [InlineData(FieldInType.Int8, FieldOutType.HexInt8, "ff", "0xff")]
    [InlineData(FieldInType.UInt8, FieldOutType.Default, "ff", "255")]
    [InlineData(FieldInType.UInt8, FieldOutType.Boolean, "02", "true")]
    [InlineData(FieldInType.Int16, FieldOutType.Default, "fe ff", "-2")]
    [InlineData(FieldInType.UInt16, FieldOutType.Default, "fe ff", "65534")]
    [InlineData(FieldInType.UInt16, FieldOutType.Port, "01 bb", "443")]
    [InlineData(FieldInType.UInt16, FieldOutType.String, "41 00", "A")]
    [InlineData(FieldInType.UInt16, FieldOutType.Int16, "fe ff", "-2")]
    [InlineData(FieldInType.Int32, FieldOutType.Default, "fd ff ff ff", "-3")]
    [InlineData(FieldInType.Int32, FieldOutType.HResult, "05 00 07 80", "0x80070005")]
    [InlineData(FieldInType.UInt32, FieldOutType.Default, "fd ff ff ff", "4294967293")]
    [InlineData(FieldInType.UInt32, FieldOutType.IPv4, "7f 00 00 01", "127.0.0.1")]
    [InlineData(FieldInType.UInt32, FieldOutType.NtStatus, "22 00 00 c0", "0xc0000022")]
    [InlineData(FieldInType.UInt32, FieldOutType.Win32Error, "05 00 00 00", "0x5")]
    [InlineData(FieldInType.UInt32, FieldOutType.ErrorCode, "05 00 00 00", "0x5")]
    [InlineData(FieldInType.UInt32, FieldOutType.Pid, "04 00 00 00", "4")]
    [InlineData(FieldInType.UInt32, FieldOutType.Tid, "08 00 00 00", "8")]
    [InlineData(FieldInType.UInt32, FieldOutType.HexInt32, "10 00 00 00", "0x10")]
    [InlineData(FieldInType.Int64, FieldOutType.Default, "ff ff ff ff ff ff ff ff", "-1")]
    [InlineData(FieldInType.UInt64, FieldOutType.Default, "ff ff ff ff ff ff ff ff", "18446744073709551615")]
    [InlineData(FieldInType.UInt64, FieldOutType.CodePointer, "00 10 00 00 00 f8 ff ff", "0xfffff80000001000")]
    [InlineData(FieldInType.UInt64, FieldOutType.DateTime, "00 80 3e d5 de b1 9d 01", "1970-01-01T00:00:00.0000000Z")]
    [InlineData(FieldInType.UInt64, FieldOutType.EtwTime, "07 00 00 00 00 00 00 00", "7")]
    [InlineData(FieldInType.Float, FieldOutType.Default, "00 00 c0 3f", "1.5")]
    [InlineData(FieldInType.Double, FieldOutType.Default, "00 00 00 00 00 00 f8 3f", "1.5")]
    [InlineData(FieldInType.Boolean, FieldOutType.Default, "01 00 00 00", "true")]
    [InlineData(FieldInType.Binary, FieldOutType.Default, "01 02", "0102")]
    [InlineData(FieldInType.Binary, FieldOutType.IPv6, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01", "::1")]
    [InlineData(FieldInType.Binary, FieldOutType.SocketAddress, "02 00 01 bb 7f 00 00 01 00 00 00 00 00 00 00 00", "127.0.0.1:443")]
    [InlineData(
        FieldInType.Binary,
        FieldOutType.SocketAddress,
        "17 00 00 50 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00",
        "[::1]:80")]
    [InlineData(FieldInType.Binary, FieldOutType.SocketAddress, "17 00 00 50", "17000050")] // Too short to be one.
    [InlineData(
        FieldInType.Guid,
        FieldOutType.Default,
        "44 33 22 11 66 55 88 77 99 aa bb cc dd ee ff 00",
        "11223344-5566-7788-99aa-bbccddeeff00")]
    [InlineData(FieldInType.Pointer, FieldOutType.Default, "01 00 00 00 00 00 00 80", "0x8000000000000001")]
    [InlineData(FieldInType.Pointer, FieldOutType.HexInt64, "10 00 00 00 00 00 00 00", "0x10")]
    [InlineData(FieldInType.FileTime, FieldOutType.Default, "00 80 3e d5 de b1 9d 01", "1970-01-01T00:00:00.0000000Z")]
    [InlineData(FieldInType.SystemTime, FieldOutType.Default, "e5 07 09 00 04 00 09 00 0e 00 3b 00 20 00 07 00", "2021-09-09T14:59:32.007")]
    [InlineData(FieldInType.Sid, FieldOutType.Default, "01 01 00 00 00 00 00 05 12 00 00 00", "S-1-5-18")]
    [InlineData(FieldInType.HexInt32, FieldOutType.Default, "ff 00 00 00", "0xff")]
    [InlineData(FieldInType.HexInt64, FieldOutType.Default, "ff 00 00 00 00 00 00 00", "0xff")]
    [InlineData(FieldInType.ManifestCountedString, FieldOutType.Default, "04 00 41 00 42 00", "AB")]
    [InlineData(FieldInType.ManifestCountedAnsiString, FieldOutType.Utf8, "02 00 c3 a4", "ä")]
    [InlineData(FieldInType.ManifestCountedBinary, FieldOutType.Default, "02 00 c3 a4", "c3a4")]
    [InlineData(FieldInType.ManifestCountedBinary, FieldOutType.Utf8, "02 00 c3 a4", "ä")]
    [InlineData(FieldInType.CountedString, FieldOutType.Default, "02 00 41 00", "A")]
    [InlineData(FieldInType.CountedAnsiString, FieldOutType.Default, "01 00 41", "A")]
    [InlineData(FieldInType.ReversedCountedString, FieldOutType.Default, "00 02 41 00", "A")]
    [InlineData(FieldInType.ReversedCountedAnsiString, FieldOutType.Default, "00 01 41", "A")]
    [InlineData(FieldInType.NonNullTerminatedString, FieldOutType.Default, "41 00 42 00", "AB")]
    [InlineData(FieldInType.NonNullTerminatedAnsiString, FieldOutType.Default, "41 42", "AB")]
    [InlineData(FieldInType.UnicodeChar, FieldOutType.Default, "41 00", "A")]
    [InlineData(FieldInType.AnsiChar, FieldOutType.Default, "41", "A")]
    [InlineData(FieldInType.SizeT, FieldOutType.Default, "07 00 00 00 00 00 00 00", "7")]
    [InlineData(FieldInType.HexDump, FieldOutType.Default, "02 00 00 00 aa bb", "aabb")]
    [InlineData(FieldInType.WbemSid, FieldOutType.Default, "00 00 00 00", "")]
    [InlineData(
        FieldInType.WbemSid,
        FieldOutType.Default,
        "01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 01 00 00 00 00 00 05 12 00 00 00",
        "S-1-5-18")]
    public void Every_type_is_consumed_exactly_and_shown(FieldInType inType, FieldOutType outType, string payload, string expected)
    {
        (string text, PayloadResult result) = Decode(payload, [Field("x", inType, outType)]);
        Assert.Equal($"x={expected}", text);
        Assert.Equal(new PayloadResult(PayloadOutcome.Complete, EventBytes.Hex(payload).Length, 0), result);
        for (int cut = 1; cut < EventBytes.Hex(payload).Length; cut++)
        {
            byte[] start = EventBytes.Hex(payload)[..^cut];
            PayloadResult cutResult = PayloadDecoder.Decode(Schema([Field("x", inType, outType)]), start, 8, new FieldText());
            Assert.True(cutResult.BytesRead + cutResult.BytesLeft == start.Length, $"cut to {start.Length}: {cutResult}");
        }
    }

    [Fact]
    public void Pointers_have_the_width_of_the_event()
    {
        ImmutableArray<FieldDefinition> fields = [Field("p", FieldInType.Pointer), Field("s", FieldInType.SizeT)];
        Assert.Equal("p=0x1 s=2", Decode("01 00 00 00 02 00 00 00", fields, pointerBytes: 4).Text);
    }

    [Fact]
    public void Counts_and_lengths_come_from_earlier_fields()
    {
        ImmutableArray<FieldDefinition> fields =
        [
            new() { Name = "n", InType = FieldInType.UInt8, Number = 3 },
            new() { Name = "list", InType = FieldInType.UInt16, Count = FieldSize.FromField(3) },
            new() { Name = "bytes", InType = FieldInType.Binary, Length = FieldSize.FromField(3) },
            new() { Name = "text", InType = FieldInType.UnicodeString, Length = FieldSize.FromField(3) },
            new() { Name = "fixed", InType = FieldInType.AnsiString, Length = FieldSize.Fixed(4) },
        ];
        (string text, PayloadResult result) = Decode("02 01 00 02 00 aa bb 41 00 42 00 43 44 00 45", fields);
        Assert.Equal("n=2 list=[1 2] bytes=aabb text=AB fixed=CD", text);
        Assert.Equal(PayloadOutcome.Complete, result.Outcome);
    }

    [Fact]
    public void Arrays_of_structs_with_arrays_are_walked()
    {
        ImmutableArray<FieldDefinition> fields =
        [
            new()
            {
                Name = "s",
                InType = FieldInType.Struct,
                Count = FieldSize.Prefixed,
                Members =
                [
                    new() { Name = "n", InType = FieldInType.UInt8, Number = 0 },
                    new() { Name = "a", InType = FieldInType.UInt8, Count = FieldSize.FromField(0) },
                    new() { Name = "t", InType = FieldInType.Struct, Members = [Field("u", FieldInType.AnsiString)] },
                ],
            },
            new() { Name = "f", InType = FieldInType.UInt8, Count = FieldSize.Fixed(2) },
            new() { Name = "chars", InType = FieldInType.UInt16, OutType = FieldOutType.String, Count = FieldSize.Prefixed },
        ];
        (string text, PayloadResult result) = Decode("02 00 01 07 41 00 02 08 09 00 0a 0b 02 00 41 00 42 00", fields);
        Assert.Equal("s=[{n=1 a=[7] t={u=A}} {n=2 a=[8 9] t={u=}}] f=[10 11] chars=AB", text);
        Assert.Equal(PayloadOutcome.Complete, result.Outcome);
    }

    [Fact]
    public void Maps_name_values_and_flags()
    {
        var values = new ValueMap("v", isFlags: false, [new(0, "Zero"), new(2, "Two")]);
        var flags = new ValueMap("f", isFlags: true, [new(3, "Both"), new(1, "One"), new(2, "Two"), new(0x30, "Pair"), new(0, "None")]);
        ImmutableArray<FieldDefinition> fields =
        [
            new() { Name = "v", InType = FieldInType.UInt8, Map = values, Count = FieldSize.Fixed(3) },
            new() { Name = "f", InType = FieldInType.UInt8, Map = flags, Count = FieldSize.Fixed(6), OutType = FieldOutType.HexInt8 },
        ];
        Assert.Equal("v=[Zero Two 1] f=[None One|Two Pair One|Pair Two|0x80 0x40]", Decode("00 02 01 00 03 30 31 82 40", fields).Text);
    }

    [Fact]
    public void What_is_not_to_be_shown_is_walked_over()
    {
        ImmutableArray<FieldDefinition> fields =
        [
            Field("hidden", FieldInType.UInt16, FieldOutType.NoPrint),
            new()
            {
                Name = "hiddenToo", InType = FieldInType.Struct, OutType = FieldOutType.NoPrint, Members = [Field("m", FieldInType.UInt8)],
            },
            Field("shown", FieldInType.UInt8),
        ];
        Assert.Equal("shown=4", Decode("01 02 03 04", fields).Text);
    }

    [Fact]
    public void A_payload_that_ends_early_gives_the_fields_that_fit()
    {
        ImmutableArray<FieldDefinition> fields =
        [
            Field("a", FieldInType.UInt8),
            new() { Name = "s", InType = FieldInType.Struct, Members = [Field("b", FieldInType.UInt8), Field("c", FieldInType.UInt32)] },
        ];
        (string text, PayloadResult result) = Decode("01 02 03", fields);
        Assert.Equal("a=1 s={b=2}", text);
        Assert.Equal(new PayloadResult(PayloadOutcome.Short, 2, 1), result);
    }

    [Fact]
    public void Bytes_behind_the_last_field_are_counted() => Assert.Equal(
        new PayloadResult(PayloadOutcome.BytesLeft, 1, 2), Decode("01 02 03", [Field("a", FieldInType.UInt8)]).Result);

    [Fact]
    public void An_unknown_type_ends_the_walk()
    {
        (string text, PayloadResult result) = Decode("01 02", [Field("a", FieldInType.UInt8), Field("b", (FieldInType)99)]);
        Assert.Equal("a=1", text);
        Assert.Equal(new PayloadResult(PayloadOutcome.Undecodable, 1, 1), result);
    }

    [Fact]
    public void Sizes_that_make_no_sense_end_the_walk()
    {
        FieldDefinition count = new() { Name = "n", InType = FieldInType.Int32, Number = 0 };
        FieldDefinition list = new() { Name = "a", InType = FieldInType.UInt8, Count = FieldSize.FromField(0) };
        Assert.Equal(PayloadOutcome.Undecodable, Decode("ff ff ff ff", [count, list]).Result.Outcome);
        Assert.Equal(PayloadOutcome.Short, Decode("ff ff ff 7f 00", [count, list]).Result.Outcome);
        Assert.Equal(PayloadOutcome.Undecodable, Decode("01", [list]).Result.Outcome); // Refers to a field that is not there.
        FieldDefinition far = new() { Name = "a", InType = FieldInType.UInt8, Count = FieldSize.FromField(1000) };
        Assert.Equal(PayloadOutcome.Undecodable, Decode("01", [far]).Result.Outcome);
    }

    [Fact]
    public void Elements_without_bytes_do_not_go_on_for_ever()
    {
        FieldDefinition empty = new() { Name = "e", InType = FieldInType.Null, Count = FieldSize.Fixed(int.MaxValue) };
        FieldDefinition nothing = new()
        {
            Name = "e",
            InType = FieldInType.Struct,
            Count = FieldSize.Fixed(int.MaxValue),
            Members = [empty],
        };
        var sink = new CountingSink();
        Assert.Equal(PayloadOutcome.Excessive, PayloadDecoder.Decode(Schema([empty]), [], 8, sink).Outcome);
        Assert.Equal(PayloadOutcome.Excessive, PayloadDecoder.Decode(Schema([nothing]), [], 8, sink).Outcome);
        Assert.InRange(sink.Calls, 1, PayloadDecoder.FreeCharacters);
    }

    [Fact]
    public void Names_take_as_much_as_the_payload_is_long_and_no_more()
    {
        string name = new('n', 200);
        ImmutableArray<FieldDefinition> fields = [.. Enumerable.Range(0, 1000).Select(_ => Field(name, FieldInType.UInt8))];
        var sink = new CountingSink();
        PayloadResult result = PayloadDecoder.Decode(Schema(fields), new byte[1000], 8, sink);
        Assert.Equal(PayloadOutcome.Excessive, result.Outcome);
        Assert.InRange(
            sink.Calls * (long)name.Length,
            500 * PayloadDecoder.CharactersOfAByte,
            PayloadDecoder.FreeCharacters + (1000 * PayloadDecoder.CharactersOfAByte));

        // What real providers have is far from it: small structs in arrays, each with its names.
        FieldDefinition list = new()
        {
            Name = "List",
            InType = FieldInType.Struct,
            Count = FieldSize.Fixed(10_000),
            Members = [Field("AnOrdinaryNameOfAField", FieldInType.UInt8), Field("AnotherOrdinaryName", FieldInType.UInt16)],
        };
        Assert.Equal(PayloadOutcome.Complete, PayloadDecoder.Decode(Schema([list]), new byte[30_000], 8, sink).Outcome);
    }

    [Fact]
    public void Structs_nest_only_so_deep()
    {
        FieldDefinition field = Field("x", FieldInType.UInt8);
        for (int i = 0; i < 1000; i++)
        {
            field = new FieldDefinition { Name = "s", InType = FieldInType.Struct, Members = [field] };
        }

        (string text, PayloadResult result) = Decode("01", [field]);
        Assert.Equal(PayloadOutcome.Undecodable, result.Outcome);
        Assert.Equal(PayloadDecoder.MaximumDepth, text.Count(letter => letter == '{'));
    }

    [Fact]
    public void Numbers_and_text_are_given_without_allocating()
    {
        EventSchema schema = Schema([Field("a", FieldInType.UInt32), Field("b", FieldInType.UnicodeString), Field("c", FieldInType.Guid)]);
        byte[] payload = [1, 2, 3, 4, .. EventBytes.Utf16("text\0"), .. new byte[16]];
        var sink = new CountingSink();
        PayloadDecoder.Decode(schema, payload, 8, sink);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
        {
            PayloadDecoder.Decode(schema, payload, 8, sink);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    [Fact]
    public void No_schema_and_payload_make_decoding_throw()
    {
        Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), ArbMap.Default.ArbFor<byte[]>(), (plan, payload) =>
        {
            int at = 0;
            EventSchema schema = Schema([.. Planned(plan, ref at, depth: 0)]);
            var text = new FieldText();
            PayloadResult result = PayloadDecoder.Decode(schema, payload, payload.Length % 2 == 0 ? 4 : 8, text);
            return text.IsBalanced && result.BytesRead + result.BytesLeft == payload.Length
                && (result.Outcome == PayloadOutcome.Complete) == (result.BytesLeft == 0 && result.Outcome is not
                    (PayloadOutcome.Short or PayloadOutcome.Undecodable or PayloadOutcome.Excessive));
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(2000));
    }

    /// <summary>Any bytes are a plan of fields: three of them make one.</summary>
    private static List<FieldDefinition> Planned(byte[] plan, ref int at, int depth)
    {
        int[] inTypes = [.. Enumerable.Range(0, 26), .. Enumerable.Range(300, 11), 99];
        var fields = new List<FieldDefinition>();
        while (at + 2 < plan.Length)
        {
            (byte type, byte size, byte other) = (plan[at], plan[at + 1], plan[at + 2]);
            at += 3;
            bool isStruct = type % 8 == 7 && depth < 20;
            fields.Add(new FieldDefinition
            {
                Name = "f",
                InType = isStruct ? FieldInType.Struct : (FieldInType)inTypes[type % inTypes.Length],
                OutType = other == 255 ? FieldOutType.NoPrint : (FieldOutType)(other % 40),
                Count = PlannedSize(size % 8),
                Length = PlannedSize(size / 8 % 8),
                Number = other % 70 - 2,
                Members = isStruct ? [.. Planned(plan, ref at, depth + 1)] : [],
            });
            if (other % 5 == 0 && depth > 0)
            {
                break;
            }
        }

        return fields;
    }

    private static FieldSize PlannedSize(int plan) => plan switch
    {
        1 => FieldSize.Fixed(3),
        2 => FieldSize.FromField(1),
        3 => FieldSize.Prefixed,
        4 => FieldSize.Fixed(-1),
        5 => FieldSize.FromField(63),
        6 => FieldSize.Fixed(70_000),
        _ => FieldSize.Natural,
    };

    private static (string Text, PayloadResult Result) Decode(string payload, ImmutableArray<FieldDefinition> fields, int pointerBytes = 8)
    {
        var text = new FieldText();
        PayloadResult result = PayloadDecoder.Decode(Schema(fields), EventBytes.Hex(payload), pointerBytes, text);
        Assert.True(text.IsBalanced);
        return (text.ToString(), result);
    }

    private static FieldDefinition Field(string name, FieldInType inType, FieldOutType outType = FieldOutType.Default) =>
        new() { Name = name, InType = inType, OutType = outType };

    private static EventSchema Schema(ImmutableArray<FieldDefinition> fields) => new()
    {
        ProviderName = "p",
        EventName = "e",
        Source = EventSchemaSource.BuiltIn,
        Fields = fields,
    };

    private sealed class CountingSink : IFieldSink
    {
        public int Calls { get; private set; }

        public void Field(string name, in FieldValue value) => Calls++;

        public void BeginStruct(string name) => Calls++;

        public void EndStruct()
        {
        }

        public void BeginArray(string name)
        {
        }

        public void EndArray()
        {
        }
    }
}
