using System.Reflection;
using System.Runtime.InteropServices;
using Tracer.Etl;

namespace Tracer.Contract.Tests;

/// <summary>What is written into the structure of an event stands where the rows of its schema say, and comes back.</summary>
public class ProviderEventFieldsTests
{
    [Theory]
    [InlineData("Start", typeof(StartEvent))]
    [InlineData("ClockSync", typeof(ClockSyncEvent))]
    [InlineData("Wakeup", typeof(WakeupEvent))]
    [InlineData("EpisodeBegin", typeof(EpisodeBeginEvent))]
    [InlineData("PitSample", typeof(PitSampleEvent))]
    [InlineData("EpisodeEnd", typeof(EpisodeEndEvent))]
    [InlineData("Stop", typeof(StopEvent))]
    [InlineData("TimerState", typeof(TimerStateEvent))]
    [InlineData("CaptureWork", typeof(CaptureWorkEvent))]
    [InlineData("Capture", typeof(CaptureEvent))]
    [InlineData("Slice", typeof(SliceEvent))]
    [InlineData("RundownLoss", typeof(RundownLossEvent))]
    public void Each_field_stands_where_its_row_says(string eventName, Type structure) => typeof(ProviderEventFieldsTests)
        .GetMethod(nameof(Check), BindingFlags.Static | BindingFlags.NonPublic)!.MakeGenericMethod(structure).Invoke(null, [eventName]);

    [Fact]
    public void Every_event_has_a_structure() => Assert.Equal(
        TracerProvider.Events.Select(one => one.Name).Order(),
        typeof(TracerProvider).Assembly.GetTypes()
            .Where(type => type.IsValueType && type.Namespace == "Tracer.Contract" && type.Name.EndsWith("Event", StringComparison.Ordinal))
            .Select(type => type.Name[..^"Event".Length]).Order());

    [Fact]
    public void A_first_version_of_a_wakeup_is_read_without_what_came_later()
    {
        WakeupEvent wakeup = Filled<WakeupEvent>();
        Assert.Equal(
            TracerProvider.WakeupVersion1.Fields.Sum(field => BytesOf(field.InType)), WakeupEvent.Payload(in wakeup, true).Length);
        Assert.True(WakeupEvent.TryRead(WakeupEvent.Payload(in wakeup, true), true, out WakeupEvent read));
        Assert.Equal((wakeup.Sequence, wakeup.InterruptedCs, 0ul, 0ul), (read.Sequence, read.InterruptedCs, read.Tick, read.Queued));
        Assert.False(WakeupEvent.TryRead(WakeupEvent.Payload(in wakeup, true), false, out _));
        Assert.False(WakeupEvent.TryRead(WakeupEvent.Payload(in wakeup, true)[1..], true, out _));
    }

    [Fact]
    public void An_array_behind_the_fields_is_read_whole_or_not_at_all()
    {
        Span<byte> memory = stackalloc byte[64];
        ReadOnlySpan<byte> payload = Filled<StartEvent>().Payload(memory, [31, 8], DriverCapabilities.Apic);
        Assert.True(ProviderPayload.TryReadArray<StartEvent, byte>(payload, out ReadOnlySpan<byte> priorities));
        Assert.Equal([31, 8], priorities.ToArray());
        Assert.False(ProviderPayload.TryReadArray<StartEvent, byte>(payload[..^5], out _));
        Assert.Equal((uint)DriverCapabilities.Apic, MemoryMarshal.Read<uint>(payload[^4..]));
    }

    /// <summary>The rows behind the fields are those of what is written behind them, to the last byte.</summary>
    [Fact]
    public void A_start_is_written_as_all_its_rows_say()
    {
        Span<byte> memory = stackalloc byte[64];
        ReadOnlySpan<byte> payload = Filled<StartEvent>().Payload(memory, [31, 8, 24], DriverCapabilities.Apic);
        int at = 0;
        foreach (ProviderField row in TracerProvider.Start.Fields)
        {
            int values = row.IsArray ? MemoryMarshal.Read<ushort>(payload[at..]) : 1;
            at += (row.IsArray ? sizeof(ushort) : 0) + (values * BytesOf(row.InType));
        }

        Assert.Equal(payload.Length, at);
    }

    private static void Check<TEvent>(string eventName)
        where TEvent : unmanaged
    {
        ProviderEvent schema = Assert.Single(TracerProvider.Events, one => one.Name == eventName);
        TEvent filled = Filled<TEvent>();
        byte[] payload = ProviderPayload.Of(in filled).ToArray();
        Assert.True(ProviderPayload.TryRead(payload, out TEvent read));
        Assert.False(ProviderPayload.TryRead(payload.AsSpan(1), out TEvent _));
        int at = 0;
        foreach (ProviderField row in schema.Fields.TakeWhile(_ => at < payload.Length))
        {
            FieldInfo field = typeof(TEvent).GetField(char.ToUpperInvariant(row.Name[0]) + row.Name[1..])!;
            int bytes = BytesOf(row.InType);
            ulong expected = 0;
            for (int i = bytes - 1; i >= 0; i--)
            {
                expected = (expected << 8) | payload[at + i];
            }

            Assert.False(row.IsArray, row.Name);
            Assert.Equal(bytes, Marshal.SizeOf(field.FieldType));
            Assert.Equal(expected, Convert.ToUInt64(field.GetValue(read)));
            at += bytes;
        }

        Assert.Equal(payload.Length, at);
        Assert.Equal(
            typeof(TEvent).GetFields(BindingFlags.Instance | BindingFlags.Public).Length,
            schema.Fields.TakeWhile(row => !row.IsArray).Count());
    }

    /// <summary>A structure whose bytes are 1, 2, 3 and so on.</summary>
    private static TEvent Filled<TEvent>()
        where TEvent : unmanaged
    {
        TEvent one = default;
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<TEvent>(ref one));
        for (int i = 0; i < bytes.Length; i++)
        {
            bytes[i] = (byte)(i + 1);
        }

        return one;
    }

    private static int BytesOf(TraceLoggingInType type) => type switch
    {
        TraceLoggingInType.UInt8 => 1,
        TraceLoggingInType.UInt16 => 2,
        TraceLoggingInType.UInt32 => 4,
        _ => 8,
    };
}
