using Tracer.Analysis.Facts;
using Tracer.Analysis.Latencies;

namespace Tracer.Analysis.Tests.Latencies;

/// <summary>What would delay the threads of an application, and whether they would be in time.</summary>
public class InterferenceTests
{
    private const long Ms = 1_000_000;

    /// <summary>A task whose fifth job is the latest: its responses are 114, 102, 116, 104, 118, 106 and 94 (Lehoczky 1990).</summary>
    [Fact]
    public void The_latest_job_need_not_be_the_first()
    {
        var graph = new AudioGraph(
            [new GraphNode("short", 70 * Ms, 26 * Ms, 20, 2, []), new GraphNode("long", 100 * Ms, 62 * Ms, 10, 3, [])], null);
        GraphAdmission admission = Quiet(graph);
        Assert.Equal([new Duration(26 * Ms), new Duration(118 * Ms)], admission.Nodes.Select(node => node.Bound));
        Assert.All(admission.Nodes, node => Assert.True(node.Fits));
    }

    /// <summary>What a node comes after is its own work, at the lower priority of both; what comes after it waits for it.</summary>
    [Fact]
    public void A_chain_has_the_work_of_all_before_and_the_least_priority()
    {
        var graph = new AudioGraph(
            [
                new GraphNode("first", 10 * Ms, 2 * Ms, 12, 2, []),
                new GraphNode("second", 10 * Ms, 3 * Ms, 20, 2, [0]),
                new GraphNode("other", 10 * Ms, 4 * Ms, 15, 2, []),
                new GraphNode("too much", 10 * Ms, 4 * Ms, 8, 2, [1]),
            ],
            null);
        GraphAdmission admission = Quiet(graph);
        Assert.Equal([2, 5, 4, 9], admission.Nodes.Select(node => node.ChainWork.Nanoseconds / Ms));
        Assert.Equal([12, 12, 15, 8], admission.Nodes.Select(node => node.Level));
        Assert.Equal([true, true, true, false], admission.Nodes.Select(node => node.FitsAlone));
        Assert.Equal([true, true, true, false], admission.Nodes.Select(node => node.Fits));
        Assert.Equal([9L, 9, 7, null], admission.Nodes.Select(node => node.Bound?.Nanoseconds / Ms));
    }

    /// <summary>No window of what was added has more runs or more work than the curve tells.</summary>
    [Fact]
    public void A_curve_is_never_below_what_was_seen()
    {
        var random = new SplitMix64(5);
        for (int round = 0; round < 20; round++)
        {
            var curve = new ArrivalCurve();
            List<(long Start, long End)> runs = [];
            long now = 0;
            for (int i = 0; i < 1500; i++)
            {
                now += 1 + (long)(random.NextBits() % (i % 50 < 20 ? 30UL : 3000UL));
                long end = now + 1 + (long)(random.NextBits() % (i % 97 == 0 ? 500UL : 20UL));
                curve.Add(now, end, end - now);
                runs.Add((now, end));
                now = end;
            }

            foreach (long window in new long[] { 1, 10, 100, 1_000, 10_000, 100_000, 1_500_000 })
            {
                int last = 0;
                for (int first = 0; first < runs.Count; first += 7)
                {
                    long from = runs[first].Start + (long)(random.NextBits() % 30);
                    (last, int gone) = (Math.Max(first, last), first);
                    while (last < runs.Count && runs[last].Start < from + window)
                    {
                        last++;
                    }

                    var within = runs[gone..last].Where(run => run.End > from).ToList();
                    Assert.True(within.Count <= curve.RunsIn(window));
                    long work = within.Sum(run => Math.Min(run.End, from + window) - Math.Max(run.Start, from));
                    Assert.True(work <= curve.WorkIn(window), $"{work} of {window}");
                    Assert.True(curve.WorkIn(window) <= curve.StrictWorkIn(window));
                }
            }
        }
    }

    [Fact]
    public void A_strict_period_has_as_many_runs_in_a_window_as_fit()
    {
        var curve = new ArrivalCurve();
        for (int i = 0; i < 5000; i++)
        {
            curve.Add(100L * i, 100L * i + 10, 10);
        }

        // One may just have begun when the window does.
        Assert.Equal([1, 2, 11, 20], new double[] { 89, 90, 1000, 1900 }.Select(curve.RunsIn));
        Assert.Equal(110, curve.WorkIn(1000));
        Assert.InRange(curve.WorkIn(1_000_000), 100_000, 100_200);
    }

    /// <summary>Runs on both sides of missing records are not in a row.</summary>
    [Fact]
    public void A_curve_does_not_lead_over_missing_records()
    {
        var curve = new ArrivalCurve();
        curve.Add(0, 1, 1);
        curve.GoOnIn(1);
        curve.Add(2, 3, 1);
        Assert.Equal(1, curve.RunsIn(1_000));
    }

    [Fact]
    public void Work_is_done_in_the_gaps()
    {
        var busy = new BusyStretches();
        busy.Add(10, 20);
        busy.Add(25, 30);
        busy.Add(22, 40); // Interrupted by the one before.
        busy.Add(50, 60);
        Assert.Equal(28, busy.BusyIn(5, 50));
        Assert.Equal(9, busy.BusyIn(15, 26));
        Assert.Equal([21, 22, 41, 50, 61], new[] { 1.0, 2, 3, 12, 13 }.Select(work => busy.DoneAt(0, work)));
        Assert.Equal(45, busy.DoneAt(1, 5));
    }

    /// <summary>A quiet machine has room for a thread of 10 ms; one of 5 ms is late behind a driver's DPCs, and not on it.</summary>
    [Fact]
    public void A_graph_fits_a_quiet_machine_and_not_one_with_many_DPCs()
    {
        var graph = new AudioGraph([new GraphNode("slow", 10 * Ms, Ms, 26, 2, []), new GraphNode("fast", 5 * Ms, Ms, 27, 2, [])], null);
        GraphAdmission quiet = Of(graph, "clean");
        NodeAdmission flooded = Of(graph, "dpc-flood").Nodes[1];
        Assert.Equal([true, null], quiet.Nodes.Select(node => node.Fits));
        Assert.All(quiet.Nodes, node => Assert.True(node.Observed <= node.Deadline));
        Assert.Equal((false, null), (flooded.Fits, flooded.Bound));
        Assert.Equal(InterferenceKind.Dpc, flooded.Terms[0].Kind);
    }

    /// <summary>The bound is never below what was observed, whatever the machine: it has all that was, and more.</summary>
    [Theory]
    [InlineData("clean")]
    [InlineData("nic-autosense")]
    [InlineData("priority-hog")]
    [InlineData("masked-interrupts")]
    [InlineData("usb-storm")]
    public void What_was_observed_is_within_the_bound(string scenario)
    {
        GraphNode[] nodes =
        [
            new("fast", Ms, Ms / 20, 28, 2, []), new("middle", 10 * Ms, Ms, 20, 4, []), new("slow", 100 * Ms, 5 * Ms, 8, 8, []),
            new("alone", 500 * Ms, 10 * Ms, 26, 2, []),
        ];
        int told = 0;
        foreach (GraphNode node in nodes)
        {
            NodeAdmission admission = Of(new AudioGraph([node], null), scenario).Nodes[0];
            if (admission is { Bound: { } bound, Observed: { } observed })
            {
                told++;
                Assert.True(observed <= bound, $"{node.Name}: {observed} > {bound}");
                Assert.True(admission.StrictBound is not { } strict || bound <= strict);
            }

            Assert.False(admission.Fits == true && admission.Observed is null);
        }

        Assert.True(told > 0);
    }

    /// <summary>A program in the trace that is the graph's own delays nothing.</summary>
    [Fact]
    public void The_threads_of_the_graphs_own_program_are_left_out()
    {
        var graph = new AudioGraph([new GraphNode("mixer", 100 * Ms, Ms, 8, 2, [])], null);
        InterferenceTerm[] all = [.. Of(graph, "priority-hog").Nodes[0].Terms.Where(term => term.Kind == InterferenceKind.Threads)];
        Assert.NotEmpty(all);
        GraphAdmission without = Of(graph with { Process = all[0].Name }, "priority-hog");
        Assert.DoesNotContain(without.Nodes[0].Terms, term => term.Kind == InterferenceKind.Threads && term.Name == all[0].Name);
    }

    /// <summary>What is behind a graph on a CPU that nobody uses.</summary>
    private static GraphAdmission Quiet(AudioGraph graph)
    {
        using EtlReader reader = EtlReader.Open(LatencyTraces.Simulated("clean", 1), "quiet.etl");
        var recording = new InterferenceRecording(graph);
        recording.Begin("quiet.etl", TraceFacts.Read(reader), reader.Header.Clock, 1);
        long start = reader.Header.Clock.HeaderTicks;
        recording.Switched(0, 0, 0, start);
        recording.Switched(0, 0, 0, start + 10 * reader.Header.Clock.TicksPerSecond);
        return AdmissionTest.Of(graph, recording);
    }

    private static GraphAdmission Of(AudioGraph graph, string scenario)
    {
        using EtlReader reader = EtlReader.Open(LatencyTraces.Simulated(scenario, 5), $"{scenario}.etl");
        var recording = new InterferenceRecording(graph);
        LatencyAnalysis.Measure($"{scenario}.etl", reader, new LatencyRequest(), null, recording);
        return AdmissionTest.Of(graph, recording);
    }
}
