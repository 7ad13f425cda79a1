using System.CommandLine;
using Tracer.AnalyzerCommand.Commands.Fleet.Questions;
using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Print;

/// <summary>Which table <c>analyzer fleet --format csv</c> prints.</summary>
internal enum FleetCsv
{
    /// <summary>A row for each cause.</summary>
    Clusters,

    /// <summary>A row for each thing that affected machines of a cause have more often.</summary>
    Contrasts,

    /// <summary>A row for each cause of each case, the case's largest first.</summary>
    Cases,

    /// <summary>A row for each kind of latency and what measured it.</summary>
    Latencies,
}

/// <summary>The option that chooses between them, and what prints them.</summary>
internal static class FleetTables
{
    private static readonly NamedChoice<FleetCsv> Names = NamedChoice.OfAll<FleetCsv>();

    /// <summary>Makes the option; null where it is not given.</summary>
    public static Option<FleetCsv?> Option()
    {
        string names = Names.HelpName.Replace("|", ", ", StringComparison.Ordinal);
        var option = new Option<FleetCsv?>("--table")
        {
            Description = $"Which table --format csv prints: {names} [default: clusters].",
            HelpName = "TABLE",
            CustomParser = result => Names.Parse(result),
        };
        Names.Complete(option);
        return option;
    }

    /// <param name="store">The store, with its clusters; cases are read from it as they are written.</param>
    public static void Write(FleetCsv table, FleetReport report, IFleetStore store, TextWriter output)
    {
        (string header, IEnumerable<CsvLine> lines) = table switch
        {
            FleetCsv.Clusters => (
                "rank,cluster,kind,owner,mechanism,routine,beat_s,machines,machine_share,cases,episodes,us,time_share,worst_us,first_utc,"
                + "last_utc,since,since_ratio,since_low,since_high,since_chance,example,trace",
                report.Clusters.Select(Cluster)),
            FleetCsv.Contrasts => (
                "cluster,owner,mechanism,trait,value,affected,machines,other_affected,other_machines,ratio,low,high,chance",
                report.Clusters.SelectMany(cluster => cluster.Contrasts.Select(contrast => Contrast(cluster, contrast)))),
            FleetCsv.Cases => ("id,machine,rank,cluster,episodes,us", Cases(store)),
            FleetCsv.Latencies => ("kind,source,count,p50_us,p99_us,p999_us,max_us", report.Latencies.Select(Latency)),
            _ => throw new ArgumentOutOfRangeException(nameof(table)),
        };
        CsvLine.Write(header, lines, output);
    }

    private static CsvLine Cluster(FleetCluster one, int index) => new CsvLine()
        .Number(index + 1).Text(one.Id).Text(one.Kind is { } kind ? KebabCase.Of(kind) : null).Text(one.Owner)
        .Text(KebabCase.Of(one.Mechanism)).Text(one.Routine).Number(one.BeatSeconds).Number(one.Machines).Number(one.MachineShare)
        .Number(one.Cases).Number(one.Episodes).Microseconds(one.Time).Number(one.TimeShare).Microseconds(one.Worst).Utc(one.FirstUtc)
        .Utc(one.LastUtc).Text(one.Since?.State).Number(one.Since?.Ratio).Number(one.Since?.Low).Number(one.Since?.High)
        .Number(one.Since?.Chance).Text(one.Example.Id).Text(one.Example.Trace);

    private static CsvLine Contrast(FleetCluster cluster, FleetContrast one) => new CsvLine()
        .Text(cluster.Id).Text(cluster.Owner).Text(KebabCase.Of(cluster.Mechanism)).Text(one.Trait).Text(one.Value).Number(one.Affected)
        .Number(one.Machines).Number(one.OtherAffected).Number(one.OtherMachines).Number(one.Ratio).Number(one.Low).Number(one.High)
        .Number(one.Chance);

    private static IEnumerable<CsvLine> Cases(IFleetStore store)
    {
        string id = "";
        long rank = 0;
        foreach (FleetRow row in store.Query(FleetQuestions.Labels))
        {
            rank = row.Text(0) == id ? rank + 1 : 1;
            id = row.Text(0);
            yield return new CsvLine().Text(id).Text(row.Text(1).Length > 0 ? row.Text(1) : null).Number(rank).Text(row.Text(2))
                .Number(row.Number(3)).Number(row.Number(4));
        }
    }

    private static CsvLine Latency(FleetLatency one) => new CsvLine()
        .Text(KebabCase.Of(one.Kind)).Text(KebabCase.Of(one.Source)).Number(one.Count).Microseconds(one.Median).Microseconds(one.P99)
        .Microseconds(one.P999).Microseconds(one.Maximum);
}
