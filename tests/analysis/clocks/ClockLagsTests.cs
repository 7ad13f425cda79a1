using Tracer.Analysis.Clocks;

namespace Tracer.Analysis.Tests.Clocks;

/// <summary>
/// What most wake-ups from CPU 0 to CPU 1 take, where their runs come about every 0.1 ms and no two of the others have a length in common.
/// Ticks of 0.1 us.
/// </summary>
public class ClockLagsTests
{
    private const int Beat = 1_000;

    private static readonly ClockRules Rules = new(new TraceClock(TraceClockKind.Qpc, 10_000_000, 0, 133_000_000_000_000_000), 0);

    /// <summary>The runs of 32 beats before a thread is made ready and of 32 behind it are looked at.</summary>
    [Theory]
    [InlineData(31_500, true)]
    [InlineData(32_500, false)]
    [InlineData(-31_500, true)]
    [InlineData(-32_500, false)]
    public void Runs_near_the_time_that_a_thread_was_made_ready_are_looked_at(int late, bool isFound) =>
        Assert.Equal(isFound, Finds(late, [.. Wakeups(40, _ => late)]));

    [Theory]
    [InlineData(16, true)]
    [InlineData(15, false)]
    public void Sixteen_wakeups_tell(int count, bool isFound) => Assert.Equal(isFound, Finds(12_000, [.. Wakeups(count, _ => 12_040)]));

    /// <summary>Eight each take one of two lengths: those of the same 2 us are one.</summary>
    [Theory]
    [InlineData(12_040, 12_059, true)]
    [InlineData(12_039, 12_058, false)]
    public void Lengths_of_2_us_are_one(int even, int odd, bool isFound) =>
        Assert.Equal(isFound, Finds(12_000, [.. Wakeups(16, number => number % 2 == 0 ? even : odd)]));

    /// <summary>Of more than 16,383 times each second one is looked at: here not those that tell.</summary>
    [Theory]
    [InlineData(16_383, true)]
    [InlineData(16_384, false)]
    public void Of_many_some_are_looked_at(int readies, bool isFound)
    {
        List<ClockEvent> events = [];
        foreach (ClockEvent one in Wakeups(16, _ => 12_040).OrderBy(one => one.Ticks))
        {
            if (one.Kind == ClockEventKind.Ready)
            {
                // From its own CPU no run of the thread tells anything.
                events.Add(one with { Ticks = one.Ticks - 1, Cpu = 1 });
            }

            events.Add(one);
        }

        for (int left = readies - events.Count(one => one.Kind == ClockEventKind.Ready); left > 0; left--)
        {
            events.Add(new ClockEvent(left, 9, 0, ClockEventKind.Ready));
        }

        Assert.Equal(isFound, Finds(12_000, events));
    }

    /// <summary>Whether CPU 1 seems to be ahead by about so much.</summary>
    private static bool Finds(int ticks, List<ClockEvent> events) => ClockLags.Of([.. events], Rules)
        .Any(one => one.Cpu == 1 && Math.Abs(one.Ticks - ticks) < Beat / 2 && one.Count >= 16);

    /// <param name="late">How long after it was made ready by the clocks a thread runs.</param>
    private static IEnumerable<ClockEvent> Wakeups(int count, Func<int, int> late)
    {
        var random = new Random(3);
        for (int number = 0; number < 200; number++)
        {
            long ran = 100_000 + (number * Beat) + random.Next(100);
            yield return new ClockEvent(ran, 5, 1, ClockEventKind.Run);
            if (number >= 80 && number < 80 + count)
            {
                yield return new ClockEvent(ran - late(number), 5, 0, ClockEventKind.Ready);
            }
        }
    }
}
