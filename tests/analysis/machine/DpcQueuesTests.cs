using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

public class DpcQueuesTests
{
    [Fact]
    public void An_execution_finds_the_enqueue_of_its_key()
    {
        var queues = new DpcQueues(1);
        queues.Enqueued(0x10, new QueuedDpc { Ticks = 100, Cpu = 1, TargetCpu = 2, Depth = 3 });
        queues.Enqueued(0x20, new QueuedDpc { Ticks = 110, Cpu = 1 });
        Assert.True(queues.TryTake(0x10, 150, out QueuedDpc dpc));
        Assert.Equal((100, 1, 2, 3), (dpc.Ticks, dpc.Cpu, dpc.TargetCpu, dpc.Depth));
        Assert.False(queues.TryTake(0x10, 160, out _));
        Assert.Equal(1, queues.Count);
    }

    [Fact]
    public void A_second_enqueue_counts_and_one_after_the_execution_does_not()
    {
        var queues = new DpcQueues(1);
        queues.Enqueued(0x10, new QueuedDpc { Ticks = 100 });
        queues.Enqueued(0x10, new QueuedDpc { Ticks = 200 });
        Assert.True(queues.TryTake(0x10, 250, out QueuedDpc dpc));
        Assert.Equal(200, dpc.Ticks);
        queues.Enqueued(0x10, new QueuedDpc { Ticks = 300 });
        Assert.False(queues.TryTake(0x10, 299, out _));
    }

    [Fact]
    public void The_oldest_are_forgotten_and_counted_whatever_a_trace_claims()
    {
        var queues = new DpcQueues(1);
        const int More = 1000;
        for (uint key = 1; key <= DpcQueues.MostQueued + More; key++)
        {
            queues.Enqueued(key, new QueuedDpc { Ticks = key });
        }

        Assert.Equal((DpcQueues.MostQueued, More), (queues.Count, queues.Forgotten));
        Assert.False(queues.TryTake(More, long.MaxValue, out _));
        Assert.True(queues.TryTake(More + 1, long.MaxValue, out _));
    }

    /// <summary>The DPC began at 1000; from 50 ticks on it was pending, and of the 50 before it the first of its routine tells.</summary>
    [Theory]
    [InlineData(951, 901, true)]
    [InlineData(951, 950, true)]
    [InlineData(951, 951, false)]
    [InlineData(950, 900, null)]
    [InlineData(1_001, 900, null)]
    public void Who_was_pending_is_told_by_its_enqueue(long taken, long queued, bool? expected)
    {
        var queues = new DpcQueues(1);
        queues.Started(0, new DpcStart { Ticks = taken, Routine = 7, Queued = new QueuedDpc { Ticks = queued } });
        Assert.Equal(expected, queues.WasPending(0, new LevelSpan { StartTicks = 1_000, EndTicks = 1_010, Routine = 7 }, 50));
        Assert.Null(queues.WasPending(0, new LevelSpan { StartTicks = 1_000, EndTicks = 1_010, Routine = 8 }, 50));
    }

    /// <summary>However much of the next round has been read, the same 3,072 before a DPC are asked.</summary>
    [Theory]
    [InlineData(3_071, true)]
    [InlineData(3_072, null)]
    public void As_many_are_asked_as_are_kept_however_far_the_reading_is(int behind, bool? expected)
    {
        foreach (int ahead in (int[])[0, 1, Rings.EventsAhead])
        {
            var queues = new DpcQueues(1);
            queues.Started(0, new DpcStart { Ticks = 990, Routine = 7, Queued = new QueuedDpc { Ticks = 900 } });
            for (int i = 0; i < behind + ahead; i++)
            {
                queues.Started(0, new DpcStart { Ticks = i < behind ? 995 : 1_001, Routine = 8 });
            }

            Assert.Equal(expected, queues.WasPending(0, new LevelSpan { StartTicks = 1_000, EndTicks = 1_010, Routine = 7 }, 50));
        }
    }

    [Fact]
    public void Keys_that_come_and_go_forget_only_one_that_never_executes()
    {
        var queues = new DpcQueues(1);
        queues.Enqueued(1, new QueuedDpc { Ticks = 1 });
        for (int i = 2; i < 20 * DpcQueues.MostQueued; i++)
        {
            queues.Enqueued(2, new QueuedDpc { Ticks = i });
            Assert.True(queues.TryTake(2, i, out _));
        }

        Assert.Equal((0, 1), (queues.Count, queues.Forgotten));
    }

    [Theory]
    [InlineData(0, 0, 0, true)]
    [InlineData(0, 0, 1, true)]
    [InlineData(1, 0, 0, false)]
    [InlineData(1, 0, 1, true)]
    [InlineData(2, 0, 1, false)]
    [InlineData(3, 0, 1, false)]
    [InlineData(9, 0, 1, false)]
    public void Only_low_importance_and_medium_for_another_processor_may_wait(byte importance, int by, int on, bool mayWait) =>
        Assert.Equal(mayWait, new QueuedDpc { Importance = importance, Cpu = by }.MayWaitOn(on));
}
