using System.Buffers.Binary;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>What the flight recorder wrote about itself is read, and nonsense is refused.</summary>
public sealed class CaptureEventsTests
{
    [Fact]
    public void Work_covers_what_it_touches_in_any_order_and_overlapping()
    {
        var events = new CaptureEvents();
        Assert.True(events.Add(TracerProvider.CaptureWork, Work(500, 600)));
        Assert.True(events.Add(TracerProvider.CaptureWork, Work(100, 300)));
        Assert.True(events.Add(TracerProvider.CaptureWork, Work(150, 200)));
        Assert.False(events.IsWork(0, 100));
        Assert.True(events.IsWork(99, 101));
        Assert.True(events.IsWork(250, 260));
        Assert.False(events.IsWork(300, 500));
        Assert.True(events.IsWork(0, 1000));
        Assert.False(events.IsWork(600, 700));
        Assert.True(events.Add(TracerProvider.CaptureWork, Work(650, 660)));
        Assert.True(events.IsWork(600, 700));
    }

    [Fact]
    public void Work_that_ends_before_it_begins_or_is_cut_is_refused()
    {
        var events = new CaptureEvents();
        Assert.False(events.Add(TracerProvider.CaptureWork, Work(500, 400)));
        Assert.False(events.Add(TracerProvider.CaptureWork, Work(-5, 400)));
        Assert.False(events.Add(TracerProvider.CaptureWork, Work(5, 400).AsSpan(0, 16)));
        Assert.Equal(0, events.WorkCount);
        Assert.False(events.IsWork(0, 1000));
    }

    [Fact]
    public void A_capture_tells_its_time()
    {
        var events = new CaptureEvents();
        byte[] payload = new byte[59];
        payload[0] = 2;
        Put(payload, 1, 500_000);
        Put(payload, 9, 7_000);
        Put(payload, 17, 900_000);
        Put(payload, 27, 5_000);
        Put(payload, 35, 9_000);
        Put(payload, 43, 150);
        Assert.True(events.Add(TracerProvider.Capture, payload));
        Assert.Equal(new CaptureWindow(7_000, 5_000, 9_000, 150), Assert.Single(events.Captures));
        Assert.False(events.Add(TracerProvider.Capture, payload.AsSpan(0, 50)));
        Put(payload, 27, 8_000);
        Assert.False(events.Add(TracerProvider.Capture, payload));
    }

    [Fact]
    public void Losses_of_the_rundown_add_up_and_a_cut_one_is_refused()
    {
        var events = new CaptureEvents();
        byte[] payload = [3, 0, 0, 0, 1, 0, 0, 0];
        Assert.True(events.Add(TracerProvider.RundownLoss, payload));
        Assert.True(events.Add(TracerProvider.RundownLoss, payload));
        Assert.False(events.Add(TracerProvider.RundownLoss, payload.AsSpan(0, 7)));
        Assert.Equal((6, 2), (events.RundownEventsLost, events.RundownBuffersLost));
    }

    private static byte[] Work(long begin, long end)
    {
        byte[] payload = new byte[17];
        Put(payload, 1, begin);
        Put(payload, 9, end);
        return payload;
    }

    private static void Put(byte[] payload, int offset, long value) =>
        BinaryPrimitives.WriteInt64LittleEndian(payload.AsSpan(offset), value);
}
