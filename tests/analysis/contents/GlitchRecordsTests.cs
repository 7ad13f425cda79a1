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
        Assert.Equal(Start + (11 * Millisecond), DeadlineAt(records, 7, Start + (9 * Millisecond)));
        Assert.Null(DeadlineAt(records, 7, Start + (7 * Millisecond)));
        Assert.Null(DeadlineAt(records, 8, Start + (9 * Millisecond)));
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
        Assert.Null(DeadlineAt(records, 7, Start + 11));
        Assert.Null(DeadlineAt(records, 7, Start + (3 * Millisecond)));
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

    /// <summary>
    /// The deadline of a job is the one that it set itself before; where that had passed by then, or there is none, the one that it says it
    /// missed while it ran.
    /// </summary>
    [Fact]
    public void A_job_has_the_deadline_that_it_set_or_says_it_missed()
    {
        var records = new GlitchRecords(Clock);
        Give(records, GlitchKind.SettingDeadline, Start, Missed(Start + (3 * Millisecond)));
        Give(records, GlitchKind.MissedDeadline, Start + (8 * Millisecond), Missed(Start + (6 * Millisecond)));
        records.Complete();
        Assert.Equal(Start + (3 * Millisecond), records.DeadlineOf(7, Start + 1, Start + 2, Start + (9 * Millisecond)));
        Assert.Equal(
            Start + (6 * Millisecond),
            records.DeadlineOf(7, Start + (4 * Millisecond), Start + (5 * Millisecond), Start + (9 * Millisecond)));
        Assert.Null(records.DeadlineOf(7, Start + (9 * Millisecond), Start + (9 * Millisecond), Start + (10 * Millisecond)));
    }

    /// <summary>Only the first end of a glitch is its end: a later one tells of a glitch whose beginning was not recorded.</summary>
    [Fact]
    public void The_end_of_a_glitch_joins_one_that_is_open()
    {
        const ushort Ended = 41;
        var records = new GlitchRecords(Clock);
        byte[] over = [.. Missed(480), .. new byte[4]];
        Give(records, GlitchKind.MissedDeadline, Start, Missed(0));
        Give(records, Ended, Start + (20 * Millisecond), over);
        Give(records, Ended, Start + (220 * Millisecond), over);
        Give(records, Ended, Start + (420 * Millisecond), over);
        records.Complete();
        Assert.Equal([2, 1, 1], records.All.Select(glitch => glitch.Records.Count));
    }

    /// <summary>Numbers that no buffer, driver or clock can have are not told; the record counts all the same.</summary>
    [Fact]
    public void Numbers_that_make_no_sense_are_not_told()
    {
        var records = new GlitchRecords(Clock);
        byte[] starved = new byte[28];
        starved.AsSpan().Fill(0xFF);
        byte[] request = new byte[16];
        request.AsSpan().Fill(0xFF);
        Give(records, GlitchKind.DeviceStarvation, Start, starved);
        Give(records, 37, Start + (100 * Millisecond), request);
        Give(records, GlitchKind.MissedDeadline, Start + (200 * Millisecond), Missed(-5));
        Give(records, GlitchKind.MissedDeadline, Start + (300 * Millisecond), Missed(0));
        Give(records, GlitchKind.MissedDeadline, Start + (400 * Millisecond), Missed(Start + (402 * Millisecond)));
        records.Complete();
        Assert.Equal(
            [
                "the device starved", "the driver took too long for a request", "the engine's thread missed its deadline",
                "the engine's thread missed its deadline", "the engine's thread missed its deadline",
            ],
            records.All.Select(glitch => glitch.Records.Single().Words));
        Assert.Equal(4, records.WithoutNumbers);
    }

    /// <summary>What the engine counts without telling the moment, in windows that may be empty, and that there were too many.</summary>
    [Fact]
    public void What_the_engine_counted_is_kept()
    {
        const ushort TooMany = 18;
        var records = new GlitchRecords(Clock);
        Give(records, GlitchKind.Counter, Start, [7, 0, 0, 0, .. new byte[8]]);
        Give(records, GlitchKind.Counter, Start + Millisecond, new byte[12]);
        Give(records, GlitchKind.Counter, Start + Millisecond, [.. Enumerable.Repeat((byte)0xFF, 12)]);
        Give(records, TooMany, Start + (2 * Millisecond), new byte[4]);
        records.Complete();
        Assert.Equal((7, 1, 1), (records.CountedIn(0, long.MaxValue), records.TooManyIn(0, long.MaxValue), records.Doubtful));
        Assert.Equal((0, 1), (records.CountedIn(Start + 1, long.MaxValue), records.TooManyIn(Start + 1, long.MaxValue)));
        Assert.Empty(records.All);
    }

    private static long? DeadlineAt(GlitchRecords records, uint thread, long ticks) => records.DeadlineOf(thread, 0, ticks, ticks);

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
