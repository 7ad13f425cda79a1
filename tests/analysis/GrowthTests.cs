using Tracer.Adversary;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests;

/// <summary>
/// Twice the trace costs the analysis twice the work at most, whoever made it: memory taken, records looked at and parts kept are linear in
/// each hostile family. What the budget allows whatever a trace holds is left out, so that small files show it. Times are left to
/// bench/limits.md.
/// </summary>
[Collection(Alone.Name)]
[Trait("Speed", "slow")]
public class GrowthTests
{
    /// <summary>Twice the size may cost this many times as much more; a quadratic cost would be four times.</summary>
    private const double MostGrowth = 2.6;

    /// <summary>What may differ by chance: tables that double, rings that grow.</summary>
    private const long FreeBytes = 32 * 1024 * 1024;

    /// <summary>Bytes that may be taken, most of them given back soon, whatever the trace holds; and for each of its events.</summary>
    private const long FixedBytes = 64L * 1024 * 1024;
    private const long BytesOfEvent = 32_000;

    private const int SmallBytes = 64 * 1024;

    /// <summary>One of three by default: each is judged in three sizes.</summary>
    public static TheoryData<string> Families() => [.. Selection.Some(AnalysisFamilies.All.Select(family => family.Name), 1, parts: 3)];

    [Theory]
    [MemberData(nameof(Families))]
    public void Cost_is_linear_in_the_size(string name)
    {
        AdversaryFamily family = AnalysisFamilies.Find(name)!;
        int smallest = name == "clocks" ? 4 * SmallBytes : SmallBytes; // With less, too few waits contradict each other to try moves.
        Measure(family.Make(smallest)); // Compiles, and makes what is made once.
        Cost[] costs = [.. ((int[])[1, 2, 4]).Select(times => Measure(family.Make(times * smallest)))];
        Assert.True(costs[2].Events > costs[0].Events, Text(costs));
        Assert.True(IsLinear(costs, cost => cost.Allocated, FreeBytes), $"allocated: {Text(costs)}");
        Assert.True(IsLinear(costs, cost => cost.Records, 10_000), $"records: {Text(costs)}");
        Assert.True(IsLinear(costs, cost => cost.Parts, 1000), $"parts: {Text(costs)}");
        Every.Item(costs, cost => Assert.True(cost.Allocated <= FixedBytes + (BytesOfEvent * cost.Events), Text(costs)));
    }

    /// <summary>
    /// Pictures of thousands of overlapping waits keep no more than their stretches take: an owner for each of a million runs once kept
    /// four times as much.
    /// </summary>
    [Fact]
    public void What_strips_keep_is_within_the_bytes_of_their_stretches()
    {
        byte[] file = AnalysisFamilies.Find("measured")!.Make(500_000);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file, writable: false));
        long before = GC.GetTotalMemory(forceFullCollection: true);
        BlameResult result = BlameAnalysis.Analyze("measured", reader, new BlameRequest { WithStrips = true });
        long kept = GC.GetTotalMemory(forceFullCollection: true) - before;
        long stretches = result.Strips.Sum(static strips => strips.Cpus.Sum(static cpu => (long)cpu.Spans.Count));
        Assert.True(stretches > 100_000, $"{stretches} stretches");
        Assert.True(kept < FreeBytes + (stretches * 64), $"{kept} bytes for {stretches} stretches");
    }

    /// <summary>A process that holds much for reasons of its own does not pay for that with each answer.</summary>
    [Fact]
    public void What_a_process_holds_is_not_collected_for_each_answer()
    {
        byte[] held = new byte[8 * FreeBytes];
        byte[] small = AnalysisFamilies.Find("storm")!.Make(20_000);
        Answer();
        int before = GC.CollectionCount(GC.MaxGeneration);
        for (int i = 0; i < 30; i++)
        {
            Answer();
        }

        Assert.InRange(GC.CollectionCount(GC.MaxGeneration) - before, 0, 15);
        GC.KeepAlive(held);

        void Answer()
        {
            using EtlReader reader = EtlReader.Open(new MemoryStream(small));
            BlameAnalysis.Analyze("storm", reader, new BlameRequest());
        }
    }

    /// <summary>Two answers of one process do not add up: what the first left is given back before the second takes as much.</summary>
    [Fact]
    public void What_an_answer_left_is_given_back_before_the_next()
    {
        WeakReference left = Dropped();
        using EtlReader reader = EtlReader.Open(new MemoryStream(AnalysisFamilies.Find("storm")!.Make(SmallBytes)));
        BlameAnalysis.Analyze("storm", reader, new BlameRequest());
        Assert.False(left.IsAlive);

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static WeakReference Dropped()
        {
            byte[] large = new byte[4 * FreeBytes];
            GC.Collect();
            return new WeakReference(large);
        }
    }

    /// <summary>What is left out is said, and what is not left out is still answered.</summary>
    [Theory]
    [InlineData("waits-dpcs")]
    [InlineData("waits-threads")]
    public void Beyond_the_budget_the_report_says_so_and_the_rest_is_told(string name)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(AnalysisFamilies.Find(name)!.Make(200_000)));
        BlameReport report = BlameAnalysis.Analyze(name, reader, Request(out _)).Report;
        Assert.Contains(report.Warnings, warning => warning.Contains("Not looked into", StringComparison.Ordinal));
        Assert.Contains(report.Warnings, warning => warning.Contains("only the largest parts", StringComparison.Ordinal));
        Assert.True(report.Episodes.Count > 1000, string.Join("; ", report.Warnings));
        Assert.Contains(report.Episodes, episode => episode.Causes.Count > 0);
    }

    /// <summary>An interrupt storm of the kind that Windows itself records is accounted for without any cut.</summary>
    [Fact]
    public void A_storm_is_looked_into_whole()
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(AnalysisFamilies.Find("storm")!.Make(1_000_000)));
        BlameReport report = BlameAnalysis.Analyze("storm", reader, new BlameRequest()).Report;
        Assert.DoesNotContain(report.Warnings, warning => warning.Contains("Not looked into", StringComparison.Ordinal));
        Assert.Equal("d1.sys", report.Summary.Culprit);
    }

    /// <summary>The increase from the second to the third size is at most that from the first to the second, so many times.</summary>
    private static bool IsLinear(Cost[] costs, Func<Cost, long> of, long free) =>
        of(costs[2]) - of(costs[1]) <= (MostGrowth * Math.Max(0, of(costs[1]) - of(costs[0]))) + free;

    private static string Text(Cost[] costs) => string.Join(
        "; ",
        costs.Select(cost => string.Create(
            CultureInfo.InvariantCulture,
            $"allocated {cost.Allocated}, records {cost.Records}, parts {cost.Parts}, events {cost.Events}")));

    private static Cost Measure(byte[] file)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        using EtlReader reader = EtlReader.Open(new MemoryStream(file, writable: false));
        BlameRequest request = Request(out Func<WorkBudget> budget) with { WithStrips = true, WithUsage = true };
        BlameReport report = BlameAnalysis.Analyze("adversary", reader, request).Report;
        long allocated = GC.GetTotalAllocatedBytes(precise: true) - before;
        return new Cost(allocated, budget().Records, budget().Parts, report.Trace.Events);
    }

    /// <summary>Asks for everything with a budget that the trace's own events make.</summary>
    private static BlameRequest Request(out Func<WorkBudget> budget)
    {
        WorkBudget? made = null;
        budget = () => made!;
        return new BlameRequest { Budget = events => made = new WorkBudget(events, fixedRecords: 0, fixedParts: 0) };
    }

    private readonly record struct Cost(long Allocated, long Records, long Parts, long Events);
}
