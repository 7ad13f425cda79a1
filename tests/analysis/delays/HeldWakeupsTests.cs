using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>A wake-up that a missing page or a runtime's stop interrupts within its first 100 ticks is one wait.</summary>
public class HeldWakeupsTests
{
    private const uint Thread = 120;

    /// <summary>Made ready at 1 000, it runs at 1 010, and leaves for a page; that is read at 3 000.</summary>
    [Theory]
    [InlineData(1_010, 1_000)]
    [InlineData(1_110, 1_000)]
    [InlineData(1_111, 1_111)]
    [InlineData(1_009, 1_009)]
    public void Who_leaves_within_the_first_steps_waits_since_it_was_made_ready(long left, long from)
    {
        WakeupWatch.Place place = Place(1_000, 1_010, left, Leaving.ForPage, 3_000);
        Assert.Equal((from, 3_005L), Span(new HeldWakeups(Settings(null)).Returned(Thread, 24, 0, 3_005, in place)));
    }

    [Fact]
    public void Who_never_ran_before_waits_since_it_left()
    {
        WakeupWatch.Place place = new() { LeftTicks = 50, Left = Leaving.ForPage, IsReady = true, Latest = new Wake { ReadyTicks = 900 } };
        Assert.Equal((50L, 905L), Span(new HeldWakeups(Settings(null)).Returned(Thread, 24, 0, 905, in place)));
    }

    [Theory]
    [InlineData(1_049, false)]
    [InlineData(1_050, true)]
    public void Who_was_made_ready_before_it_left_was_not_held(long ready, bool isHeld)
    {
        WakeupWatch.Place place = Place(1_000, 1_010, 1_050, Leaving.ForPage, ready);
        Assert.Equal(isHeld, new HeldWakeups(Settings(null)).Returned(Thread, 24, 0, 3_005, in place) is not null);
    }

    [Theory]
    [InlineData(1_050, true, true)]
    [InlineData(1_050, false, false)]
    [InlineData(1_111, true, false)]
    public void A_suspension_of_its_runtime_pauses_it_at_its_first_steps_only(long left, bool hasStop, bool isPaused)
    {
        WakeupWatch.Place place = Place(1_000, 1_010, left, Leaving.ToWait, 3_000);
        TickSpan? StopOf(uint thread, long from, long until) =>
            hasStop && (thread, from, until) == (Thread, left, 3_000) ? new TickSpan(1_000, 2_990) : null;
        Assert.Equal(isPaused, new HeldWakeups(Settings(StopOf)).IsPaused(Thread, in place, 3_000));
        Assert.False(new HeldWakeups(Settings(null)).IsPaused(Thread, in place, 3_000));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Who_was_paused_was_held(bool isHeld)
    {
        WakeupWatch.Place place = Place(1_000, 1_010, 1_050, isHeld ? Leaving.ForPause : Leaving.ToWait, 3_000);
        Delay? delay = new HeldWakeups(Settings(null)).Returned(Thread, 24, 0, 3_005, in place);
        Assert.Equal(isHeld ? HoldKind.Pause : null, delay?.Holds[0].Kind);
    }

    /// <summary>It comes back at 3 005, and leaves again.</summary>
    [Theory]
    [InlineData(3_105, 1_000, 2)]
    [InlineData(3_106, 3_106, 1)]
    public void Who_is_held_again_at_once_still_waits(long left, long from, int holds)
    {
        var held = new HeldWakeups(Settings(null));
        WakeupWatch.Place first = Place(1_000, 1_010, 1_050, Leaving.ForPage, 3_000);
        Assert.Single(held.Returned(Thread, 24, 0, 3_005, in first)!.Holds);
        WakeupWatch.Place again = Place(3_000, 3_005, left, Leaving.ForPage, 5_000);
        Delay delay = held.Returned(Thread, 24, 0, 5_005, in again)!;
        Assert.Equal((from, holds), (delay.FromTicks, delay.Holds.Count));
        // What another thread was held for is no part of it.
        Assert.Single(held.Returned(Thread + 1, 24, 0, 5_005, in again)!.Holds);
    }

    [Fact]
    public void Another_wake_up_is_another_wait()
    {
        var held = new HeldWakeups(Settings(null));
        WakeupWatch.Place first = Place(1_000, 1_010, 1_050, Leaving.ForPage, 3_000);
        Assert.NotNull(held.Returned(Thread, 24, 0, 3_005, in first));
        WakeupWatch.Place again = Place(4_000, 4_010, 4_020, Leaving.ForPage, 5_000);
        Delay delay = held.Returned(Thread, 24, 0, 5_005, in again)!;
        Assert.Equal((4_000L, 1), (delay.FromTicks, delay.Holds.Count));
    }

    [Fact]
    public void Who_was_not_made_ready_waits_until_it_runs()
    {
        WakeupWatch.Place place = Place(1_000, 1_010, 1_050, Leaving.ForPage, 0) with { IsReady = false };
        Delay delay = new HeldWakeups(Settings(null)).Returned(Thread, 24, 2, 3_005, in place)!;
        Assert.Equal((3_005L, 2, -1), (delay.Wake!.Value.ReadyTicks, delay.Wake.Value.Cpu, delay.ReadyCpu));
        Assert.Equal(3_005, Assert.Single(delay.Holds).UntilTicks);
    }

    private static (long From, long To) Span(Delay? delay) => (delay!.FromTicks, delay.ToTicks);

    private static WakeupWatch.Place Place(long ready, long ran, long left, Leaving why, long readyAgain) => new()
    {
        Ran = new ServedWake { Wake = new Wake { ReadyTicks = ready }, Ticks = ran },
        LeftTicks = left,
        Left = why,
        IsReady = true,
        Latest = new Wake { ReadyTicks = readyAgain, Cpu = 1 },
    };

    private static DelaySettings Settings(Func<uint, long, long, TickSpan?>? pauseOf) => new()
    {
        TicksPerSecond = 10_000_000,
        ThresholdTicks = 500,
        LongestWaitTicks = 10_000_000,
        LevelGapTicks = 20,
        WantsThreads = true,
        WantsHogs = true,
        WantsLevels = true,
        IsVictim = (_, _, _) => true,
        PauseOf = pauseOf,
        MeasuredReadies = new MeasuredReadies([]),
        FirstStepsTicks = 100,
    };
}
