using System.Buffers.Binary;
using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>Records of class bbccf6c1: a map is that of a real file, events are typed from TRACE_EVENT_INFO of tdh.h.</summary>
public class EventMetadataTests
{
    // perfview-net.4.5.2.x64.etl: DnsIpTypeMap of Microsoft-Windows-DNS-Client, 116 bytes.
    private static readonly byte[] RealMap =
    [
        .. EventBytes.Hex(
            "6e 12 95 1c ea 7e a9 49 a3 fe a3 78 b0 3d db 4d 28 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00",
            "42 00 00 00 00 00 00 00 52 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00"),
        .. EventBytes.Utf16("DnsIpTypeMap\0static \0dynamic \0"),
    ];

    private static readonly Guid Dns = new("1c95126e-7eea-49a9-a3fe-a378b03ddb4d");

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_event_is_described_with_its_map_before_or_behind_it(bool mapFirst)
    {
        var decoder = new EventDecoder();
        byte[] info = Info(Dns, id: 1001, version: 0, opcode: 0, "Microsoft-Windows-DNS-Client", "DnsServerForInterface", "win:Info", 5,
            new(0, "Interface", 1, 1),
            new(0, "DynamicAddress", 4, 4, Map: "DnsIpTypeMap"),
            new(0, "AddressLength", 8, 8),
            new(0x2, "Address", 14, 25, Length: 2),
            new(0, "Flags", 4, 4, Map: "NeverSeen"));
        Learn(decoder, mapFirst ? [(33, RealMap), (32, info)] : [(32, info), (33, RealMap)]);
        AssertEvent(
            decoder,
            Dns,
            1001,
            [.. EventBytes.Utf16("Eth\0"), .. EventBytes.Hex("01 10 00 00 00 02 00 00 35 0a 00 00 01 00 00 00 00 00 00 00 00 09")],
            "Microsoft-Windows-DNS-Client/DnsServerForInterface",
            "Interface=Eth DynamicAddress=dynamic AddressLength=16 Address=10.0.0.1:53 Flags=9");
        Assert.Equal((1, 1, 0), (decoder.Metadata.Events, decoder.Metadata.Maps, decoder.Metadata.Malformed));
    }

    [Fact]
    public void Structs_arrays_and_lengths_refer_to_properties()
    {
        // As the runtime's BulkType: Values is a struct of the entries from 3 on, as many as entry 0 says; within it an array.
        byte[] info = Info(Dns, id: 15, version: 0, opcode: 10, "P", "Type", "BulkType", 3,
            new(0, "Count", 8, 8),
            new(0, "Id", 6, 6),
            new(0x5, "Values", 3, 3, Count: 0),
            new(0, "Name", 1, 1, Length: 2),
            new(0, "Number", 4, 4),
            new(0x4, "Parameters", 10, 19, Count: 4),
            new(0x20, "Unused", 4, 4));
        var decoder = new EventDecoder();
        Learn(decoder, [(32, info)]);
        AssertEvent(
            decoder,
            Dns,
            15,
            EventBytes.Hex("02 00 00 00 07 00", "61 00 62 00 01 ff 00 00 00 00 00 00 00", "63 00 00 00 00"),
            "P/Type/BulkType",
            "Count=2 Id=7 Values=[{Name=ab Number=1 Parameters=[0xff]} {Name=c Number=0 Parameters=[]}]");
    }

    [Fact]
    public void Fixed_counts_make_arrays()
    {
        byte[] info = Info(Dns, id: 1, version: 0, opcode: 1, "P", "T", "win:Start", 3,
            new(0x20, "One", 4, 4, Count: 1),
            new(0, "Two", 4, 4, Count: 2),
            new(0x10, "Bytes", 14, 15, Length: 2));
        var decoder = new EventDecoder();
        Learn(decoder, [(32, info)]);
        AssertEvent(decoder, Dns, 1, [1, 2, 3, 4, 5], "P/T/Start", "One=[1] Two=[2 3] Bytes=0405");
    }

    [Fact]
    public void The_records_have_names_of_their_own()
    {
        var decoder = new EventDecoder();
        EtlEvent map = EventBytes.Read(EventBytes.Classic(EventMetadata.ClassId, 33, RealMap));
        EtlEvent info = EventBytes.Read(EventBytes.Classic(
            EventMetadata.ClassId, 32, Info(Dns, id: 1001, version: 2, opcode: 3, "P", "T", null, 0)));
        Assert.Equal(("KernelTraceControl/MetaData/EventMapInfo", $"ProviderId={Dns}"), Described(decoder, in map));
        Assert.Equal(
            ("KernelTraceControl/MetaData/EventInfo",
                $"ProviderId={Dns} EventGuid={Guid.Empty} Id=1001 Version=2 Channel=0 Level=0 Opcode=3 Task=0 Keyword=0x0"),
            Described(decoder, in info));
    }

    [Fact]
    public void Other_classic_events_are_unknown()
    {
        var decoder = new EventDecoder();
        EtlEvent other = EventBytes.Read(EventBytes.Classic(Dns, 32, RealMap));
        decoder.Learn(in other);
        Assert.False(decoder.TryDescribe(in other, out _));
        Assert.Equal((0, 0), (decoder.Metadata.Events, decoder.Metadata.Malformed));
    }

    [Fact]
    public void A_record_cut_anywhere_is_counted()
    {
        byte[] info = Info(Dns, id: 1, version: 0, opcode: 0, "P", "T", "O", 2,
            new(0, "A", 4, 4, Map: "M"),
            new(1, "S", 2, 1),
            new(0, "B", 4, 4));
        foreach ((byte opcode, byte[] record) in new[] { ((byte)33, RealMap), ((byte)32, info) })
        {
            var decoder = new EventDecoder();
            for (int length = 0; length < record.Length; length++)
            {
                Learn(decoder, [(opcode, record[..length])]);
            }

            Assert.Equal((0, 0, record.Length), (decoder.Metadata.Events, decoder.Metadata.Maps, decoder.Metadata.Malformed));
            Learn(decoder, [(opcode, record)]);
            Assert.Equal((1, record.Length), (decoder.Metadata.Events + decoder.Metadata.Maps, decoder.Metadata.Malformed));
        }
    }

    [Fact]
    public void A_struct_that_holds_itself_is_refused()
    {
        var decoder = new EventDecoder();
        Learn(decoder, [(32, Info(Dns, id: 1, version: 0, opcode: 0, "P", "T", "O", 1, new Property(1, "S", 0, 1)))]);
        Learn(decoder, [(32, Info(Dns, id: 2, version: 0, opcode: 0, "P", "T", "O", 2, new(1, "S", 0, 2), new(1, "S", 0, 2)))]);
        Assert.Equal((0, 2), (decoder.Metadata.Events, decoder.Metadata.Malformed));
    }

    [Fact]
    public void Texts_that_overlap_do_not_multiply()
    {
        // 4,000 entries whose texts all run to the end of a long one.
        const int Entries = 4000;
        byte[] map = new byte[16 + 16 + (8 * Entries) + 30_000];
        map.AsSpan(16 + 16 + (8 * Entries)).Fill(0x20);
        map.AsSpan(map.Length - 2).Clear();
        BinaryPrimitives.WriteInt32LittleEndian(map.AsSpan(16), map.Length - 16 - 8);
        BinaryPrimitives.WriteInt32LittleEndian(map.AsSpan(16 + 8), Entries);
        for (int i = 0; i < Entries; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(map.AsSpan(16 + 16 + (8 * i)), 16 + (8 * Entries) + (2 * i));
        }

        var decoder = new EventDecoder();
        Learn(decoder, [(33, map)]);
        Assert.Equal((0, 1), (decoder.Metadata.Maps, decoder.Metadata.Malformed));
    }

    [Fact]
    public void Records_take_only_so_much_memory()
    {
        var decoder = new EventDecoder();
        byte[] large = [.. RealMap, .. new byte[60_000]];
        for (int i = 0; i < 1000; i++)
        {
            Learn(decoder, [(33, large)]);
        }

        Assert.Equal(1000 - (EventMetadata.MaximumBytes / large.Length), decoder.Metadata.Refused);
    }

    [Fact]
    public void No_changed_byte_makes_reading_throw() => Prop.ForAll(
        ArbMap.Default.ArbFor<NonNegativeInt>(),
        ArbMap.Default.ArbFor<byte[]>(),
        (place, noise) =>
        {
            byte[] info = Info(Dns, id: 1, version: 0, opcode: 0, "P", "T", "O", 2,
                new(0, "A", 4, 4, Map: "M"),
                new(5, "S", 2, 1),
                new(6, "B", 14, 4));
            foreach ((byte opcode, byte[] record) in new[] { ((byte)33, RealMap), ((byte)32, info) })
            {
                byte[] changed = [.. record];
                int at = place.Get * 7 % changed.Length;
                noise.AsSpan(0, Math.Min(noise.Length, changed.Length - at)).CopyTo(changed.AsSpan(at));
                var decoder = new EventDecoder();
                Learn(decoder, [(opcode, changed)]);
                EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(Dns, 1, noise));
                decoder.WriteFields(in traceEvent, new FieldText());
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(2000));

    private static void AssertEvent(EventDecoder decoder, Guid provider, ushort id, byte[] payload, string name, string fields)
    {
        EtlEvent traceEvent = EventBytes.Read(EventBytes.Event(provider, id, payload));
        Assert.Equal((name, fields), Described(decoder, in traceEvent));
    }

    private static (string Name, string Fields) Described(EventDecoder decoder, in EtlEvent traceEvent)
    {
        Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? schema));
        var text = new FieldText();
        Assert.Equal(PayloadOutcome.Complete, decoder.WriteFields(in traceEvent, text).Outcome);
        return (schema!.FullName, text.ToString());
    }

    private static void Learn(EventDecoder decoder, (byte Opcode, byte[] Payload)[] records)
    {
        foreach ((byte opcode, byte[] payload) in records)
        {
            EtlEvent traceEvent = EventBytes.Read(EventBytes.Classic(EventMetadata.ClassId, opcode, payload));
            decoder.Learn(in traceEvent);
        }
    }

    /// <summary>A TRACE_EVENT_INFO blob: head, properties, texts.</summary>
    private static byte[] Info(
        Guid provider,
        ushort id,
        byte version,
        byte opcode,
        string providerName,
        string task,
        string? opcodeName,
        int topLevel,
        params Property[] properties)
    {
        byte[] blob = new byte[112 + (24 * properties.Length)];
        var texts = new List<byte>();
        provider.TryWriteBytes(blob);
        Put16(0x20, id);
        blob[0x22] = version;
        blob[0x25] = opcode;
        Put32(0x34, Text(providerName));
        Put32(0x44, Text(task));
        Put32(0x48, Text(opcodeName));
        Put32(0x64, properties.Length);
        Put32(0x68, topLevel);
        for (int i = 0; i < properties.Length; i++)
        {
            int at = 112 + (24 * i);
            Put32(at, properties[i].Flags);
            Put32(at + 4, Text(properties[i].Name));
            Put16(at + 8, properties[i].InType);
            Put16(at + 10, properties[i].OutType);
            Put32(at + 12, Text(properties[i].Map));
            Put16(at + 16, properties[i].Count);
            Put16(at + 18, properties[i].Length);
        }

        return [.. blob, .. texts];

        int Text(string? text)
        {
            int offset = text is null ? 0 : blob.Length + texts.Count;
            texts.AddRange(text is null ? [] : EventBytes.Utf16(text + "\0"));
            return offset;
        }

        void Put16(int offset, int value) => BinaryPrimitives.WriteUInt16LittleEndian(blob.AsSpan(offset), (ushort)value);

        void Put32(int offset, int value) => BinaryPrimitives.WriteInt32LittleEndian(blob.AsSpan(offset), value);
    }

    private sealed record Property(int Flags, string Name, int InType, int OutType, int Count = 1, int Length = 0, string? Map = null);
}
