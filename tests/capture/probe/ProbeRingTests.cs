using FsCheck;
using FsCheck.Fluent;
using Tracer.Capture.Probe;

namespace Tracer.Capture.Tests;

/// <summary>What goes into a ring comes out once, in order, or is counted.</summary>
public sealed class ProbeRingTests
{
    [Fact]
    public void Everything_comes_out_in_order_or_is_counted() => Prop.ForAll(
        Gen.ArrayOf(Gen.Choose(-ProbeRing.Capacity - 100, ProbeRing.Capacity + 100)).ToArbitrary(),
        steps =>
        {
            using var memory = ProbeMemory.Create(2);
            ProbeRing ring = memory.Ring(1);
            long written = 0;
            long lost = 0;
            Queue<long> expected = new();
            foreach (int step in steps)
            {
                for (int i = 0; i < step; i++)
                {
                    ring.Write(new ProbeRecord(written, 1, 2, 3));
                    if (expected.Count < ProbeRing.Capacity)
                    {
                        expected.Enqueue(written);
                    }
                    else
                    {
                        lost++;
                    }

                    written++;
                }

                for (int i = 0; i < -step; i++)
                {
                    // Millions of times: Assert.True costs nothing.
                    bool hasOne = ring.TryRead(out ProbeRecord record);
                    Assert.True(hasOne == expected.Count > 0);
                    Assert.True(!hasOne || record == new ProbeRecord(expected.Dequeue(), 1, 2, 3));
                }

                Assert.Equal(lost, ring.Lost);
            }

            Assert.False(memory.Ring(0).TryRead(out _));
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Two_threads_lose_nothing_that_is_not_counted()
    {
        const int Count = 300_000;
        using var memory = ProbeMemory.Create(1);
        ProbeRing ring = memory.Ring(0);
        var writer = new Thread(() =>
        {
            for (int i = 0; i < Count; i++)
            {
                memory.Ring(0).Write(new ProbeRecord(i, i, i, i));
            }
        });
        writer.Start();
        long read = 0;
        long last = -1;
        bool isOver = false;
        while (!isOver)
        {
            isOver = writer.Join(0);
            while (ring.TryRead(out ProbeRecord record))
            {
                long number = record.Sequence;
                Assert.True(number > last && record == new ProbeRecord(number, number, number, number));
                last = number;
                read++;
            }
        }

        Assert.Equal(Count, read + ring.Lost);
    }

    /// <summary>The other side of shared memory may be anybody's.</summary>
    [Theory]
    [InlineData(long.MaxValue)]
    [InlineData(long.MinValue)]
    [InlineData(ProbeRing.Capacity + 1)]
    [InlineData(-1)]
    public unsafe void Counts_that_cannot_be_are_passed_over(long written)
    {
        using var memory = ProbeMemory.Create(1);
        ProbeRing ring = memory.Ring(0);
        *(long*)(memory.Address + ProbeStatus.Bytes) = written;
        Assert.False(ring.TryRead(out _));
        Assert.False(ring.TryRead(out _));
    }

    [Fact]
    public void Only_memory_that_a_capture_made_is_opened()
    {
        using var memory = ProbeMemory.Create(2);
        using (var same = ProbeMemory.Open(memory.Name, 2))
        {
            same.Status.SetMessage("übung");
            Assert.Equal("übung", memory.Status.GetMessage());
        }

        memory.Status.Rings = 7;
        Assert.Throws<IOException>(() => ProbeMemory.Open(memory.Name, 2));
        Assert.ThrowsAny<IOException>(() => ProbeMemory.Open(memory.Name + ".none", 2));
        Assert.Throws<ArgumentOutOfRangeException>(() => memory.Ring(2));
    }
}
