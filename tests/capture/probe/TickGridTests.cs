using FsCheck;
using FsCheck.Fluent;
using Tracer.Capture.Probe;

namespace Tracer.Capture.Tests;

/// <summary>The ticks that serve the probe's timer are found and followed; what a tick costs is never latency.</summary>
public sealed class TickGridTests
{
    private const double Ms = 10_000;

    private static readonly double[] Periods = [156_250, Ms, 9_766, 5_000];

    /// <summary>
    /// Clocks of every rate, drift and phase, with due times that count from now or from the last tick; up to 8 % of the wake-ups are late.
    /// </summary>
    [Fact]
    public void Every_clock_is_found() => Prop.ForAll(
        Clocks(),
        clock =>
        {
            TimedWakeup[] wakeups = [.. clock.Wakeups(384)];
            TickGrid grid = TickGridSearch.Find(wakeups, Periods);
            Assert.InRange(grid.Period / clock.Period, 0.99999, 1.00001);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Latency_counts_from_the_tick_that_should_have_served_the_timer() => Prop.ForAll(
        Clocks(),
        clock =>
        {
            TimedWakeup[] wakeups = [.. clock.Wakeups(2_384)];
            TickGrid grid = TickGridSearch.Find(wakeups.AsSpan(0, 384), Periods);
            int wrong = 0;
            for (int i = 0; i < wakeups.Length; i++)
            {
                long latency = wakeups[i].Served - grid.ServingTick(in wakeups[i]);
                grid.Follow(in wakeups[i]);
                Assert.InRange(latency, 0, long.MaxValue);
                // What is due at a tick to within a 64th of the period may be taken for one of its neighbour.
                wrong += i >= 384 && Math.Abs(latency - clock.LateBy(i)) > 400 ? 1 : 0;
            }

            Assert.False(grid.IsLost);
            Assert.InRange(wrong, 0, 2_000 / 64 * 3 / 2);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void A_timer_with_an_interrupt_of_its_own_has_no_grid() => Prop.ForAll(
        Gen.Choose(0, 1_000_000).ToArbitrary(),
        seed =>
        {
            var random = new Random(seed);
            var wakeups = new TimedWakeup[384];
            long now = 5_000_000;
            for (int i = 0; i < wakeups.Length; i++)
            {
                long due = now + 10_000 + random.Next(10_000);
                wakeups[i] = new TimedWakeup(now, due, due + 50 + random.Next(30));
                now = wakeups[i].Served;
            }

            TickGrid grid = TickGridSearch.Find(wakeups, Periods);
            Assert.Equal(0, grid.Period);
            Every.Item(wakeups, wakeup => Assert.Equal(wakeup.Due, grid.ServingTick(in wakeup)));
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void A_change_of_the_clocks_rate_is_noticed()
    {
        var slow = new Clock(IsCoarse: false, 5_000.7, Late: 0, Seed: 3);
        TickGrid grid = TickGridSearch.Find([.. slow.Wakeups(384)], Periods);
        foreach (TimedWakeup wakeup in new Clock(IsCoarse: false, 156_250, Late: 0, Seed: 4).Wakeups(1_000))
        {
            grid.Follow(in wakeup);
        }

        Assert.True(grid.IsLost);
        Assert.False(grid.WithoutMisses().IsLost);
    }

    [Fact]
    public void Too_few_wakeups_show_nothing() =>
        Assert.Equal(0, TickGridSearch.Find([.. new Clock(IsCoarse: false, Ms, 0, 1).Wakeups(60)], Periods).Period);

    private static Arbitrary<Clock> Clocks() => (
        from nominal in Gen.Elements(Periods)
        from drift in Gen.Choose(-500, 500)
        from isCoarse in Gen.Elements(true, false)
        from late in Gen.Choose(0, 8)
        from seed in Gen.Choose(0, 1_000_000)
        select new Clock(isCoarse, nominal * (1 + (drift * 1e-6)), late, seed)).ToArbitrary();

    /// <summary>A clock that serves timers. Times in ticks of 100 ns.</summary>
    private sealed record Clock(bool IsCoarse, double Period, int Late, int Seed)
    {
        private readonly List<long> _late = [];

        public long LateBy(int index) => _late[index];

        public IEnumerable<TimedWakeup> Wakeups(int count)
        {
            var random = new Random(Seed);
            double phase = random.NextDouble() * Period;
            long now = 5_000_000;
            for (int i = 0; i < count; i++)
            {
                long delay = 10_000 + random.Next(10_000);
                // The call takes a moment behind the kernel's look at its clock.
                double kernelSet = IsCoarse ? Tick(phase, Math.Floor((now - phase) / Period)) : now;
                long set = now + random.Next(8);
                double tick = Tick(phase, Math.Ceiling((kernelSet + delay - phase) / Period));
                long late = random.Next(100) < Late ? 2_000 + random.Next(60_000) : 0;
                _late.Add(late);
                long served = (long)tick + 40 + random.Next(60) + late;
                yield return new TimedWakeup(set, set + delay, served);
                now = served + random.Next(20);
            }
        }

        private double Tick(double phase, double number) => phase + (number * Period);
    }
}
