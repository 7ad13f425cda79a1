using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests;

/// <summary>Bytes are typed from the format reference or taken from real files printed there, never from a writer of ours.</summary>
public class EtlEventTests
{
    private const string Provider = "7a dd 4c 75 63 fc 73 56 da d5 1a 2b f2 3c 1a a7";
    private static readonly Guid ProviderGuid = new("754cdd7a-fc63-5673-dad5-1a2bf23c1aa7");

    [Fact]
    public void A_real_perfinfo_header_is_read()
    {
        // The header of a Process DCStart event of a real file; its payload stands here as zeros.
        byte[] bytes = Bytes("04 00 11 C0 90 00 03 03 58 1A 75 34 03 00 00 00", zeros: 0x80);
        Assert.True(EtlEvent.TryRead(bytes, cpu: 5, bufferOffset: 0x10000, out EtlEvent process));
        Assert.Equal((EtlHeaderKind.PerfInfo64, 4, 0x0303), (process.Kind, process.Version, process.HookId));
        Assert.Equal((KernelGroup.Process, 3, 8), (process.Group, process.Opcode, process.PointerBytes));
        Assert.Equal(0x334751A58, process.TimestampTicks);
        Assert.Equal((5, 0x10000), (process.Cpu, process.BufferOffset));
        Assert.Equal(0x80, process.Payload.Length);
        Assert.Equal((EtlEvent.NotInHeader, EtlEvent.NotInHeader), (process.ThreadId, process.ProcessId));
        Assert.Equal(new Guid("3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c"), process.ProviderId);
        Assert.True(process.Counters.IsEmpty);
    }

    [Fact]
    public void Counters_before_the_payload_are_told_apart_from_it()
    {
        // The first bytes of a context switch with two counters, from the unit tests of snail-server.
        byte[] bytes = Bytes("04 02 11 C0 38 00 24 05 01 00 00 00 00 00 00 00 aa 00 00 00 00 00 00 00 bb 00 00 00 00 00 00 00", zeros: 24);
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent contextSwitch));
        Assert.Equal((0x0524, 4, 24), (contextSwitch.HookId, contextSwitch.Version, contextSwitch.Payload.Length));
        Assert.Equal("AA00000000000000BB00000000000000", Convert.ToHexString(contextSwitch.Counters));
    }

    [Fact]
    public void A_pebs_index_counts_as_one_more()
    {
        byte[] bytes = Bytes("02 81 11 C0 24 00 2E 0F 01 00 00 00 00 00 00 00", zeros: 20);
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent sample));
        Assert.Equal((2, 16, 4), (sample.Version, sample.Counters.Length, sample.Payload.Length));
    }

    [Theory]
    [InlineData(1, EtlHeaderKind.System32, 4)]
    [InlineData(2, EtlHeaderKind.System64, 8)]
    public void A_system_header_is_read(byte kind, EtlHeaderKind expected, int pointerBytes)
    {
        byte[] bytes = Bytes(
            $"02 00 {kind:x2} C0 24 00 0A 03 78 56 34 12 21 43 65 07",
            "08 07 06 05 04 03 02 01 05 00 00 00 06 00 00 00",
            "de ad be ef");
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent image));
        Assert.Equal((expected, pointerBytes, 0x030A), (image.Kind, image.PointerBytes, image.HookId));
        Assert.Equal((0x12345678u, 0x07654321u), (image.ThreadId, image.ProcessId));
        Assert.Equal(0x0102030405060708, image.TimestampTicks);
        Assert.Equal((5u, 6u), (image.KernelTimeClockTicks, image.UserTimeClockTicks));
        Assert.Equal("DEADBEEF", Convert.ToHexString(image.Payload));
    }

    [Theory]
    [InlineData(3, 4)]
    [InlineData(4, 8)]
    public void A_compact_header_is_a_system_header_without_cpu_times(byte kind, int pointerBytes)
    {
        byte[] bytes = Bytes($"02 00 {kind:x2} C0 1C 00 0A 03 01 00 00 00 02 00 00 00", "03 00 00 00 00 00 00 00", "de ad be ef");
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent compact));
        Assert.Equal((1u, 2u, 3L, pointerBytes), (compact.ThreadId, compact.ProcessId, compact.TimestampTicks, compact.PointerBytes));
        Assert.Equal((0u, 0u), (compact.KernelTimeClockTicks, compact.UserTimeClockTicks));
        Assert.Equal("DEADBEEF", Convert.ToHexString(compact.Payload));
    }

    [Theory]
    [InlineData(10, 4)]
    [InlineData(20, 8)]
    public void A_full_header_is_read(byte kind, int pointerBytes)
    {
        byte[] bytes = Bytes(
            $"34 00 {kind:x2} C0 24 04 02 00 01 00 00 00 02 00 00 00",
            "03 00 00 00 00 00 00 00",
            Provider,
            "05 00 00 00 06 00 00 00",
            "de ad be ef");
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent imageId));
        Assert.Equal((36, 4, 2, pointerBytes), (imageId.Opcode, imageId.Level, imageId.Version, imageId.PointerBytes));
        Assert.Equal((1u, 2u, 3L, ProviderGuid), (imageId.ThreadId, imageId.ProcessId, imageId.TimestampTicks, imageId.ProviderId));
        Assert.Equal((5u, 6u), (imageId.KernelTimeClockTicks, imageId.UserTimeClockTicks));
        Assert.Equal((KernelGroup.None, 0xFFFF, false), (imageId.Group, imageId.HookId, imageId.IsKernelHook));
        Assert.Equal("DEADBEEF", Convert.ToHexString(imageId.Payload));
    }

    [Theory]
    [InlineData(11, 4)]
    [InlineData(21, 8)]
    public void An_instance_header_is_a_full_header_with_ids_behind(byte kind, int pointerBytes)
    {
        byte[] bytes = Bytes(
            $"4C 00 {kind:x2} C0 24 04 02 00 01 00 00 00 02 00 00 00",
            "03 00 00 00 00 00 00 00",
            Provider,
            "05 00 00 00 06 00 00 00 07 00 00 00 08 00 00 00",
            Provider,
            "de ad be ef");
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent instance));
        Assert.Equal((36, 4, 2, pointerBytes), (instance.Opcode, instance.Level, instance.Version, instance.PointerBytes));
        Assert.Equal("DEADBEEF", Convert.ToHexString(instance.Payload));
    }

    [Theory]
    [InlineData(18, 4)]
    [InlineData(19, 8)]
    public void An_event_header_is_read(byte kind, int pointerBytes)
    {
        byte[] bytes = EventHeader(kind, flags: 0, extended: "", payload: "de ad be ef");
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent manifest));
        Assert.Equal((0x1234, 7, 11, 4, 9), (manifest.Id, manifest.Version, manifest.Channel, manifest.Level, manifest.Opcode));
        Assert.Equal((0x5678, 0x8000000000000001, pointerBytes), (manifest.Task, manifest.Keyword, manifest.PointerBytes));
        Assert.Equal((1u, 2u, 3L, ProviderGuid), (manifest.ThreadId, manifest.ProcessId, manifest.TimestampTicks, manifest.ProviderId));
        Assert.Equal(new Guid("00000001-0000-0000-0000-000000000002"), manifest.ActivityId);
        Assert.Equal((5u, 6u), (manifest.KernelTimeClockTicks, manifest.UserTimeClockTicks));
        Assert.Equal("DEADBEEF", Convert.ToHexString(manifest.Payload));
        Assert.False(manifest.ExtendedItems.MoveNext());
    }

    [Fact]
    public void Extended_items_stand_before_the_payload()
    {
        // An activity id (16 bytes, so 24 with its header) and 3 bytes of traits (11 with its header, padded to 16).
        const string Activity = $"18 00 01 00 01 00 10 00 {Provider}";
        const string Traits = "10 00 0C 00 00 00 03 00 03 00 58 00 00 00 00 00";
        byte[] bytes = EventHeader(19, flags: 1, extended: Activity + Traits, payload: "de ad be ef");
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent traceLogging));
        Assert.Equal("DEADBEEF", Convert.ToHexString(traceLogging.Payload));
        var items = new List<(EtlExtendedItemKind, string)>();
        foreach (EtlExtendedItemEnumerator item in traceLogging.ExtendedItems)
        {
            items.Add((item.Kind, Convert.ToHexString(item.Data)));
        }

        Assert.Equal(
            [
                (EtlExtendedItemKind.RelatedActivityId, Convert.ToHexString(ProviderGuid.ToByteArray())),
                (EtlExtendedItemKind.ProviderTraits, "030058"),
            ],
            items);
    }

    [Theory]
    [InlineData("")] // Announced, but nothing there.
    [InlineData("07 00 01 00 00 00 00 00")] // Shorter than its own header.
    [InlineData("08 00 01 00 00 00 01 00")] // Data longer than the item.
    [InlineData("ff ff 01 00 00 00 00 00")] // Longer than the record.
    [InlineData("08 00 01 00 01 00 00 00")] // Another follows, but none does.
    [InlineData("00 00 01 00 01 00 00 00")] // No length at all: must not be walked for ever.
    public void Damaged_extended_items_make_the_record_unreadable(string items) =>
        Assert.False(EtlEvent.TryRead(EventHeader(19, flags: 1, items, payload: ""), 0, 0, out _));

    [Fact]
    public void A_message_is_read_with_the_fields_that_its_flags_announce()
    {
        // Sequence, GUID, time stamp (not 8-aligned here), thread and process id, 64-bit pointers.
        byte[] bytes = Bytes(
            "30 00 00 90 0B 00 AB 00 01 00 00 00", Provider, "03 00 00 00 00 00 00 00", "01 00 00 00 02 00 00 00", "de ad be ef");
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent message));
        Assert.Equal((EtlHeaderKind.Message, 11, 3L, 8), (message.Kind, message.Id, message.TimestampTicks, message.PointerBytes));
        Assert.Equal((1u, 2u, ProviderGuid), (message.ThreadId, message.ProcessId, message.ProviderId));
        Assert.Equal("DEADBEEF", Convert.ToHexString(message.Payload));
    }

    [Fact]
    public void A_message_without_time_or_guid_says_so()
    {
        // Component id wins over the GUID flag.
        byte[] bytes = Bytes("10 00 00 90 0B 00 06 00", "07 00 00 00", "de ad be ef");
        Assert.True(EtlEvent.TryRead(bytes, 0, 0, out EtlEvent message));
        Assert.Equal((0L, Guid.Empty, EtlEvent.NotInHeader), (message.TimestampTicks, message.ProviderId, message.ThreadId));
        Assert.Equal("DEADBEEF", Convert.ToHexString(message.Payload));
    }

    [Theory]
    [InlineData("ff ff ff ff ff ff ff ff")] // Filler.
    [InlineData("00 00 00 00 00 00 00 00")] // Unwritten.
    [InlineData("04 00 05 C0 10 00 03 03")] // No such kind.
    [InlineData("10 00 01 90 00 00 00 00")] // A message with a kind.
    [InlineData("04 00 11 D0 10 00 03 03")] // No such marker.
    [InlineData("50 00 0C C0 00 00 00 00")] // TIMED: layout unknown.
    [InlineData("50 00 0D C0 00 00 00 00")] // ERROR: layout unknown.
    [InlineData("50 00 0E C0 00 00 00 00")] // WNODE: layout unknown.
    public void What_is_no_event_is_refused(string start) => Assert.False(EtlEvent.TryRead(Bytes(start, zeros: 0x100), 0, 0, out _));

    [Fact]
    public void A_record_cut_anywhere_is_refused()
    {
        byte[][] records =
        [
            Bytes("04 02 11 C0 38 00 24 05", zeros: 48),
            EventHeader(19, flags: 1, extended: $"18 00 01 00 00 00 10 00 {Provider}", payload: "de ad be ef"),
            Bytes("30 00 00 90 0B 00 AB 00", zeros: 40),
        ];
        foreach (byte[] record in records)
        {
            Assert.True(EtlEvent.TryRead(record, 0, 0, out _));
            for (int length = 0; length < record.Length; length++)
            {
                Assert.False(EtlEvent.TryRead(record.AsSpan(0, length), 0, 0, out _));
            }
        }
    }

    [Fact]
    public void A_size_too_small_for_the_header_is_refused()
    {
        Assert.False(EtlEvent.TryRead(Bytes("04 00 11 C0 0F 00 03 03", zeros: 0x80), 0, 0, out _));
        Assert.False(EtlEvent.TryRead(Bytes("04 07 11 C0 47 00 24 05", zeros: 0x80), 0, 0, out _)); // Seven counters need 72 bytes.
        Assert.False(EtlEvent.TryRead(Bytes("07 00 00 90 0B 00 00 00", zeros: 0x80), 0, 0, out _));
        Assert.False(EtlEvent.TryRead(Bytes("0F 00 00 90 0B 00 08 00", zeros: 0x80), 0, 0, out _)); // The time stamp needs 16.
    }

    [Fact]
    public void No_bytes_make_reading_throw()
    {
        byte[] kinds = [1, 2, 3, 4, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21];
        Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), ArbMap.Default.ArbFor<byte>(), (random, pick) =>
        {
            // Random bytes seldom look like a header: give them the start of one.
            byte[] bytes = [.. random, .. new byte[128]];
            bytes[3] = pick % 16 == 15 ? (byte)0x90 : (byte)0xC0;
            bytes[2] = pick % 16 == 15 ? (byte)0 : kinds[pick % 16];
            if (EtlEvent.TryRead(bytes, 0, 0, out EtlEvent read))
            {
                Touch(in read);
            }
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void Reading_allocates_nothing()
    {
        byte[] bytes = EventHeader(19, flags: 1, extended: $"18 00 01 00 00 00 10 00 {Provider}", payload: "de ad be ef");
        Assert.True(ReadOften(bytes, 100)); // Compiled before it is measured.
        long least = long.MaxValue;
        for (int i = 0; i < 3; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            Assert.True(ReadOften(bytes, 100_000));
            // Once in a while the runtime takes some for itself, where other programs keep the machine busy.
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, least);
    }

    private static bool ReadOften(byte[] bytes, int times)
    {
        bool read = true;
        for (int i = 0; i < times; i++)
        {
            read &= EtlEvent.TryRead(bytes, i, i, out EtlEvent value);
            Touch(in value);
        }

        return read;
    }

    private static long Touch(in EtlEvent read)
    {
        long sum = read.HookId + read.Opcode + read.Version + read.ThreadId + read.ProcessId + read.Id + read.Level + read.Channel
            + read.Task + (long)read.Keyword + read.KernelTimeClockTicks + read.UserTimeClockTicks + read.PointerBytes
            + read.Payload.Length + read.Counters.Length + read.ProviderId.GetHashCode() + read.ActivityId.GetHashCode();
        foreach (EtlExtendedItemEnumerator item in read.ExtendedItems)
        {
            sum += (int)item.Kind + item.Data.Length;
        }

        return sum;
    }

    private static byte[] EventHeader(byte kind, byte flags, string extended, string payload)
    {
        byte[] body = Bytes(extended, payload);
        return
        [
            .. Bytes($"{80 + body.Length:x2} 00 {kind:x2} C0 {flags:x2} 00 00 00 01 00 00 00 02 00 00 00"),
            .. Bytes("03 00 00 00 00 00 00 00", Provider),
            .. Bytes("34 12 07 0B 04 09 78 56", "01 00 00 00 00 00 00 80", "05 00 00 00 06 00 00 00"),
            .. Bytes("01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02"),
            .. body,
        ];
    }

    private static byte[] Bytes(params string[] hex) => Bytes(string.Concat(hex), zeros: 0);

    private static byte[] Bytes(string hex, int zeros) => [.. Convert.FromHexString(hex.Replace(" ", "")), .. new byte[zeros]];
}
