namespace Tracer.Etl.Tests.Writing;

/// <summary>Records of every kind against bytes typed from ntwmi.h, evntrace.h and evntcons.h.</summary>
public class EventRecordTests
{
    private const string ProviderBytes = "7add4c75 63fc 7356 dad5 1a2bf23c1aa7";
    private static readonly Guid Provider = new("754cdd7a-fc63-5673-dad5-1a2bf23c1aa7");
    private static readonly byte[] Payload = [0xDE, 0xAD, 0xBE, 0xEF, 0x01];

    [Theory]
    [InlineData(4, "10")]
    [InlineData(8, "11")]
    public void A_perfinfo_header_has_a_time_only(int pointerBytes, string kind) => AssertBytes(
        EtlEventHeader.PerfInfo(0x0F44, 3, 0x0102030405060708, pointerBytes) with { ThreadId = 9, Level = 9, Opcode = 9 },
        $"0300 {kind} C0 1500 44 0F 0807060504030201 DEADBEEF01");

    [Fact]
    public void Counters_and_a_pebs_index_are_told_in_the_version_word()
    {
        EtlEventHeader header = EtlEventHeader.PerfInfo(0x0524, 4, 1);
        byte[] counters = new byte[24];
        AssertBytes(header with { CounterCount = 2 }, $"0402 11 C0 2000 2405 0100000000000000 {Zeros(16)}", counters[..16]);
        AssertBytes(header with { HasPebsIndex = true }, $"0480 11 C0 1800 2405 0100000000000000 {Zeros(8)}", counters[..8]);
        EtlEventHeader both = header with { HasPebsIndex = true, CounterCount = 2 };
        AssertBytes(both, $"0482 11 C0 2800 2405 0100000000000000 {Zeros(24)}", counters);
        Assert.Throws<ArgumentException>(() => EventRecord.Measure(header with { CounterCount = 8 }, 100));
        Assert.Throws<ArgumentException>(() => EventRecord.Measure(header with { CounterCount = 2 }, 15));
        Assert.Throws<ArgumentException>(
            () => EventRecord.Measure(EtlEventHeader.Event(Provider, 1, 0, 1, 1, 1) with { CounterCount = 1 }, 16));

        static string Zeros(int bytes) => new('0', 2 * bytes);
    }

    [Theory]
    [InlineData(4, "01")]
    [InlineData(8, "02")]
    public void A_system_header_has_thread_process_time_and_cpu_times(int pointerBytes, string kind) => AssertBytes(
        EtlEventHeader.System(0x030A, 2, 7, processId: 0x11, threadId: 0x22, pointerBytes) with
        {
            KernelTimeClockTicks = 5,
            UserTimeClockTicks = 6,
        },
        $"0200 {kind} C0 2500 0A 03 22000000 11000000 0700000000000000 05000000 06000000 DEADBEEF01");

    [Theory]
    [InlineData(4, "03")]
    [InlineData(8, "04")]
    public void A_compact_header_has_no_cpu_times(int pointerBytes, string kind) => AssertBytes(
        EtlEventHeader.Compact(0x030A, 2, 7, processId: 0x11, threadId: 0x22, pointerBytes) with { KernelTimeClockTicks = 5 },
        $"0200 {kind} C0 1D00 0A 03 22000000 11000000 0700000000000000 DEADBEEF01");

    [Theory]
    [InlineData(4, "0A")]
    [InlineData(8, "14")]
    public void A_full_header_has_a_class(int pointerBytes, string kind) => AssertBytes(
        EtlEventHeader.Full(Provider, 36, 0x0102, 7, processId: 0x11, threadId: 0x22, pointerBytes) with
        {
            Level = 4,
            KernelTimeClockTicks = 5,
            UserTimeClockTicks = 6,
        },
        $"3500 {kind} C0 24 04 0201 22000000 11000000 0700000000000000 {ProviderBytes} 05000000 06000000 DEADBEEF01");

    [Theory]
    [InlineData(4, "0B")]
    [InlineData(8, "15")]
    public void An_instance_header_has_ids_behind_a_full_one(int pointerBytes, string kind) => AssertBytes(
        EtlEventHeader.Instance(Provider, 36, 2, 7, processId: 0x11, threadId: 0x22, pointerBytes) with
        {
            InstanceId = 0x33,
            ParentInstanceId = 0x44,
            ParentClassId = Provider,
        },
        $"4D00 {kind} C0 24 00 0200 22000000 11000000 0700000000000000 {ProviderBytes} 00000000 00000000",
        $"33000000 44000000 {ProviderBytes} DEADBEEF01");

    [Theory]
    [InlineData(4, "12")]
    [InlineData(8, "13")]
    public void An_event_header_has_a_descriptor(int pointerBytes, string kind) => AssertBytes(
        Manifest(pointerBytes),
        $"5500 {kind} C0 0000 0000 22000000 11000000 0700000000000000 {ProviderBytes}",
        "3412 07 0B 04 09 7856 0100000000000080 05000000 06000000",
        "00010203 0405 0607 0809 0A0B0C0D0E0F DEADBEEF01");

    [Fact]
    public void Extended_items_are_padded_and_linked_and_stand_before_the_payload()
    {
        EtlExtendedItem[] items =
        [
            new(EtlExtendedItemKind.EventKey, new byte[] { 1, 2, 3, 4, 5, 6, 7, 8 }),
            new(EtlExtendedItemKind.ProviderTraits, new byte[] { 0x21, 0x22, 0x23 }),
            new((EtlExtendedItemKind)99, ReadOnlyMemory<byte>.Empty),
        ];
        string descriptor = "3412 07 0B 04 09 7856 0100000000000080 05000000 06000000 00010203 0405 0607 0809 0A0B0C0D0E0F";
        byte[] expected = Bytes(
            $"7D00 13 C0 0180 0800 22000000 11000000 0700000000000000 {ProviderBytes}",
            descriptor,
            "1000 0A00 0100 0800 0102030405060708",
            "1000 0C00 0100 0300 212223 0000000000",
            "0800 6300 0000 0000",
            "DEADBEEF01");
        byte[] record = new byte[200];
        record.AsSpan().Fill(0xEE);
        int bytes = EventRecord.Write(record, Manifest(8) with { EventFlags = 0x8000, EventProperty = 8 }, Payload, items);
        Assert.Equal(Convert.ToHexString(expected), Convert.ToHexString(record[..bytes]));
        Assert.Equal(0xEE, record[bytes]);
        AssertBytes(Manifest(8) with { EventFlags = 1 }, $"5500 13 C0 0000 0000 22000000 11000000 0700000000000000 {ProviderBytes}", [
            descriptor, "DEADBEEF01"]);
    }

    [Fact]
    public void A_message_has_the_fields_of_its_flags_in_order()
    {
        EtlEventHeader message = EtlEventHeader.Message(Provider, 10, 7, processId: 0x11, threadId: 0x22) with
        {
            MessageSequence = 0x55,
            ComponentId = 0x66,
        };
        const string Sequence = "55000000";
        const string Component = "66000000";
        const string Time = "0700000000000000";
        const string Thread = "22000000 11000000";
        AssertBytes(message, $"2D00 00 90 0A00 AA00 {ProviderBytes} {Time} {Thread} DEADBEEF01");
        AssertBytes(
            EtlEventHeader.Message(Provider, 10, 7, 0x11, 0x22, pointerBytes: 4),
            $"2D00 00 90 0A00 6A00 {ProviderBytes} {Time} {Thread} DEADBEEF01");
        AssertBytes(message with { MessageFields = (EtlMessageFields)0 }, "0D00 00 90 0A00 0000 DEADBEEF01");
        AssertBytes(
            message with { MessageFields = (EtlMessageFields)0x2B },
            $"3100 00 90 0A00 2B00 {Sequence} {ProviderBytes} {Time} {Thread} DEADBEEF01");
        AssertBytes(
            message with { MessageFields = (EtlMessageFields)0x2F },
            $"2500 00 90 0A00 2F00 {Sequence} {Component} {Time} {Thread} DEADBEEF01");
        AssertBytes(message with { MessageFields = (EtlMessageFields)0x18 }, $"1500 00 90 0A00 1800 {Time} DEADBEEF01");
        AssertBytes(message with { MessageFields = (EtlMessageFields)0x04 }, $"1100 00 90 0A00 0400 {Component} DEADBEEF01");
    }

    [Theory]
    [InlineData(EtlHeaderKind.None)]
    [InlineData(EtlHeaderKind.Timed)]
    [InlineData(EtlHeaderKind.Error)]
    [InlineData(EtlHeaderKind.Wnode)]
    [InlineData((EtlHeaderKind)99)]
    public void A_kind_without_a_known_layout_is_refused(EtlHeaderKind kind) =>
        Assert.Throws<ArgumentException>(() => EventRecord.Measure(new EtlEventHeader { Kind = kind, TimestampTicks = 1 }, 0));

    [Fact]
    public void What_a_record_cannot_hold_is_refused()
    {
        EtlExtendedItem[] items = [new(EtlExtendedItemKind.EventKey, new byte[8])];
        Assert.Throws<ArgumentException>(() => EventRecord.Measure(EtlEventHeader.PerfInfo(1, 1, 1), 0, items));
        Assert.Throws<ArgumentException>(() => EventRecord.Measure(Manifest(8) with { Version = 256 }, 0));
        Assert.Throws<ArgumentException>(() => EventRecord.Measure(EtlEventHeader.PerfInfo(1, 1, 1) with { Version = 256 }, 0));
        Assert.Equal(65_535, EventRecord.Measure(Manifest(8), 65_455));
        Assert.Throws<ArgumentException>(() => EventRecord.Measure(Manifest(8), 65_456));
        items[0] = new(EtlExtendedItemKind.EventKey, new byte[65_440]);
        Assert.Equal(65_535, EventRecord.Measure(Manifest(8), 7, items));
        Assert.Throws<ArgumentException>(() => EventRecord.Measure(Manifest(8), 8, items));
        Assert.Throws<ArgumentException>(() => EventRecord.Write(new byte[20], EtlEventHeader.PerfInfo(1, 1, 1), Payload));
    }

    private static EtlEventHeader Manifest(int pointerBytes) =>
        EtlEventHeader.Event(Provider, 0x1234, 7, 7, processId: 0x11, threadId: 0x22, pointerBytes) with
        {
            Channel = 11,
            Level = 4,
            Opcode = 9,
            Task = 0x5678,
            Keyword = 0x8000000000000001,
            KernelTimeClockTicks = 5,
            UserTimeClockTicks = 6,
            ActivityId = new Guid("03020100-0504-0706-0809-0a0b0c0d0e0f"),
        };

    private static void AssertBytes(in EtlEventHeader header, params IEnumerable<string> hex) => AssertBytes(header, Payload, hex);

    private static void AssertBytes(in EtlEventHeader header, string hex, byte[] payload) => AssertBytes(header, payload, [hex]);

    private static void AssertBytes(in EtlEventHeader header, string hex, string[] more) => AssertBytes(header, Payload, [hex, .. more]);

    private static void AssertBytes(in EtlEventHeader header, byte[] payload, IEnumerable<string> hex)
    {
        byte[] record = new byte[EventRecord.Measure(header, payload.Length)];
        record.AsSpan().Fill(0xEE);
        Assert.Equal(record.Length, EventRecord.Write(record, header, payload));
        Assert.Equal(Convert.ToHexString(Bytes([.. hex])), Convert.ToHexString(record));

        // And the header of the record as read gives the record again.
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent read));
        byte[] again = new byte[record.Length];
        EventRecord.Write(again, EtlEventHeader.Of(read), payload);
        Assert.Equal(record, again);
    }

    private static byte[] Bytes(params string[] hex) =>
        Convert.FromHexString(string.Concat(hex).Replace(" ", "", StringComparison.Ordinal));
}
