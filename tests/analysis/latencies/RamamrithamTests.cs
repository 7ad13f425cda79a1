using System.Text;
using Tracer.Analysis.Latencies;

namespace Tracer.Analysis.Tests.Latencies;

/// <summary>
/// Tables 2 to 4 of Ramamritham and others (RTAS 1998) on a machine set up as theirs, by the probes of that machine and from its trace:
/// what the network takes is the same in each round trip of a row, and what differs is how long the thread that takes the acknowledgment
/// waits for the CPU.
/// </summary>
public class RamamrithamTests
{
    private const double Million = 1e6;

    /// <summary>Table 2: what 1000 commands each 30, 50 and 100 ms took, by the class of the operator's process.</summary>
    private static readonly Row[] Table2 =
    [
        new(Of(30, OperatorWorkstation.Normal), 75.297, 2.654, 8.846),
        new(Of(30, OperatorWorkstation.High), 27.938, 2.523, 2.571),
        new(Of(30, OperatorWorkstation.RealTime), 16.583, 2.362, 0.260),
        new(Of(50, OperatorWorkstation.Normal), 43.759, 3.356, 19.721),
        new(Of(50, OperatorWorkstation.High), 44.098, 2.673, 5.879),
        new(Of(50, OperatorWorkstation.RealTime), 9.475, 2.428, 0.242),
        new(Of(100, OperatorWorkstation.Normal), 54.858, 3.104, 16.523),
        new(Of(100, OperatorWorkstation.High), 32.740, 2.765, 5.184),
        new(Of(100, OperatorWorkstation.RealTime), 2.884, 2.379, 0.004),
    ];

    /// <summary>Table 3: commands each 10 ms, by length and level of the operator's threads; how many of 300 were tardy (4.4.2).</summary>
    private static readonly Row[] Table3 =
    [
        new(OfSize(1, OperatorWorkstation.RealTime), 9.473, 2.496, 0.69, 0),
        new(OfSize(1, OperatorWorkstation.Highest), 6.990, 2.445, 0.143, 0),
        new(OfSize(1.5, OperatorWorkstation.RealTime), 10.735, 3.495, 0.2, 2),
        new(OfSize(1.5, OperatorWorkstation.Highest), 7.211, 3.351, 0.025, 0),
        new(OfSize(2, OperatorWorkstation.RealTime), 14.15, 4.738, 0.693, 4),
        new(OfSize(2, OperatorWorkstation.Highest), 6.043, 4.212, 0.014, 0),
    ];

    /// <summary>Table 4: each acknowledgment is shown on the screen before the next is taken.</summary>
    private static readonly Row[] Table4 =
    [
        new(WithScreen(10), 126.873, 6.150, 93.12),
        new(WithScreen(20), 52.278, 3.55, 14.067),
        new(WithScreen(100), 30.913, 2.615, 1.81),
    ];

    /// <summary>
    /// What he concludes (4.4.1): round trips vary much more at NORMAL than at HIGH, and there more than at REALTIME; the mean and the
    /// maximum fall, but little beside the variance.
    /// </summary>
    [Fact]
    public void Table_2_falls_with_priority_as_published()
    {
        Measured[] all = Measure(Table2, "2");
        for (int first = 0; first < all.Length; first += 3)
        {
            Figures[] trips = [.. all.Skip(first).Take(3).Select(one => one.Trips)];
            Figures[] waits = [.. all.Skip(first).Take(3).Select(one => one.Waits)];
            foreach (Figures[] by in new[] { trips, waits })
            {
                Assert.True(by[0].Variance > 2 * by[1].Variance && by[1].Variance > by[2].Variance);
                Assert.True(by[0].Mean > by[1].Mean && by[0].Maximum > by[1].Maximum && by[1].Maximum > by[2].Maximum);
            }
        }

        foreach ((Row row, Measured measured) in Table2.Zip(all))
        {
            Assert.InRange(measured.Trips.Mean / row.Mean, 0.75, 1.25);
            AssertWaitsTellRoundTrips(measured);
        }
    }

    /// <summary>
    /// At the level of the sensors' threads some commands are tardy, and at HIGHEST none, with a variance that is less by far (4.4.2).
    /// </summary>
    [Fact]
    [Trait("Speed", "long")]
    public void Table_3_has_tardy_commands_below_the_highest_level_alone()
    {
        Measured[] all = Measure(Table3, "3");
        for (int i = 0; i < all.Length; i += 2)
        {
            (Measured normal, Measured highest) = (all[i], all[i + 1]);
            Assert.True(normal.Waits.Tardy > 0 && normal.Trips.Tardy > 0);
            Assert.Equal((0, 0), (highest.Waits.Tardy, highest.Trips.Tardy));
            Assert.True(normal.Waits.Variance > 10 * highest.Waits.Variance);
            Assert.Equal(normal.Trips.Mean, highest.Trips.Mean, 0.1);
        }

        foreach ((Row row, Measured measured) in Table3.Zip(all))
        {
            Assert.InRange(measured.Trips.Mean / row.Mean, 0.85, 1.15);
            AssertWaitsTellRoundTrips(measured);
        }
    }

    /// <summary>
    /// Commands that are shown on the screen miss deadlines each 10 and 20 ms and not each 100 ms (4.4.3): what draws has a priority below
    /// the video's, and what waits for it is not late for a CPU. The trace shows whom to look at.
    /// </summary>
    [Fact]
    [Trait("Speed", "long")]
    public void Table_4_is_late_by_who_draws()
    {
        Measured[] all = Measure(Table4, "4");
        Assert.True(all[0].Trips.Tardy > all[1].Trips.Tardy && all[1].Trips.Tardy > 0);
        Assert.Equal(0, all[2].Trips.Tardy);
        Assert.True(all[0].Trips.Variance > 3 * all[1].Trips.Variance && all[1].Trips.Variance > 3 * all[2].Trips.Variance);
        Every.Item(all, one => Assert.True(one.Waits.Maximum > 20));
    }

    /// <summary>
    /// The mean, the greatest and the variance of the waits are those of the round trips but for what the network takes, unless the thread
    /// is preempted when it runs already.
    /// </summary>
    private static void AssertWaitsTellRoundTrips(Measured measured)
    {
        double network = measured.Trips.Mean - measured.Waits.Mean;
        Assert.InRange(measured.Trips.Maximum - measured.Waits.Maximum - network, -0.2, 0.2);
        Assert.InRange(measured.Waits.Variance, 0.6 * measured.Trips.Variance - 0.01, 1.1 * measured.Trips.Variance);
    }

    private static OperatorWorkstation Of(int period, int priority) => new() { Period = period, Priority = priority };

    private static OperatorWorkstation OfSize(double kilobytes, int priority) => new()
    {
        Period = 10,
        Priority = OperatorWorkstation.RealTime,
        OperatorPriority = priority,
        Kilobytes = kilobytes,
        Commands = 3000,
    };

    private static OperatorWorkstation WithScreen(int period) => OfSize(1, OperatorWorkstation.Highest) with
    {
        Period = period,
        Commands = 1000,
        HasScreen = true,
    };

    private static Measured[] Measure(Row[] rows, string table)
    {
        Measured[] all = [.. rows.Select(row => Measure(row.Station))];
        var text = new StringBuilder("ms: most, mean, variance, tardy; the paper | this machine's probes | waits in its trace\n");
        foreach ((Row row, Measured measured) in rows.Zip(all))
        {
            OperatorWorkstation station = row.Station;
            text.Append(CultureInfo.InvariantCulture, $"each {station.Period} ms, {station.Kilobytes} KB, ")
                .Append(CultureInfo.InvariantCulture, $"priority {station.OperatorPriority ?? station.Priority}: ")
                .Append(CultureInfo.InvariantCulture, $"{row.Maximum:f3} {row.Mean:f3} {row.Variance:f3} ")
                .Append(row.Tardy?.ToString(CultureInfo.InvariantCulture) ?? "-")
                .Append(CultureInfo.InvariantCulture, $" | {measured.Trips} | {measured.Waits}\n");
        }

        GoldenText.AssertEqual($"tests/analysis/latencies/ramamritham-{table}.txt", text.ToString());
        return all;
    }

    private static Measured Measure(OperatorWorkstation station)
    {
        var request = new LatencyRequest
        {
            Kinds = new HashSet<LatencyKind> { LatencyKind.Thread },
            Splits = [LatencyDimensions.Process | LatencyDimensions.Priority],
        };
        byte[] trace = station.Run(out IReadOnlyList<long> roundTrips);
        LatencyReport report = LatencyTraces.Report(request, LatencyTraces.Measure(trace, "workstation", request));
        // What waits for the screen waits for the console's process.
        (string process, int priority) = station.HasScreen
            ? (OperatorWorkstation.Console, OperatorWorkstation.High)
            : (OperatorWorkstation.Acknowledgment, station.OperatorPriority ?? station.Priority);
        LatencyDistribution waits = report.Distributions.Single(one => one.Part.Process == process && one.Part.Priority == priority);
        double mean = roundTrips.Average() / Million;
        long period = station.Period * (long)Million;
        long slack = period - (long)(mean * Million) + waits.Mean.Nanoseconds;
        return new Measured(
            new Figures(
                roundTrips.Count,
                roundTrips.Max() / Million,
                mean,
                roundTrips.Average(one => Math.Pow((one / Million) - mean, 2)),
                roundTrips.Count(one => one > period)),
            new Figures(
                waits.Count,
                waits.Maximum.Nanoseconds / Million,
                waits.Mean.Nanoseconds / Million,
                Math.Pow(waits.Deviation!.Value.Nanoseconds / Million, 2),
                LatencyDistributions.HistogramOf(waits)!.CountBetween(slack, long.MaxValue)));
    }

    private sealed record Row(OperatorWorkstation Station, double Maximum, double Mean, double Variance, int? Tardy = null);

    private sealed record Measured(Figures Trips, Figures Waits);

    private sealed record Figures(long Count, double Maximum, double Mean, double Variance, long Tardy)
    {
        public override string ToString() =>
            string.Create(CultureInfo.InvariantCulture, $"{Maximum:f3} {Mean:f3} {Variance:f3} {Tardy} of {Count}");
    }
}
