using System.Text;

namespace Tracer.Etl.Tests.Writing;

/// <summary>Traits, schemas and payloads of TraceLogging events against bytes typed from TraceLoggingProvider.h.</summary>
public class TraceLoggingTests
{
    private static readonly TraceLoggingProvider Provider = new("Tracer.Latency");

    [Fact]
    public void A_provider_has_its_name_and_the_id_of_its_name()
    {
        Assert.Equal(new Guid("756a3088-fc63-5673-dad5-1a2bf23c1aa7"), Provider.Id);
        AssertItem(EtlExtendedItemKind.ProviderTraits, [.. "\u0011\0Tracer.Latency\0"u8], Provider.Traits);
    }

    [Fact]
    public void A_group_is_a_trait_of_type_1()
    {
        var provider = new TraceLoggingProvider("P", Guid.Empty, new Guid("03020100-0504-0706-0809-0a0b0c0d0e0f"));
        Assert.Equal(Guid.Empty, provider.Id);
        byte[] expected = [0x17, 0, (byte)'P', 0, 19, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        AssertItem(EtlExtendedItemKind.ProviderTraits, expected, provider.Traits);
        Assert.Throws<ArgumentException>(() => new TraceLoggingProvider("a\0b"));
        Assert.Throws<ArgumentException>(() => new TraceLoggingProvider(new string('x', 65_533)));
    }

    [Fact]
    public void A_schema_names_the_event_and_its_fields()
    {
        var schema = new TraceLoggingEventSchema(
            Provider,
            "Ev\u00e9",
            [
                new("a", TraceLoggingInType.UInt32),
                new("b", TraceLoggingInType.HexInt64, TraceLoggingOutType.CodePointer),
                new TraceLoggingField("c", TraceLoggingInType.UInt8).AsArray(),
                new TraceLoggingField("d", TraceLoggingInType.UInt16, TraceLoggingOutType.String).AsArray(0x0102),
                new("e", TraceLoggingInType.Binary) { Count = TraceLoggingCount.Custom, CustomType = new byte[] { 7, 8, 9 } },
            ]);
        Assert.Equal(("Ev\u00e9", Provider), (schema.Name, schema.Provider));
        Assert.Equal(2, schema.Items.Length);
        Assert.Equal(Provider.Traits, schema.Items[0]);
        AssertSchema("00 4576C3A9 00  6100 08  6200 95 25  6300 44  6400 A6 02 0201  6500 6E 0300 070809", schema);
    }

    [Fact]
    public void A_struct_counts_its_members_and_may_be_in_an_array_and_in_another_struct()
    {
        TraceLoggingField inner = TraceLoggingField.Struct("i", new("x", TraceLoggingInType.Int8), new("y", TraceLoggingInType.Guid));
        TraceLoggingField outer = TraceLoggingField.Struct("o", inner.AsArray(), new("z", TraceLoggingInType.Float)).AsArray(3);
        var schema = new TraceLoggingEventSchema(Provider, "E", [outer, new("t", TraceLoggingInType.FileTime)]);
        AssertSchema("00 4500  6F00 B8 02 0300  6900 D8 02  7800 03  7900 0F  7A00 0B  7400 11", schema);
    }

    [Theory]
    [InlineData(0x0000001u, "80 80 80 01")]
    [InlineData(0x0200000u, "01")]
    [InlineData(0x0204000u, "81 01")]
    [InlineData(0x0FFFFFFFu, "FF FF FF 7F")]
    [InlineData(0x00000080u, "80 80 01")]
    public void Tags_are_groups_of_seven_bits_the_highest_first(uint tag, string bytes)
    {
        var field = new TraceLoggingField("f", TraceLoggingInType.Int32, TraceLoggingOutType.Hex) { Tag = tag };
        AssertSchema($"{bytes} 4500  6600 87 84 {bytes}", new TraceLoggingEventSchema(Provider, "E", [field], tag));
        AssertSchema($"00 4500  6600 87 80 {bytes}", new(Provider, "E", [field with { OutType = TraceLoggingOutType.Default }]));
    }

    [Fact]
    public void What_a_schema_cannot_say_is_refused()
    {
        var number = new TraceLoggingField("n", TraceLoggingInType.Int32);
        AssertRefused(number with { Name = "a\0b" });
        AssertRefused(number with { Tag = 1u << 28 });
        AssertRefused(number.AsArray(0));
        AssertRefused(number with { FixedCount = 2 });
        AssertRefused(number with { Members = [number] });
        AssertRefused(number with { InType = (TraceLoggingInType)0x20 });
        AssertRefused(number with { OutType = (TraceLoggingOutType)0x80 });
        AssertRefused(number with { Count = (TraceLoggingCount)1 });
        AssertRefused(number with { CustomType = new byte[1] });
        AssertRefused(number with { CustomType = new byte[65_536], Count = TraceLoggingCount.Custom });
        AssertRefused(TraceLoggingField.Struct("s"));
        AssertRefused(TraceLoggingField.Struct("s", number) with { OutType = TraceLoggingOutType.Hex });
        AssertRefused(TraceLoggingField.Struct("s", [.. Enumerable.Repeat(number, 128)]));
        AssertRefused(number with { Name = new string('x', 65_536) });
        Assert.Throws<ArgumentException>(() => new TraceLoggingEventSchema(Provider, "a\0", []));
        Assert.NotNull(new TraceLoggingEventSchema(Provider, "E", [TraceLoggingField.Struct("s", [.. Enumerable.Repeat(number, 127)])]));

        static void AssertRefused(TraceLoggingField field) =>
            Assert.Throws<ArgumentException>(() => new TraceLoggingEventSchema(Provider, "E", [field]));
    }

    [Fact]
    public void A_header_is_that_of_a_self_describing_event()
    {
        EtlEventHeader header = new TraceLoggingEventSchema(Provider, "E", []).Header(7, processId: 1, threadId: 2, pointerBytes: 4);
        Assert.Equal((EtlHeaderKind.EventHeader32, 7L, Provider.Id), (header.Kind, header.TimestampTicks, header.ProviderId));
        Assert.Equal((11, 5, 0, 0ul), (header.Channel, header.Level, header.Id, header.Keyword));
        Assert.Equal((1u, 2u), (header.ProcessId, header.ThreadId));
    }

    [Fact]
    public void Values_stand_one_behind_the_other()
    {
        var payload = new TraceLoggingPayload(stackalloc byte[200]);
        payload.UInt8(0xFE);
        payload.Int8(-1);
        payload.UInt16(0x0102);
        payload.Int16(-2);
        payload.UInt32(0x03040506);
        payload.Int32(-3);
        payload.UInt64(0x0708090A0B0C0D0E);
        payload.Int64(-4);
        payload.Float(1);
        payload.Double(-2);
        payload.Bool32(true);
        payload.Guid(new Guid("03020100-0504-0706-0809-0a0b0c0d0e0f"));
        payload.SystemTime(new EtlSystemTime(2026, 7, 4, 2, 3, 4, 5, 6));
        payload.UnicodeString("h\u00e9");
        payload.AnsiString("hi"u8);
        payload.CountedString("xy");
        payload.CountedBytes("abc"u8);
        payload.UInt8Array([1, 2]);
        payload.UInt64Array([1, 0xFFFFFFFFFFFFFFFF]);
        payload.ArrayCount(1);
        payload.Raw([0x77]);
        const string Expected =
            "FE FF 0201 FEFF 06050403 FDFFFFFF 0E0D0C0B0A090807 FCFFFFFFFFFFFFFF 0000803F 00000000000000C0 01000000"
            + "000102030405060708090A0B0C0D0E0F EA07 0700 0400 0200 0300 0400 0500 0600 6800E9000000 686900 0400 78007900 0300 616263"
            + "0200 0102 0200 0100000000000000 FFFFFFFFFFFFFFFF 0100 77";
        Assert.Equal(Expected.Replace(" ", "", StringComparison.Ordinal), Convert.ToHexString(payload.Bytes));
    }

    [Fact]
    public void Memory_that_is_full_and_text_that_would_end_early_are_refused()
    {
        Assert.Throws<ArgumentException>(() => new TraceLoggingPayload(new byte[7]).UInt64(1));
        Assert.Throws<ArgumentException>(() => new TraceLoggingPayload(new byte[7]).UnicodeString("abc"));
        Assert.Throws<ArgumentException>(() => new TraceLoggingPayload(new byte[99]).UnicodeString("a\0c"));
        Assert.Throws<ArgumentException>(() => new TraceLoggingPayload(new byte[99]).AnsiString("a\0c"u8));
        Assert.Throws<ArgumentException>(() => new TraceLoggingPayload(new byte[70_000]).CountedBytes(new byte[65_536]));
        Assert.Throws<ArgumentException>(() => new TraceLoggingPayload(new byte[99]).ArrayCount(-1));
    }

    /// <summary>
    /// Every schema without a tag is made again from its parts, which shows that the writer puts them as Windows does. Some of the others
    /// have a tag of 0 in two bytes (80 00) where one would do.
    /// </summary>
    [Theory]
    [InlineData("perfview-primitive-types.etl")]
    [InlineData("perfview-SelfDescribingSingleEvent.etl")]
    [InlineData("ebpf-for-windows-tracelogging.etl")]
    [InlineData("airbus-AMSITrace.etl")]
    public void Schemas_of_real_files_are_made_again_from_their_parts(string file)
    {
        byte[] bytes = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file));
        int schemas = 0;
        foreach (StoredEvent stored in StoredFile.Buffers(bytes).Where(buffer => buffer.Type == 0).SelectMany(buffer => buffer.Events()))
        {
            Assert.True(EtlEvent.TryRead(stored.Record, 0, 0, out EtlEvent read));
            TraceLoggingProvider? provider = null;
            foreach (EtlExtendedItemEnumerator item in read.ExtendedItems)
            {
                if (item.Kind == EtlExtendedItemKind.ProviderTraits)
                {
                    provider = ParsedProvider(item.Data, read.ProviderId);
                    AssertItem(item.Kind, item.Data.ToArray(), provider.Traits);
                }
                else if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema && item.Data[2] == 0)
                {
                    AssertItem(item.Kind, item.Data.ToArray(), Parsed(provider ?? Provider, item.Data).Items[1]);
                    schemas++;
                }
            }
        }

        Assert.True(schemas > 0);
    }

    private static TraceLoggingProvider ParsedProvider(ReadOnlySpan<byte> traits, Guid id)
    {
        int at = 2;
        string name = Text(traits, ref at);
        return new TraceLoggingProvider(name, id, traits.Length - at == 19 ? new Guid(traits[(at + 3)..]) : null);
    }

    private static TraceLoggingEventSchema Parsed(TraceLoggingProvider provider, ReadOnlySpan<byte> schema)
    {
        int at = 3;
        string name = Text(schema, ref at);
        List<TraceLoggingField> fields = [];
        while (at < schema.Length)
        {
            fields.Add(ParsedField(schema, ref at));
        }

        return new TraceLoggingEventSchema(provider, name, fields);
    }

    private static TraceLoggingField ParsedField(ReadOnlySpan<byte> schema, ref int at)
    {
        string name = Text(schema, ref at);
        int inByte = schema[at++];
        int outByte = (inByte & 0x80) != 0 ? schema[at++] : 0;
        Assert.Equal(0, outByte & 0x80);
        var count = (TraceLoggingCount)(inByte & 0x60);
        var inType = (TraceLoggingInType)(inByte & 0x1F);
        ushort fixedCount = count == TraceLoggingCount.Fixed ? (ushort)(schema[at++] | (schema[at++] << 8)) : (ushort)0;
        var field = new TraceLoggingField(name, inType) { Count = count, FixedCount = fixedCount };
        if (inType != TraceLoggingInType.Struct)
        {
            return field with { OutType = (TraceLoggingOutType)outByte };
        }

        List<TraceLoggingField> members = [];
        for (int i = 0; i < outByte; i++)
        {
            members.Add(ParsedField(schema, ref at));
        }

        return field with { Members = members };
    }

    private static string Text(ReadOnlySpan<byte> bytes, ref int at)
    {
        int length = bytes[at..].IndexOf((byte)0);
        string text = Encoding.UTF8.GetString(bytes.Slice(at, length));
        at += length + 1;
        return text;
    }

    private static void AssertSchema(string hex, TraceLoggingEventSchema schema)
    {
        byte[] fields = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        AssertItem(EtlExtendedItemKind.TraceLoggingSchema, [(byte)(fields.Length + 2), 0, .. fields], schema.Items[1]);
    }

    private static void AssertItem(EtlExtendedItemKind kind, byte[] data, in EtlExtendedItem item)
    {
        Assert.Equal(kind, item.Kind);
        Assert.Equal(Convert.ToHexString(data), Convert.ToHexString(item.Data.Span));
    }
}
