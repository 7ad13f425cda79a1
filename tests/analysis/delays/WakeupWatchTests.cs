using System.Runtime.CompilerServices;
using Tracer.Analysis.Delays;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>ReadyThread and the switch that follows it are paired by thread, whatever its id.</summary>
public class WakeupWatchTests
{
    [Fact]
    public void Threads_of_any_id_are_told_apart()
    {
        var watch = new WakeupWatch();
        uint[] threads = [.. Enumerable.Range(1, 400).Select(i => (uint)i * 4), 16_383, 16_384, 16_385, 1_048_575, 1_048_576, 1_048_577,
            uint.MaxValue];
        foreach (uint thread in threads)
        {
            Assert.True(Unsafe.IsNullRef(ref watch.Find(thread)));
            watch.Ready(thread, new Wake { ReadyTicks = thread });
        }

        foreach (uint thread in threads)
        {
            ref WakeupWatch.Place place = ref watch.Find(thread);
            Assert.Equal((true, (long)thread, -1, -1), (place.IsReady, place.Latest.ReadyTicks, place.LastCpu, place.IdealCpu));
        }

        // The idle thread has no place.
        watch.SwitchedOut(0, 5, 0, 0, Leaving.ToWait);
        Assert.True(Unsafe.IsNullRef(ref watch.Find(0)));
    }

    /// <summary>Which of them came first can't be told: the thread runs, so it was made ready before.</summary>
    [Theory]
    [InlineData(150, 200, false)]
    [InlineData(200, 200, false)]
    [InlineData(201, 200, true)]
    [InlineData(150, 199, true)]
    [InlineData(150, 201, true)]
    public void Who_was_switched_in_in_the_same_tick_has_been_served(long left, long ready, bool isReady)
    {
        var watch = new WakeupWatch();
        watch.SwitchedOut(120, left, 1, 2, Leaving.ToWait);
        WakeupWatch.SwitchedIn(ref watch.Find(120), 200, 0, 24);
        watch.Ready(120, new Wake { ReadyTicks = ready });
        Assert.Equal(isReady, watch.Find(120).IsReady);
    }

    [Fact]
    public void Who_was_made_ready_before_that_tick_is_made_ready_again()
    {
        var watch = new WakeupWatch();
        watch.Ready(120, new Wake { ReadyTicks = 190 });
        WakeupWatch.SwitchedIn(ref watch.Find(120), 200, 3, 24);
        ref WakeupWatch.Place place = ref watch.Find(120);
        Assert.Equal((false, 200L, 3, 190L), (place.IsReady, place.Ran.Ticks, place.Ran.Cpu, place.Ran.Wake.ReadyTicks));
        watch.Ready(120, new Wake { ReadyTicks = 200 });
        Assert.True(watch.Find(120).IsReady);
        WakeupWatch.SwitchedIn(ref watch.Find(120), 210, 1, 24);
        Assert.Equal((200L, 210L), (watch.Find(120).Before.Ticks, watch.Find(120).Ran.Ticks));
    }

    [Fact]
    public void The_last_time_counts_that_a_thread_was_made_ready()
    {
        var watch = new WakeupWatch();
        watch.Ready(120, new Wake { ReadyTicks = 100 });
        watch.Ready(120, new Wake { ReadyTicks = 110 });
        Assert.Equal(110, watch.Find(120).Latest.ReadyTicks);
    }
}
