using System.Text;
using Tracer.Capture.Probe;

namespace Tracer.Capture.Tests;

/// <summary>
/// The probe on clocks that are meaner than the world's: on none of them does it report a delay that is none, with the default threshold,
/// and where it measures at all it finds most of the delays that are some. docs/generated/probe-clocks.md is what comes out.
/// </summary>
public sealed class ClockModelTests
{
    private const double Ms = 10_000;
    private const long Second = 10_000_000;
    private const int VirtualSeconds = 60;
    private const int DelayEvery = 199;
    private const int LeastDelayUs = 2_000;
    private const int MostDelayUs = 6_000;

    private static readonly ProbeSettings Settings = new() { Threshold = Defaults.Threshold, Cpus = [0] };

    private static readonly ProbeClockModel[] Models =
    [
        new() { Name = "1 ms, median 5 us", Periods = [(0, 1.0001 * Ms)] },
        new() { Name = "1 ms, median 20 us", Periods = [(0, 1.0001 * Ms)], MedianUs = 20 },
        new() { Name = "1 ms, median 40 us", Periods = [(0, 1.0001 * Ms)], MedianUs = 40 },
        new() { Name = "0.5 ms, median 5 us", Periods = [(0, 0.50003 * Ms)] },
        new() { Name = "0.5 ms, median 40 us", Periods = [(0, 0.50003 * Ms)], MedianUs = 40 },
        new() { Name = "15.6 ms, median 10 us", Periods = [(0, 15.6251 * Ms)], MedianUs = 10 },
        new() { Name = "1 ms, 10 % of the ticks missed", Periods = [(0, 1.0001 * Ms)], MedianUs = 10, Missed = 0.1 },
        new() { Name = "1 ms, 55 % of the ticks missed", Periods = [(0, 1.0001 * Ms)], MedianUs = 10, Missed = 0.55 },
        new() { Name = "0.5 ms, 55 % of the ticks missed", Periods = [(0, 0.50003 * Ms)], MedianUs = 20, Missed = 0.55 },
        new() { Name = "1 ms, idle states of 75 to 225 us", Periods = [(0, 1.0001 * Ms)], MedianUs = 10, IdleExit = (0.3, 150) },
        new() { Name = "1 ms, idle states of 200 to 600 us", Periods = [(0, 1.0001 * Ms)], MedianUs = 10, IdleExit = (0.3, 400) },
        new()
        {
            Name = "0.5 ms, then 1 ms, 15.6 ms and 0.5 ms",
            Periods =
            [
                (0, 0.50003 * Ms), (10 * Second, 1.0001 * Ms), (20 * Second, 15.6251 * Ms), (30 * Second, 0.50003 * Ms),
                (40 * Second, 1.0001 * Ms),
            ],
            MedianUs = 10,
        },
        new()
        {
            Name = "1 ms, a hypervisor's pause of 4 ms twice a second",
            Periods = [(0, 1.0001 * Ms)],
            MedianUs = 20,
            Pause = (Second / 2, 4 * (long)Ms),
        },
    ];

    private readonly Dictionary<string, Outcome> _outcomes = [];

    [Fact]
    public void No_clock_is_refused_and_none_makes_episodes_of_nothing()
    {
        foreach (ProbeClockModel model in Models)
        {
            Outcome outcome = _outcomes[model.Name] = OutcomeOf(model);
        }

        GoldenText.AssertEqual("docs/generated/probe-clocks.md", Document());
        Assert.Empty(_outcomes.Where(one => one.Value.False > 0).Select(one => $"{one.Key}: {one.Value.False} of {one.Value.Wakeups}"));
        Assert.Empty(_outcomes.Where(one => one.Value.CanMeasure && one.Value.Found * 5 < one.Value.Delays * 2).Select(one => one.Key));

        // What the probe cannot measure is left to DPCs and ISRs; that is the exception.
        Assert.Equal(["1 ms, idle states of 200 to 600 us"], _outcomes.Where(one => !one.Value.CanMeasure).Select(one => one.Key));
    }

    private string Document()
    {
        string range = string.Create(CultureInfo.InvariantCulture, $"{LeastDelayUs / 1000} to {MostDelayUs / 1000} ms");
        StringBuilder text = new StringBuilder().Append(CultureInfo.InvariantCulture, $"""
            # The probe on mean clocks

            Written by a test, which this runs again:
            `UPDATE_GOLDEN=1 dotnet artifacts/bin/Tracer.Capture.Tests/release/Tracer.Capture.Tests.dll -class '*ClockModelTests'`.
            No Windows was measured for it: the clocks are invented, to be meaner than real ones.

            Each row is {VirtualSeconds} virtual seconds of one CPU, with the default threshold of {Defaults.Threshold}. Times from the tick
            to the thread are lognormal (sigma 0.5) around the median; every {DelayEvery}th wake-up is really late, by {range} more. *False*
            are wake-ups reported although nothing delayed them; *from due* is how many they would be if latency counted from when the
            timer was due, as it did before the probe named its tick. Where the floor is too high for the threshold, `tracer capture`
            takes `dpc,isr` instead and says so.

            | clock | ticks | floor | 500 us | false | from due | delays found |
            |---|---|---|---|---|---|---|

            """);
        foreach (ProbeClockModel model in Models)
        {
            Outcome one = _outcomes[model.Name];
            text.Append(CultureInfo.InvariantCulture, $"| {model.Name} | {Readable(one.GranularityNs)} | {Readable(one.FloorNs)} | ")
                .Append(one.CanMeasure ? "measured" : "`dpc,isr` instead")
                .Append(CultureInfo.InvariantCulture, $" | {one.False} | {one.FalseFromDue:N0} | ")
                .Append(one.CanMeasure ? string.Create(CultureInfo.InvariantCulture, $"{one.Found} of {one.Delays}") : "-")
                .Append(" |\n");
        }

        return text.Append("""

            On a clock that leaves ticks out, a wake-up just behind a later tick was most likely served by that one: a delay that happens
            to end there is not told from it. That is the price of accusing nobody for the clock.

            """).ToString();
    }

    private static string Readable(long ns) => ns == 0 ? "none" : ReadableDuration.Of(new Duration(ns));

    private static Outcome OutcomeOf(ProbeClockModel model)
    {
        HashSet<long> delayed = [];
        var random = new Random(7);
        FakeProbeMachine? machine = null;
        machine = new FakeProbeMachine
        {
            Model = model,
            Late = (_, number) =>
            {
                if (number < ProbeThread.CalibrationWakeups * 4 || number % DelayEvery != 0)
                {
                    return 0;
                }

                delayed.Add(number);
                return 10L * random.Next(LeastDelayUs, MostDelayUs);
            },
        };
        using (machine)
        using (var memory = ProbeMemory.Create(1))
        {
            machine.Log.IsOn = false;
            var run = new ProbeRun(machine.Events);
            ProbeRing ring = memory.Ring(0);
            var thread = new ProbeThread(machine, Settings, run, ring, 0);
            using IProbeTimer timer = machine.OpenTimer(0, 28);
            thread.Calibrate(timer);
            long calibrated = 0;
            List<ProbeRecord> late = [];
            long fromDue = 0;
            machine.BeforeWait = (_, number) =>
            {
                calibrated = calibrated == 0 ? number : calibrated;
                while (ring.TryRead(out ProbeRecord record))
                {
                    // Wake-ups are told one for one and in order.
                    bool isDelayed = delayed.Contains(calibrated + record.Sequence);
                    fromDue += !isDelayed && IsLate(record.Served - record.Due) ? 1 : 0;
                    if (IsLate(record.Served - record.Tick))
                    {
                        late.Add(record);
                    }
                }

                if (machine.Elapsed >= VirtualSeconds * Second)
                {
                    run.Stop();
                }
            };
            thread.Measure(timer);
            int found = late.RemoveAll(record => delayed.Contains(calibrated + record.Sequence));
            // A pause is a delay as well; the probe knows nothing of it.
            late.RemoveAll(record => model.AfterPauses(record.Served - 1, FakeProbeMachine.Start) != record.Served - 1);
            return new Outcome(
                thread.CanMeasure, thread.FloorNs, thread.GranularityNs, thread.Wakeups, late.Count, fromDue, found, delayed.Count);
        }
    }

    private static bool IsLate(long ticks) => ticks >= Defaults.Threshold.Nanoseconds / 100;

    private sealed record Outcome(
        bool CanMeasure, long FloorNs, long GranularityNs, long Wakeups, long False, long FalseFromDue, long Found, long Delays);
}
