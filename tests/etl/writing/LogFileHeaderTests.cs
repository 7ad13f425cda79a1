using System.Buffers.Binary;
using System.Text;

namespace Tracer.Etl.Tests.Writing;

/// <summary>The payload of the header event against bytes typed from TRACE_LOGFILE_HEADER of evntrace.h, and against real files.</summary>
public class LogFileHeaderTests
{
    private static readonly EtlTimeZone Zone = new(
        -60, "@tzres.dll,-322", new(0, 10, 0, 5, 3, 0, 0, 0), 0, "@tzres.dll,-321", new(0, 3, 0, 5, 2, 0, 0, 1), -60);

    public static TheoryData<string> Files() => [.. RepositoryFiles.InCorpus("*.etl")];

    [Theory]
    [InlineData(8)]
    [InlineData(4)]
    public void Every_field_stands_where_the_format_says(int pointerBytes)
    {
        int shift = 2 * (pointerBytes - 4);
        byte[] expected = new byte[0x110 + shift];
        Put("00 00 01 00  06 03 02 00  80 25 00 00  0C 00 00 00  08 07 06 05 04 03 D2 01", 0);
        Put("5A 62 02 00  64 00 00 00  01 20 01 00  09 00 00 00  03 00 00 00", 0x18);
        Put(pointerBytes == 8 ? "08 00 00 00" : "04 00 00 00", 0x2C);
        Put("29 00 00 00  7B 0C 00 00  05 00 00 00", 0x30);
        Put("06 00 00 00", pointerBytes == 8 ? 0x40 : 0x3C);
        Put("C4 FF FF FF", 0x40 + shift);
        Encoding.Unicode.GetBytes("@tzres.dll,-322").CopyTo(expected, 0x44 + shift);
        Put("00 00 0A 00 00 00 05 00 03 00 00 00 00 00 00 00  00 00 00 00", 0x84 + shift);
        Encoding.Unicode.GetBytes("@tzres.dll,-321").CopyTo(expected, 0x98 + shift);
        Put("00 00 03 00 00 00 05 00 02 00 00 00 00 00 01 00  C4 FF FF FF", 0xD8 + shift);
        Put("01 00 00 00 00 00 D2 01  80 96 98 00 00 00 00 00  08 07 06 05 04 03 D0 01  01 00 00 00  07 00 00 00", 0xF0 + shift);
        expected = [.. expected, .. Encoding.Unicode.GetBytes("Session\0c:\\a.etl\0")];

        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, headerTicks: 77, startFileTime: 0x01D0030405060708),
            ProcessorCount = 12,
            OsMajor = 6,
            OsMinor = 3,
            LayoutMajor = 2,
            LayoutMinor = 0,
            OsBuild = 9600,
            EndFileTime = 0x01D2030405060708,
            TimerResolution100ns = 0x2625A,
            MaximumFileSize = 100,
            Mode = EtlLogFileMode.Sequential | EtlLogFileMode.Relog | EtlLogFileMode.SizeInKb,
            BuffersWritten = 9,
            StartBuffers = 3,
            PointerBytes = pointerBytes,
            EventsLost = 41,
            BuffersLost = 7,
            CpuMhz = 3195,
            InterruptTimerSource = 5,
            CounterTimerSource = 6,
            TimeZone = Zone,
            BootFileTime = 0x01D2000000000001,
            SessionName = "Session",
            FileName = @"c:\a.etl",
        };
        byte[] payload = new byte[LogFileHeaderEvent.PayloadBytes(header, pointerBytes)];
        LogFileHeaderEvent.WritePayload(header, pointerBytes, payload);
        Assert.Equal(Convert.ToHexString(expected), Convert.ToHexString(payload));
        Assert.True(LogFileHeaderEvent.TryParse(Event(payload, pointerBytes, ticks: 77), out EtlFileHeader? parsed));
        Assert.Equal(header, parsed);
        Assert.True(parsed.IsClockRateKnown);

        void Put(string hex, int at) => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal)).CopyTo(expected, at);
    }

    [Theory]
    [MemberData(nameof(Files))]
    public void The_header_of_a_real_file_is_written_again_as_it_was(string file)
    {
        byte[] bytes = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file));
        Assert.True(EtlEvent.TryRead(bytes.AsSpan(72), 0, 0, out EtlEvent first));
        Assert.True(LogFileHeaderEvent.TryParse(first, out EtlFileHeader? header));
        byte[] again = new byte[LogFileHeaderEvent.PayloadBytes(header, first.PointerBytes)];
        LogFileHeaderEvent.WritePayload(header, first.PointerBytes, again);
        Assert.Equal(Convert.ToHexString(first.Payload), Convert.ToHexString(again));
        Assert.Equal((true, TraceClockKind.Qpc, null), (header.IsClockRateKnown, header.Clock.Kind, header.UnknownClockKind));
        Assert.StartsWith("@tzres.dll,-", header.TimeZone.StandardName, StringComparison.Ordinal);
    }

    [Fact]
    public void A_header_event_that_is_too_short_is_refused_whatever_its_length()
    {
        byte[] payload = Payload(Minimal());
        for (int length = 0; length < 0x118; length++)
        {
            Assert.False(LogFileHeaderEvent.TryParse(Event(payload[..length], 8), out EtlFileHeader? none));
            Assert.Null(none);
        }

        for (int length = 0x118; length <= payload.Length; length++)
        {
            Assert.True(LogFileHeaderEvent.TryParse(Event(payload[..length], 8), out EtlFileHeader? header));
            Assert.StartsWith(header.SessionName, "Session", StringComparison.Ordinal);
            Assert.StartsWith(header.FileName, "file.etl", StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Another_event_is_no_header()
    {
        byte[] payload = Payload(Minimal());
        Assert.False(LogFileHeaderEvent.TryParse(Event(payload, 8, hook: 0x0005), out _));
        Assert.False(LogFileHeaderEvent.TryParse(Event(payload, 8, kind: 4), out _));
    }

    [Theory]
    [InlineData(1u, 0L, 2000u, TraceClockKind.Qpc, 10_000_000L, false, null, 0L)]
    [InlineData(1u, -5L, 2000u, TraceClockKind.Qpc, 10_000_000L, false, null, -5L)]
    [InlineData(1u, 2_337_949L, 2000u, TraceClockKind.Qpc, 2_337_949L, true, null, null)]
    [InlineData(2u, 2_337_949L, 0u, TraceClockKind.SystemTime, 10_000_000L, true, null, 2_337_949L)]
    [InlineData(3u, 10_000_000L, 2394u, TraceClockKind.CpuCycles, 2_394_000_000L, true, null, 10_000_000L)]
    [InlineData(3u, 10_000_000L, 0u, TraceClockKind.CpuCycles, 10_000_000L, false, null, null)]
    [InlineData(0u, 10_000_000L, 1u, TraceClockKind.Qpc, 10_000_000L, true, 0u, null)]
    [InlineData(9u, 0L, 1u, TraceClockKind.Qpc, 10_000_000L, false, 9u, 0L)]
    public void A_clock_of_any_kind_and_rate_is_read_and_written_as_it_was(
        uint kind, long frequency, uint mhz, TraceClockKind expectedKind, long rate, bool known, uint? unknownKind, long? otherFrequency)
    {
        byte[] payload = Payload(Minimal());
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(0x34), mhz);
        BinaryPrimitives.WriteInt64LittleEndian(payload.AsSpan(0x100), frequency);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(0x110), kind);
        Assert.True(LogFileHeaderEvent.TryParse(Event(payload, 8), out EtlFileHeader? header));
        Assert.Equal((expectedKind, rate, known), (header.Clock.Kind, header.Clock.TicksPerSecond, header.IsClockRateKnown));
        Assert.Equal((unknownKind, otherFrequency), (header.UnknownClockKind, header.PerformanceFrequency));
        Assert.Equal(Convert.ToHexString(payload), Convert.ToHexString(Payload(header)));
    }

    [Fact]
    public void Numbers_beyond_an_int_become_the_largest_one()
    {
        byte[] payload = Payload(Minimal());
        payload.AsSpan(0, 0x10).Fill(0xFF);
        payload.AsSpan(0x2C, 4).Fill(0xFF);
        Assert.True(LogFileHeaderEvent.TryParse(Event(payload, 8), out EtlFileHeader? header));
        Assert.Equal((int.MaxValue, int.MaxValue), (header.BufferBytes, header.ProcessorCount));
        Assert.Equal((int.MaxValue, int.MaxValue), (header.OsBuild, header.PointerBytes));
    }

    [Fact]
    public void A_time_zone_keeps_its_fields_and_what_stands_behind_its_names()
    {
        Assert.Equal((-60, 0, -60), (Zone.BiasMinutes, Zone.StandardBiasMinutes, Zone.DaylightBiasMinutes));
        Assert.Equal(("@tzres.dll,-322", "@tzres.dll,-321"), (Zone.StandardName, Zone.DaylightName));
        Assert.Equal(new EtlSystemTime(0, 3, 0, 5, 2, 0, 0, 1), Zone.DaylightDate);
        Assert.Equal(new EtlSystemTime(0, 10, 0, 5, 3, 0, 0, 0), Zone.StandardDate);
        byte[] bytes = Zone.Structure.ToArray();
        bytes[60] = 0xEE;
        var other = new EtlTimeZone(bytes);
        Assert.Equal(Zone.StandardName, other.StandardName);
        Assert.NotEqual(Zone, other);
        Assert.Equal(other, new EtlTimeZone(other.Structure));
        Assert.Equal(other.GetHashCode(), new EtlTimeZone(other.Structure).GetHashCode());
        bytes.AsSpan(4, 64).Fill(0x41);
        Assert.Equal(32, new EtlTimeZone(bytes).StandardName.Length);
        Assert.Throws<ArgumentException>(() => new EtlTimeZone(bytes.AsSpan(1)));
        Assert.Throws<ArgumentException>(() => new EtlTimeZone(0, new string('x', 32)));
        Every.Item(EtlTimeZone.Utc.Structure.ToArray(), value => Assert.Equal(0, value));
    }

    private static EtlFileHeader Minimal() => new()
    {
        Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 77, 0x01D0030405060708),
        ProcessorCount = 1,
        SessionName = "Session",
        FileName = "file.etl",
    };

    private static byte[] Payload(EtlFileHeader header)
    {
        byte[] payload = new byte[LogFileHeaderEvent.PayloadBytes(header, 8)];
        LogFileHeaderEvent.WritePayload(header, 8, payload);
        return payload;
    }

    private static EtlEvent Event(byte[] payload, int pointerBytes, long ticks = 77, ushort hook = 0, byte? kind = null)
    {
        byte[] record = new byte[32 + payload.Length];
        record[0] = 2;
        record[2] = kind ?? (pointerBytes == 8 ? (byte)2 : (byte)1);
        record[3] = 0xC0;
        BinaryPrimitives.WriteUInt16LittleEndian(record.AsSpan(4), checked((ushort)record.Length));
        BinaryPrimitives.WriteUInt16LittleEndian(record.AsSpan(6), hook);
        BinaryPrimitives.WriteInt64LittleEndian(record.AsSpan(16), ticks);
        payload.CopyTo(record, 32);
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent read), string.Create(CultureInfo.InvariantCulture, $"kind {record[2]}"));
        return read;
    }
}
