using System.Buffers.Binary;
using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Tests.Contents;

/// <summary>Windows' own records that something was late, as they are read; whole traces with them are among tests/scenarios.</summary>
public class GlitchRecordsTests
{
    private const long Millisecond = 10_000;
    private const long Start = 5_000_000_000;
    private const long StartFileTime = 134_000_000_000_000_000;

    private static readonly TraceClock Clock = new(TraceClockKind.Qpc, 10_000_000, Start, StartFileTime);

    [Fact]
    public void A_hundred_thousand_glitches_are_counted_and_the_first_are_kept()
    {
        var records = new GlitchRecords(Clock);
        for (int i = 0; i < 100_000; i++)
        {
            Give(records, GlitchKind.MissedDeadline, Start + (i * 6_000), Missed(0));
        }

        records.Complete();
        Assert.Equal((GlitchRecords.MostRecords, 100_000 - GlitchRecords.MostRecords), (records.All.Count, records.More));
    }

    /// <summary>Its source does not say from when a deadline counts: each of the ways that give a time near the record is taken.</summary>
    [Theory]
    [InlineData(30_000)] // From its record on.
    [InlineData(Start + (11 * Millisecond))] // By the performance counter.
    [InlineData(StartFileTime + (11 * Millisecond))] // As file time.
    public void A_deadline_is_understood_by_the_time_that_it_gives(long units)
    {
        var records = new GlitchRecords(Clock);
        Give(records, GlitchKind.SettingDeadline, Start + (8 * Millisecond), Missed(units));
        records.Complete();
        Assert.Equal(Start + (11 * Millisecond), records.DeadlineBefore(7, Start + (9 * Millisecond)));
        Assert.Null(records.DeadlineBefore(7, Start + (7 * Millisecond)));
        Assert.Null(records.DeadlineBefore(8, Start + (9 * Millisecond)));
    }

    [Fact]
    public void A_deadline_that_is_given_up_or_far_away_is_none()
    {
        var records = new GlitchRecords(Clock);
        Give(records, GlitchKind.SettingDeadline, Start, Missed(30_000));
        Give(records, GlitchKind.CancellingDeadline, Start + 10, Missed(0)[..8]);
        Give(records, GlitchKind.SettingDeadline, Start + Millisecond, Missed(77));
        Give(records, GlitchKind.SettingDeadline, Start + (2 * Millisecond), Missed(Start / 2));
        records.Complete();
        Assert.Null(records.DeadlineBefore(7, Start + 11));
        Assert.Null(records.DeadlineBefore(7, Start + (3 * Millisecond)));
    }

    [Fact]
    public void What_was_missed_by_how_much_is_told_where_the_deadline_is_known()
    {
        var records = new GlitchRecords(Clock);
        Give(records, GlitchKind.MissedDeadline, Start + (8 * Millisecond), Missed(Start + (5 * Millisecond)));
        Give(records, GlitchKind.MissedDeadline, Start + (18 * Millisecond), Missed(123));
        records.Complete();
        Assert.Equal(
            ["the engine's thread missed its deadline by 3 ms", "the engine's thread missed its deadline"],
            records.All.Select(glitch => glitch.Records.Single().Words));
    }

    /// <summary>A later Windows may append fields; a table's row that lacks one of its own is no record of it.</summary>
    [Fact]
    public void Every_kind_is_read_with_all_of_its_fields_and_with_more_and_not_with_fewer()
    {
        Every.Item(GlitchKind.All, kind =>
        {
            byte[] payload = new byte[kind.Bytes(8) + 16];
            payload.AsSpan().Fill(1);
            var whole = new GlitchRecords(Clock);
            Give(whole, kind.Id, Start, payload[..^16], kind.Provider);
            Give(whole, kind.Id, Start + 1, payload, kind.Provider);
            var cut = new GlitchRecords(Clock);
            Give(cut, kind.Id, Start, payload[..^17], kind.Provider);
            Assert.Equal((0L, 1L), (whole.Doubtful, cut.Doubtful));
        });
    }

    private static byte[] Missed(long units)
    {
        byte[] payload = new byte[16];
        BinaryPrimitives.WriteInt64LittleEndian(payload, 0x0000_01C5_3A20_4410);
        BinaryPrimitives.WriteInt64LittleEndian(payload.AsSpan(8), units);
        return payload;
    }

    private static void Give(GlitchRecords records, ushort id, long ticks, byte[] payload, Guid? provider = null)
    {
        var header = EtlEventHeader.Event(provider ?? GlitchKind.Audio, id, 0, ticks, 3, 7, 8);
        byte[] record = new byte[EventRecord.Measure(in header, payload.Length)];
        EventRecord.Write(record, in header, payload);
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent one));
        records.Add(in one);
    }
}
