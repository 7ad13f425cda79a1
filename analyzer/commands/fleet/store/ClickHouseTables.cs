namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// The tables of a store on ClickHouse. Rows are in <c>NAME_rows</c> of each server, a ReplacingMergeTree in parts by month, in which rows
/// of equal keys become one when parts are merged; the view <c>NAME_once</c> reads them as if they had been (FINAL in a question itself is
/// not taken by 18.16 where it joins or leaves out the key). On a cluster <c>NAME_all</c> stands before the rows of all servers and sends
/// each to one by its machine, and <c>NAME_once_all</c> before their views.
/// </summary>
internal sealed class ClickHouseTables(ClickHouseAddress address)
{
    /// <summary>Tells the version of the store and its cluster; a view, so that it is there at once or not at all.</summary>
    public const string Marker = "tracer_store";

    /// <summary>What makes all tables on a server where they are not there.</summary>
    public IEnumerable<string> Making()
    {
        foreach (FleetTable table in FleetTable.All)
        {
            string key = string.Join(", ", table.Key);
            yield return $"CREATE TABLE IF NOT EXISTS {Rows(table)} ({string.Join(", ", table.Columns.Select(Column))}) "
                + $"ENGINE = ReplacingMergeTree() {Partitions(table)}ORDER BY ({key})";
            yield return $"CREATE VIEW IF NOT EXISTS {Named(table, "once")} AS SELECT * FROM {Rows(table)} FINAL";
            if (address.Cluster is not null)
            {
                yield return Spread(table, "all", "rows");
                yield return Spread(table, "once_all", "once");
            }
        }
    }

    public string Target(FleetTable table) => Named(table, address.Cluster is null ? "rows" : "all");

    /// <summary>Where rows are read, those of equal keys once.</summary>
    public string Source(FleetTable table) => Named(table, address.Cluster is null ? "once" : "once_all");

    private string Named(FleetTable table, string what) => $"{address.Database}.{table.Name}_{what}";

    private string Rows(FleetTable table) => Named(table, "rows");

    private string Spread(FleetTable table, string name, string target) =>
        $"CREATE TABLE IF NOT EXISTS {Named(table, name)} AS {Rows(table)} ENGINE = "
        + $"Distributed({ClickHouseText.Literal(address.Cluster!)}, {address.Database}, {table.Name}_{target}, cityHash64(machine))";

    private static string Column(FleetColumn column) => column.Type switch
    {
        FleetType.Text => $"{column.Name} String",
        FleetType.Whole => $"{column.Name} Int64",
        _ => $"{column.Name}_bucket Array(Int64), {column.Name}_number Array(Int64)",
    };

    /// <summary>By month; moments that no clock of a machine shows are together.</summary>
    private static string Partitions(FleetTable table)
    {
        const long From2010 = 1_262_304_000_000;
        const long To2050 = 2_524_608_000_000;
        return table.Columns.Any(column => column.Name == "recorded_ms")
            ? $"PARTITION BY if(recorded_ms BETWEEN {From2010} AND {To2050}, toYYYYMM(toDateTime(intDiv(recorded_ms, 1000), 'UTC')), 0) "
            : "";
    }
}
