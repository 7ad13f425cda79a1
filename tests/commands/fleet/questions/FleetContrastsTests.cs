using Tracer.AnalyzerCommand.Commands.Fleet.Questions;
using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Commands.Tests.Fleet.Questions;

/// <summary>What affected machines have more often than others, and what changed.</summary>
public sealed class FleetContrastsTests
{
    private const string Nic = "nic.sys";
    private const string Bad = "2.0";

    [Fact]
    public void A_version_that_brings_a_cause_is_found_and_each_machine_counts_once()
    {
        FleetReport report = Report(Cases(1, machine => Version(machine) == Bad ? 0.9 : 0.02));
        FleetCluster cluster = report.Clusters[0];
        FleetContrast first = cluster.Contrasts[0];
        Assert.Equal(("driver " + Nic, Bad), (first.Trait, first.Value));
        Assert.Equal(120, first.Machines + first.OtherMachines);
        Assert.Equal(cluster.Machines, first.Affected + first.OtherAffected);
        Assert.True(first.Low > 3 && first.Ratio > first.Low && first.High > first.Ratio && first.Chance < 1e-6);
    }

    [Fact]
    public void Equal_fleets_have_no_contrast_and_no_change_in_20_seeds()
    {
        for (int seed = 1; seed <= 20; seed++)
        {
            FleetReport report = Report(Cases(seed, _ => 0.3), "7d");
            Assert.Empty(report.Clusters.SelectMany(cluster => cluster.Contrasts));
            Every.Item(report.Clusters, cluster => Assert.Equal("not-shown", cluster.Since!.State));
        }
    }

    [Fact]
    public void What_is_new_and_what_rose_is_told_and_what_stayed_is_not()
    {
        var random = new Random(7);
        List<CaseReport> cases = [];
        for (int i = 0; i < 800; i++)
        {
            int machine = i % 40;
            double day = i / 40 * 1.4;
            bool isLast = day > 19.6;
            List<CaseChain> chains = [];
            Sometimes(0.3, "steady.sys");
            Sometimes(isLast ? 0.7 : 0.1, "rising.sys");
            Sometimes(isLast && machine < 20 ? 0.5 : 0, "fresh.sys");
            cases.Add(MadeCase.Of(i, machine, day, [], [.. chains]));

            void Sometimes(double chance, string driver)
            {
                if (random.NextDouble() < chance)
                {
                    chains.Add(MadeCase.Chain(driver, Mechanism.Dpc, $"{driver}!Dpc"));
                }
            }
        }

        FleetReport report = Report(cases, "7d");
        Dictionary<string, FleetChange> changes = report.Clusters.ToDictionary(one => one.Owner!, one => one.Since!);
        Assert.Equal("not-shown", changes["steady.sys"].State);
        Assert.Equal("rose", changes["rising.sys"].State);
        Assert.True(changes["rising.sys"] is { Ratio: > 3, Low: > 2, High: > 4 });
        Assert.Equal(("new", 0L), (changes["fresh.sys"].State, changes["fresh.sys"].CasesBefore));
    }

    [Fact]
    public void What_goes_along_with_the_reason_is_told_behind_it_and_chance_is_not()
    {
        for (int seed = 1; seed <= 3; seed++)
        {
            FleetReport report = Report(Confounded(new Random(seed)));
            FleetCluster cluster = report.Clusters.Single(one => one.Owner == "audio.sys");
            Assert.Equal(("cpu", "CPU 2"), (cluster.Contrasts[0].Trait, cluster.Contrasts[0].Value));
            Assert.Contains(cluster.Contrasts, one => (one.Trait, one.Value) == ("driver gpu.sys", "5.1"));
            Assert.Empty(report.Clusters.Single(one => one.Owner == "chance.sys").Contrasts);
        }

        // A driver is late on one processor; nine of ten machines with it, and a tenth of the others, have a new version of another driver.
        static IEnumerable<CaseReport> Confounded(Random random)
        {
            for (int machine = 0; machine < 240; machine++)
            {
                string cpu = $"CPU {random.Next(6)}";
                bool isReason = cpu == "CPU 2";
                (string, string)[] drivers =
                [
                    ("audio.sys", "1.0"), ("gpu.sys", random.NextDouble() < 0.9 == isReason ? "5.1" : "5.0"),
                    ("nic.sys", $"{random.Next(3)}.0"), ("chance.sys", $"{random.Next(2)}.0"),
                ];
                List<CaseChain> chains = [];
                if (random.NextDouble() < (isReason ? 0.7 : 0.04))
                {
                    chains.Add(MadeCase.Chain("audio.sys", Mechanism.Dpc, "audio.sys!Render"));
                }

                if (random.NextDouble() < 0.2)
                {
                    chains.Add(MadeCase.Chain("chance.sys", Mechanism.Isr, "chance.sys!Isr"));
                }

                CaseReport one = MadeCase.Of(machine, machine, 0, drivers, [.. chains]);
                yield return one with { System = one.System with { Cpu = cpu } };
            }
        }
    }

    [Fact]
    public void Where_machines_since_are_others_than_before_one_case_of_each_is_compared()
    {
        // Those of before sent four cases each, and so show more than those since, who sent one.
        var random = new Random(11);
        List<CaseReport> cases = [];
        for (int i = 0; i < 300; i++)
        {
            bool isSince = i >= 240;
            List<CaseChain> chains = [];
            Sometimes(0.4, "steady.sys");
            Sometimes(isSince ? 0.7 : 0.1, "rising.sys");
            Sometimes(isSince ? 0 : 0.6, "falling.sys");
            Sometimes(isSince && i % 2 == 0 ? 1 : 0, "fresh.sys");
            cases.Add(MadeCase.Of(i, isSince ? i : i % 60, isSince ? 20 : i / 60, [], [.. chains]));

            void Sometimes(double chance, string driver)
            {
                if (random.NextDouble() < chance)
                {
                    chains.Add(MadeCase.Chain(driver, Mechanism.Dpc, $"{driver}!Dpc"));
                }
            }
        }

        FleetReport report = Report(cases, "7d");
        Dictionary<string, FleetChange> changes = report.Clusters.ToDictionary(one => one.Owner!, one => one.Since!);
        Every.Item(changes.Values, change => Assert.Equal((60L, 60L, 0L), (change.OthersBefore, change.OthersSince, change.Machines)));
        Assert.Equal("not-shown", changes["steady.sys"].State);
        Assert.True(changes["rising.sys"] is { State: "rose", Ratio: > 3, Low: > 1.5, High: > 4 });
        Assert.True(changes["falling.sys"] is { State: "fell", Ratio: 0, High: < 0.2 });
        Assert.Equal("new", changes["fresh.sys"].State);
        Assert.Contains(report.Warnings, warning => warning.Contains("on other machines since than before", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(60, 60, 0.1, 0.1, 0, 0)]
    [InlineData(200, 20, 0.05, 0.05, 0, 0)]
    [InlineData(12, 300, 0.5, 0.5, 0, 0)]
    [InlineData(60, 60, 0.1, 0.45, 160, 200)]
    [InlineData(200, 20, 0.1, 0.6, 160, 200)]
    public void Of_200_pairs_of_other_machines_none_that_is_alike_is_told_and_most_that_differ_are(
        int before, int since, double partBefore, double partSince, int least, int most)
    {
        var random = new Random(3);
        int told = Enumerable.Range(0, 200).Count(_ => Tracer.Forecast.ProportionComparison.Of(
            Having(since, partSince), since, Having(before, partBefore), before).P < FleetChanges.FalseAlarms);
        Assert.InRange(told, least, most);

        long Having(int machines, double part) => Enumerable.Range(0, machines).LongCount(_ => random.NextDouble() < part);
    }

    [Fact]
    public void Undecided_and_unreadable_traces_are_neither_affected_nor_unaffected()
    {
        CaseReport one = MadeCase.Of(1, 1, 0, [(Nic, Bad)], MadeCase.Chain(Nic, Mechanism.Dpc, null));
        CaseReport undecided = MadeCase.Of(2, 2, 0, [(Nic, Bad)], MadeCase.Chain(null, Mechanism.Unexplained, null)) with
        {
            Verdict = Verdict.Unknown,
        };
        CaseReport unreadable = MadeCase.Of(3, 3, 0, []) with
        {
            Verdict = null,
            Problem = new CaseProblem("unreadable", "it is no trace"),
            Machine = null,
        };
        FleetReport report = Report([one, undecided, unreadable, one, MadeCase.Of(4, 4, 0, [(Nic, Bad)])]);
        Assert.Equal((4L, 2L, 1L, 1L), (report.Summary.Cases, report.Summary.Judged, report.Summary.Undecided, report.Summary.Unreadable));
        Assert.Equal(2, report.Summary.Machines);
        Assert.Equal((1L, 0.5, 1.0), (report.Clusters.Single().Machines, report.Clusters[0].MachineShare, report.Clusters[0].TimeShare));
        Assert.Equal(2000, Assert.Single(report.Latencies).Count);
    }

    private static string Version(int machine) => machine % 4 == 0 ? Bad : "1.0";

    private static IEnumerable<CaseReport> Cases(int seed, Func<int, double> chance)
    {
        var random = new Random(seed);
        for (int i = 0; i < 600; i++)
        {
            int machine = i % 120;
            List<(string, string)> drivers = [(Nic, Version(machine)), ("disk.sys", $"{machine % 6}.0")];
            drivers.AddRange(Enumerable.Range(0, 20).Where(j => (machine >> (j % 5) & 1) == 1).Select(j => ($"other{j}.sys", "1.0")));
            bool isAffected = random.NextDouble() < chance(machine);
            yield return MadeCase.Of(
                i, machine, i / 120 * 5, drivers, isAffected ? [MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}!Receive")] : []);
        }
    }

    private static FleetReport Report(IEnumerable<CaseReport> cases, string? since = null)
    {
        using SqliteFleetStore store = FleetClustersTests.Loaded(cases);
        return new FleetBuilder(store, FleetTimes.At(MadeCase.Start.AddYears(1)), _ => new Dictionary<string, string>())
            .Make(FleetOrder.Machines, since is null ? null : FleetSince.Parse(since), null)!;
    }
}
