using System.Buffers.Binary;
using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Tests.Contents;

/// <summary>What a trace holds, from events typed here: load, kinds, and what is too short to be read.</summary>
public class TraceContentsTests
{
    private const long Second = 10_000_000;

    [Theory]
    [InlineData("0>5@2 5>0@4 0>5@7 5>0@8", 7)] // Idle at both ends of 0 to 10.
    [InlineData("5>0@2 0>5@4 5>0@7 0>5@8", 3)] // Busy at both ends.
    [InlineData("0>5@2 5>0@4 0>5@7", 5)] // Idle at the start.
    [InlineData("5>0@2 0>5@4 5>0@7", 5)] // Idle at the end.
    [InlineData("5>0@7 0>5@4 5>0@2", 5)] // In another order.
    [InlineData("0>5@2 0>5@4 0>5@6", null)] // Switches are missing.
    public void Idle_time_adds_up_from_switches_in_any_order(string switches, int? idleSeconds)
    {
        TraceContents contents = Contents();
        Add(contents, KernelHook.ReadyThread, 2, 0, new byte[8]);
        Add(contents, KernelHook.ReadyThread, 2, 10 * Second, new byte[8]);
        foreach (string one in switches.Split(' '))
        {
            string[] parts = one.Split('>', '@');
            byte[] payload = new byte[24];
            BinaryPrimitives.WriteUInt32LittleEndian(payload, uint.Parse(parts[1]));
            BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(4), uint.Parse(parts[0]));
            Add(contents, KernelHook.ContextSwitch, 4, int.Parse(parts[2]) * Second, payload);
        }

        long? idle = contents.IdleTicks(contents.FirstTicks!.Value, contents.LastTicks!.Value);
        Assert.Equal(idleSeconds is { } seconds ? seconds * Second : (long?)null, idle);
    }

    [Fact]
    public void What_is_too_short_to_be_read_is_counted()
    {
        TraceContents contents = Contents();
        Add(contents, KernelHook.Dpc, 2, 1, new byte[16]);
        Add(contents, KernelHook.Dpc, 2, 2, new byte[15]);
        Add(contents, KernelHook.ContextSwitch, 4, 3, new byte[3]);
        Assert.Equal((3, 2), (contents.Events, contents.ShortPayloads));
    }

    [Fact]
    public void Kinds_beyond_the_limit_are_counted_as_one()
    {
        TraceContents contents = Contents();
        byte[] record = new byte[80];
        record[0] = 80;
        record[2] = 0x13;
        record[3] = 0xC0;
        const int Kinds = 65_536 + 10;
        for (int kind = 0; kind < Kinds; kind++)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(record.AsSpan(0x28), (ushort)kind);
            record[0x2A] = (byte)(kind >> 16);
            Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent one));
            contents.Add(in one);
            contents.Add(in one);
        }

        using var file = new MemoryStream();
        var clock = new TraceClock(TraceClockKind.Qpc, Second, 0, 134_000_000_000_000_000);
        var header = new EtlFileHeader { Clock = clock, ProcessorCount = 1 };
        using (EtlWriter writer = EtlWriter.Create(file, header, leaveOpen: true))
        {
            writer.Complete(134_000_000_000_000_000);
        }

        using EtlReader reader = EtlReader.Open(new MemoryStream(file.ToArray()));
        InfoReport report = InfoReportOfTrace.Make("t.etl", reader, contents);
        Assert.Equal(2 * Kinds, report.Classes.Sum(one => one.Count));
        Assert.Contains(report.Classes, one => one is { Name: "(further kinds, not told apart)", Count: 20, Bytes: 1600 });
    }

    private static TraceContents Contents() => new(() => null);

    private static void Add(TraceContents contents, ushort hookId, byte version, long ticks, byte[] payload)
    {
        byte[] start = [version, 0, 0x11, 0xC0, (byte)(16 + payload.Length), 0, (byte)hookId, (byte)(hookId >> 8)];
        byte[] record = [.. start, .. new byte[8], .. payload];
        BinaryPrimitives.WriteInt64LittleEndian(record.AsSpan(8), ticks);
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent one));
        contents.Add(in one);
    }
}
