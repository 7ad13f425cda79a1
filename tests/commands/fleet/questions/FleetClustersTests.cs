using Tracer.AnalyzerCommand.Commands.Fleet.Questions;
using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Commands.Tests.Fleet.Questions;

/// <summary>Which chains of many traces are one cause.</summary>
public sealed class FleetClustersTests
{
    private const string Nic = "nic.sys";

    [Fact]
    public void One_cause_is_one_cluster_whatever_offset_build_order_and_beat()
    {
        (string Name, string Version)[] builds = [(Nic, "1.0"), (Nic, "1.1"), (Nic, "2.0")];
        string[] labels = Labels(Enumerable.Range(0, 60).Select(i => MadeCase.Of(
            i, i / 2, 0, [builds[i % 3]],
            MadeCase.Chain(
                i % 2 == 0 ? Nic : "NIC.SYS", Mechanism.Dpc, $"{Nic}+0x{0x8000 + (i % 3 * 0x5210) + (i % 5 * 0x31):x}", 3,
                i % 4 == 0 ? 1.003 : null, CulpritKind.Driver, i % 2 == 0 ? "unexplained" : "isr disk.sys"))));
        Assert.Single(labels.Distinct());
    }

    [Fact]
    public void Two_mechanisms_and_two_functions_of_a_driver_are_two_causes()
    {
        CaseChain[] chains =
        [
            MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}!Receive"), MadeCase.Chain(Nic, Mechanism.Isr, $"{Nic}!Interrupt"),
            MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}!LinkChange+0x1f"), MadeCase.Chain(null, Mechanism.Blackout, null),
        ];
        string[] labels = Labels(Enumerable.Range(0, 40).Select(i => MadeCase.Of(i, i, 0, [(Nic, "1.0")], chains[i % 4])));
        Every.Item(Enumerable.Range(0, 40), i => Assert.Equal(labels[i % 4], labels[i]));
        Assert.Equal(4, labels.Distinct().Count());
    }

    [Fact]
    public void Functions_that_the_same_traces_have_are_one_cause()
    {
        string[] labels = Labels(Enumerable.Range(0, 30).Select(i => MadeCase.Of(
            i, i, 0, [(Nic, "1.0")], MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}!Receive", 3),
            MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}!CopyPackets", 2))));
        Assert.Single(labels.Distinct());
    }

    [Fact]
    public void Offsets_that_no_trace_mixes_are_two_causes_and_stay_so_in_the_next_build()
    {
        // Two routines in builds whose offsets moved; of the first build each trace hits one of them at several offsets.
        string[] labels = Labels(Enumerable.Range(0, 80).Select(i =>
        {
            bool isNew = i % 4 >= 2;
            int at = (i % 2 == 0 ? 0x4000 : 0x9000) + (isNew ? 0x700 : 0);
            return MadeCase.Of(
                i, i, 0, [(Nic, isNew ? "2.0" : "1.0")], MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}+0x{at + (i % 3 * 0x20):x}", 3),
                MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}+0x{at + 0x90:x}", 2));
        }));
        Every.Item(Enumerable.Range(0, 80), i => Assert.Equal(labels[i % 2], labels[i]));
        Assert.Equal(2, labels.Distinct().Count());
    }

    [Fact]
    public void Offsets_of_traces_with_one_episode_prove_nothing()
    {
        string[] labels = Labels(Enumerable.Range(0, 40).Select(i => MadeCase.Of(
            i, i, 0, [(Nic, "1.0")], MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}+0x{(i % 2 == 0 ? 0x4000 : 0x9000):x}", 1))));
        Assert.Single(labels.Distinct());
    }

    [Fact]
    public void What_no_code_tells_is_told_by_its_beat_where_several_machines_have_it()
    {
        double?[] beats = [1.0, 1.002, 16.1, 0.998, 16.0];
        string[] labels = Labels(Enumerable.Range(0, 50).Select(i => MadeCase.Of(
            i, i, 0, [], MadeCase.Chain("hardware or firmware", Mechanism.Blackout, null, 4, beats[i % 5], CulpritKind.Hardware))));
        Assert.Equal(labels[0], labels[1]);
        Assert.Equal(labels[0], labels[3]);
        Assert.Equal(labels[2], labels[4]);
        Assert.Equal(2, labels.Distinct().Count());
        string[] long1 = Labels(Enumerable.Range(0, 50).Select(i => MadeCase.Of(
            i, i, 0, [], MadeCase.Chain(
                "hardware or firmware", Mechanism.Blackout, null, 4, i % 5 == 0 ? 1.0 : null, CulpritKind.Hardware))));
        Assert.Single(long1.Distinct());
        string[] spread = Labels(Enumerable.Range(0, 50).Select(i => MadeCase.Of(
            i, i, 0, [], MadeCase.Chain(
                "hardware or firmware", Mechanism.Blackout, null, 4, 0.6 + (i % 7 * 0.05), CulpritKind.Hardware))));
        Assert.Single(spread.Distinct());
    }

    [Fact]
    public void The_only_cause_of_an_owner_keeps_its_name_when_others_come()
    {
        CaseReport[] few = [MadeCase.Of(1, 1, 0, [(Nic, "1.0")], MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}+0x4000"))];
        CaseReport[] more = [.. few, MadeCase.Of(2, 2, 0, [(Nic, "7.0")], MadeCase.Chain(Nic, Mechanism.Dpc, $"{Nic}+0x9000"))];
        Assert.Equal(Labels(few)[0], Labels(more)[0]);
    }

    /// <summary>The largest cluster of each case, in the order of the cases.</summary>
    private static string[] Labels(IEnumerable<CaseReport> cases)
    {
        using SqliteFleetStore store = Loaded(cases);
        FleetClusters.Of(store);
        return [.. store.Query(FleetQuestions.Labels).GroupBy(row => row.Text(0)).Select(one => one.First().Text(2))];
    }

    internal static SqliteFleetStore Loaded(IEnumerable<CaseReport> cases)
    {
        var store = SqliteFleetStore.Open(null);
        using var lines = new MemoryStream([.. cases.SelectMany(MadeCase.Line)]);
        Assert.True(new FleetLoad(store).Read("made", lines));
        return store;
    }
}
