using Tracer.Etl.Stacks;

namespace Tracer.Etl.Tests.Stacks;

public class StackMemoryTests
{
    private const ulong K = TypedTrace.K;

    [Fact]
    public void Events_that_wait_for_ever_do_not_take_more_memory()
    {
        // Every event has a kernel part of a thread of its own that never returns to user mode.
        var window = new StackWindow { MaximumEvents = 10_000, MaximumBytes = 4 * 1024 * 1024 };
        var trace = new TypedTrace();
        for (uint i = 0; i < 30_000; i++)
        {
            trace.Sample(10 * i, i).Whole((10 * i) + 1, 10 * i, i, [K + i, K + 1]);
        }

        var health = new TraceHealth();
        var joiner = new StackJoiner<CountingSink>(default, trace.Definitions(), TypedTrace.Clock, health, window);
        long most = 0;
        for (int round = 0; round < 5; round++)
        {
            trace.Give(ref joiner);
            Assert.Equal(10_000, joiner.HeldEvents);
            most = round == 0 ? joiner.WindowBytes : most;
            Assert.Equal(most, joiner.WindowBytes);
        }

        Assert.InRange(most, 1, 8 * 1024 * 1024);
        Assert.Equal(140_000, health[HealthCounter.StackWaitsEvicted]);
        Assert.True(joiner.Complete());
        Assert.Equal((150_000, 150_000), (joiner.Sink.Events, joiner.Sink.Frames / 2));
    }

    [Fact]
    public void In_the_long_run_no_event_allocates()
    {
        var trace = new TypedTrace();
        for (uint i = 0; i < 10_000; i++)
        {
            uint thread = i % 50;
            long ticks = 100 * i;
            trace.Sample(ticks, thread).KernelKey(ticks + 1, ticks, thread, key: 1).Whole(ticks + 2, ticks, thread, [0xA, 0xB])
                .Switch(ticks + 10, thread, thread + 1).Whole(ticks + 11, ticks + 10, thread, [K + 1, K + 2])
                .Dpc(ticks + 20).ImageLoad(ticks + 30, thread).Extended(ticks + 40, thread, 6, matchId: 3, K)
                .UserHalf(ticks + 50, thread, 6, matchId: 3, 0xC);
        }

        StackDefinitions definitions = trace.Delete(1_000_000, 1, K + 3).Definitions();
        var joiner = new StackJoiner<CountingSink>(
            default, definitions, TypedTrace.Clock, new TraceHealth(), new StackWindow { MaximumEvents = 1000 });
        trace.Give(ref joiner);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int round = 0; round < 4; round++)
        {
            trace.Give(ref joiner);
        }

        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(joiner.Complete());
        Assert.Equal(250_000, joiner.Sink.Events);
        Assert.InRange(allocated, 0, 2_000);
    }

    private struct CountingSink : IStackedEventSink
    {
        public int Events { get; private set; }

        public int Frames { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
        {
            Events++;
            Frames += stack.FrameCount;
            return true;
        }
    }
}
