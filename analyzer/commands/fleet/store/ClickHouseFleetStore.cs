using System.Text;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>A store on ClickHouse, on one server or spread over a cluster by machine: all that is asked is answered there.</summary>
internal sealed class ClickHouseFleetStore : IFleetStore
{
    /// <summary>The name of <see cref="FleetTable.Clusters"/>, which goes along with each question that names it.</summary>
    private const string ClustersName = "tracer_clusters";

    private readonly HttpClient _http = ClickHouseServer.CreateHttp();
    private readonly ClickHouseAddress _address;
    private readonly ClickHouseTables _tables;
    private readonly ClickHouseServer _first;
    private byte[] _clusters = [];

    private ClickHouseFleetStore(ClickHouseAddress address)
    {
        _address = address;
        _tables = new ClickHouseTables(address);
        _first = new ClickHouseServer(_http, address.Servers[0], address);
        Dialect = new ClickHouseDialect(_tables);
    }

    public FleetDialect Dialect { get; }

    /// <exception cref="IOException">A server is down or refuses, or it is no store, or one of another version of Tracer.</exception>
    public static ClickHouseFleetStore Open(ClickHouseAddress address)
    {
        var store = new ClickHouseFleetStore(address);
        try
        {
            foreach (Uri server in address.Servers)
            {
                store.Prepare(new ClickHouseServer(store._http, server, address));
            }

            return store;
        }
        catch
        {
            store.Dispose();
            throw;
        }
    }

    public void Add(FleetBatch batch)
    {
        foreach (FleetTable table in FleetTable.All)
        {
            if (batch.Of(table) is { Count: > 0 } added)
            {
                var rows = new StringBuilder();
                foreach (object[] row in added)
                {
                    ClickHouseText.Add(rows, row);
                }

                // Rows of other servers are there, too, when it answers.
                _first.Insert(
                    $"INSERT INTO {_tables.Target(table)} FORMAT TabSeparated",
                    Encoding.UTF8.GetBytes(rows.ToString()),
                    _address.Cluster is null ? "" : "&insert_distributed_sync=1");
            }
        }
    }

    public IEnumerable<string> Known(IReadOnlyCollection<string> ids)
    {
        // By the key: the view would read all rows.
        FormattableString named = $"{ids}";
        return _first.Query($"SELECT DISTINCT id FROM {_tables.Target(FleetTable.Cases)} WHERE id IN {Dialect.Text(named)}")
            .Select(row => row.Text(0));
    }

    public void Assign(IReadOnlyCollection<(string Place, string Cluster)> clusters)
    {
        var rows = new StringBuilder();
        foreach ((string place, string cluster) in clusters)
        {
            ClickHouseText.Add(rows, [place, cluster]);
        }

        _clusters = Encoding.UTF8.GetBytes(rows.ToString());
    }

    public IEnumerable<FleetRow> Query(FormattableString sql)
    {
        string text = Dialect.Text(sql);
        return _first.Query(text, text.Contains(ClustersName, StringComparison.Ordinal)
            ? (ClustersName, "place String, cluster String", _clusters)
            : null);
    }

    public void Dispose() => _http.Dispose();

    private void Prepare(ClickHouseServer server)
    {
        string database = _address.Database;
        server.Check();
        server.Run($"CREATE DATABASE IF NOT EXISTS {database}");
        HashSet<string> tables =
        [
            .. server.Query($"SELECT name FROM system.tables WHERE database = {ClickHouseText.Literal(database)}")
                .Select(row => row.Text(0)),
        ];
        if (tables.Contains(ClickHouseTables.Marker))
        {
            FleetRow known = server.Query($"SELECT version, cluster FROM {database}.{ClickHouseTables.Marker}").FirstOrDefault()
                ?? throw new IOException($"{_address.Name} does not say which version it is: load the cases into another database");
            if (known.Number(0) != FleetTable.SchemaVersion)
            {
                throw new IOException($"{_address.Name} is a store of version {known.Number(0)}, and this program knows version "
                    + $"{FleetTable.SchemaVersion}: load the cases into another database");
            }

            if (known.Text(1) != (_address.Cluster ?? ""))
            {
                throw new IOException(known.Text(1).Length > 0
                    ? $"{_address.Name} is spread over the cluster {known.Text(1)}: write ?cluster={known.Text(1)} after it"
                    : $"{_address.Name} is a store of one server: leave out ?cluster, or load the cases into another database");
            }
        }
        else if (tables.Count > 0)
        {
            throw new IOException(
                $"{_address.Name} is a database, but not a store of 'analyzer fleet': name another database with --store");
        }

        if (_address.Cluster is { } cluster
            && !server.Query($"SELECT shard_num FROM system.clusters WHERE cluster = {ClickHouseText.Literal(cluster)} LIMIT 1").Any())
        {
            throw new IOException($"{_address.Name}: the server knows no cluster {cluster}; its remote_servers list those there are");
        }

        server.Run(string.Create(CultureInfo.InvariantCulture, $"""
            CREATE VIEW IF NOT EXISTS {database}.{ClickHouseTables.Marker} AS
            SELECT {FleetTable.SchemaVersion} AS version, {ClickHouseText.Literal(_address.Cluster ?? "")} AS cluster
            """));
        foreach (string making in _tables.Making())
        {
            server.Run(making);
        }
    }

    private sealed class ClickHouseDialect(ClickHouseTables tables) : FleetDialect
    {
        protected override string Table(FleetTable table) => table == FleetTable.Clusters ? ClustersName : tables.Source(table);

        // What is joined is asked once, of all servers, and goes to each of them.
        protected override string Word(FleetWord word) => word switch
        {
            FleetWord.Join => "GLOBAL ALL INNER JOIN",
            FleetWord.In => "GLOBAL IN",
            FleetWord.NotIn => "GLOBAL NOT IN",
            FleetWord.Buckets => $"(SELECT kind, source, bucket, number FROM {tables.Source(FleetTable.Latencies)} "
                + "ARRAY JOIN counts_bucket AS bucket, counts_number AS number)",
            _ => throw new ArgumentOutOfRangeException(nameof(word)),
        };

        protected override string Literal(string text) => ClickHouseText.Literal(text);
    }
}
