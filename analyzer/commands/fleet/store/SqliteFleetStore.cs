using Microsoft.Data.Sqlite;
using Tracer.AnalyzerCommand.Common.Sqlite;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// A store in one file of SQLite, or in a temporary one that ends with it. Its cache is bounded, so that memory does not grow with the
/// cases; what sorting needs more goes to temporary files.
/// </summary>
internal sealed class SqliteFleetStore : IFleetStore
{
    /// <summary>Tells our files from others: "TrFl".</summary>
    private const int ApplicationId = 0x5472466C;

    private const int CacheKib = 8 * 1024;

    private readonly SqliteConnection _connection;
    private readonly Dictionary<FleetTable, SqliteInsert> _inserts = [];
    private readonly ScratchFolder? _folder;
    private readonly string _name;

    private SqliteFleetStore(SqliteConnection connection, string name, ScratchFolder? folder)
    {
        _connection = connection;
        _name = name;
        _folder = folder;
    }

    public FleetDialect Dialect { get; } = new SqliteFleetDialect();

    /// <param name="path">The file; null for a temporary one.</param>
    /// <exception cref="IOException">It is no store, or one of another version of Tracer, or cannot be written.</exception>
    public static SqliteFleetStore Open(string? path)
    {
        if (path is not null)
        {
            RawFileName.RefuseToMake(path);
            return Open(path, path, null);
        }

        var folder = new ScratchFolder("fleet");
        try
        {
            return Open(Path.Combine(folder.Path, "fleet.db"), "the temporary store", folder);
        }
        catch
        {
            folder.Dispose();
            throw;
        }
    }

    public void Add(FleetBatch batch) => InTransaction(() =>
    {
        foreach (FleetTable table in FleetTable.All)
        {
            SqliteInsert insert = InsertInto(table);
            foreach (object[] row in batch.Of(table))
            {
                insert.Add([.. row.Select(value => value is (long Bucket, long Count)[] buckets ? SqliteHistograms.Text(buckets) : value)]);
            }
        }
    });

    public void Assign(IReadOnlyCollection<(string Place, string Cluster)> clusters) => InTransaction(() =>
    {
        Run(_connection, $"DELETE FROM {FleetTable.Clusters.Name}");
        SqliteInsert insert = InsertInto(FleetTable.Clusters);
        foreach ((string place, string cluster) in clusters)
        {
            insert.Add(place, cluster);
        }
    });

    public IEnumerable<FleetRow> Query(FormattableString sql)
    {
        using SqliteCommand command = _connection.CreateCommand();
#pragma warning disable CA2100 // What is not ours in the text was made a literal by the dialect.
        command.CommandText = Dialect.Text(sql);
#pragma warning restore CA2100
        using SqliteDataReader reader = Guarded(command.ExecuteReader);
        while (Guarded(reader.Read))
        {
            yield return new FleetRow([.. Enumerable.Range(0, reader.FieldCount).Select(reader.GetValue)]);
        }
    }

    public void Dispose()
    {
        foreach (SqliteInsert insert in _inserts.Values)
        {
            insert.Dispose();
        }

        _connection.Dispose();
        _folder?.Dispose();
    }

    private static SqliteFleetStore Open(string path, string name, ScratchFolder? folder)
    {
        // No pool: the file is free when the store is closed.
        var connection = new SqliteConnection(new SqliteConnectionStringBuilder { DataSource = path, Pooling = false }.ToString());
        try
        {
            var store = new SqliteFleetStore(connection, name, folder);
            store.Guarded(() =>
            {
                connection.Open();
                return true;
            });
            store.Guarded(store.Prepare);
            return store;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    private static string Made(FleetTable table, bool isTemporary)
    {
        IEnumerable<string> columns = table.Columns.Select(column =>
            $"{column.Name} {(column.Type == FleetType.Whole ? "INTEGER" : "TEXT")} NOT NULL");
        return $"CREATE {(isTemporary ? "TEMP " : "")}TABLE IF NOT EXISTS {table.Name} ({string.Join(", ", columns)}, "
            + $"PRIMARY KEY ({string.Join(", ", table.Key)})) WITHOUT ROWID;";
    }

    private static void Run(SqliteConnection connection, string commands)
    {
        using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // The text is ours.
        command.CommandText = commands;
#pragma warning restore CA2100
        command.ExecuteNonQuery();
    }

    private SqliteInsert InsertInto(FleetTable table)
    {
        if (!_inserts.TryGetValue(table, out SqliteInsert? insert))
        {
            _inserts.Add(table, insert = new SqliteInsert(_connection, table.Name, table.Columns.Count, ignoresKnown: true));
        }

        return insert;
    }

    private void InTransaction(Action work) => Guarded(() =>
    {
        Run(_connection, "BEGIN IMMEDIATE"); // Another one that writes is waited for.
        try
        {
            work();
            Run(_connection, "COMMIT");
        }
        catch
        {
            RollBack();
            throw;
        }

        return true;
    });

    private void RollBack()
    {
        try
        {
            Run(_connection, "ROLLBACK");
        }
        catch (SqliteException)
        {
            // Where the disk is full, SQLite has done so itself; what is told is why.
        }
    }

    private bool Prepare()
    {
        bool isMade = Check();
        Run(_connection, string.Create(
            CultureInfo.InvariantCulture,
            $"PRAGMA cache_size = -{CacheKib}; PRAGMA temp_store = FILE; PRAGMA synchronous = {(_folder is null ? "NORMAL" : "OFF")};"));
        if (!isMade)
        {
            Run(_connection, $"PRAGMA journal_mode = {(_folder is null ? "DELETE" : "MEMORY")};");
            InTransaction(Make);
        }

        Run(_connection, Made(FleetTable.Clusters, isTemporary: true));
        Run(_connection, $"CREATE INDEX IF NOT EXISTS temp.places_by_cluster ON {FleetTable.Clusters.Name} (cluster)");
        SqliteHistograms.AddTo(_connection);
        return true;
    }

    /// <summary>Makes the tables, unless another run did so since.</summary>
    private void Make()
    {
        if (!Check())
        {
            Run(_connection, string.Create(CultureInfo.InvariantCulture, $"""
                PRAGMA application_id = {ApplicationId};
                PRAGMA user_version = {FleetTable.SchemaVersion};
                {string.Concat(FleetTable.All.Select(table => Made(table, isTemporary: false)))}
                CREATE INDEX chains_by_place ON {FleetTable.Chains.Name} (place);
                """));
        }
    }

    /// <exception cref="IOException">It is something else, or of another version.</exception>
    private bool Check()
    {
        long tables = Number("SELECT COUNT(*) FROM sqlite_master");
        if (tables == 0)
        {
            return false;
        }

        if (Number("PRAGMA application_id") != ApplicationId)
        {
            throw new IOException($"{_name} is a database, but not a store of 'analyzer fleet': name another file with --store");
        }

        long version = Number("PRAGMA user_version");
        if (version != FleetTable.SchemaVersion)
        {
            throw new IOException($"{_name} is a store of version {version}, and this program knows version {FleetTable.SchemaVersion}: "
                + "load the cases into a new file");
        }

        foreach (FleetTable table in FleetTable.All)
        {
            long columns = Number($"SELECT COUNT(*) FROM pragma_table_info('{table.Name}')");
            if (columns != table.Columns.Count)
            {
                throw new IOException($"{_name} lacks a table of 'analyzer fleet', or has another of its name: "
                    + "load the cases into a new file");
            }
        }

        return true;
    }

    private long Number(string question)
    {
        using SqliteCommand command = _connection.CreateCommand();
#pragma warning disable CA2100 // The text is ours.
        command.CommandText = question;
#pragma warning restore CA2100
        return (long)command.ExecuteScalar()!;
    }

    private T Guarded<T>(Func<T> work)
    {
        const int Whatever = 1; // Of all causes: a column that is not there, an expression too deep.
        const int NotADatabase = 26;
        const int CannotOpen = 14;
        const int Busy = 5;
        const int ReadOnly = 8;
        const int Corrupt = 11;
        try
        {
            return work();
        }
        catch (SqliteException fault)
        {
            string why = fault.SqliteErrorCode switch
            {
                NotADatabase => $"{_name} is not a store of 'analyzer fleet': name another file with --store",
                CannotOpen => $"{_name} cannot be opened: is its folder there, and may you write to it?",
                Busy => $"{_name} is in use by another program: try again when that has ended",
                ReadOnly => $"{_name} may not be written",
                Corrupt => $"{_name} is damaged: load the cases into a new file",
                Whatever when fault.Message.Contains(SqliteHistograms.Damaged, StringComparison.Ordinal) =>
                    $"{_name} is damaged: load the cases into a new file",
                Whatever => $"{_name}: {Said(fault)}; load the cases into a new file",
                _ => $"{_name} failed: {fault.Message}",
            };
            throw new IOException(why, fault);
        }
        catch (Exception fault) when (fault is TypeInitializationException or DllNotFoundException)
        {
            throw new IOException("SQLite's library e_sqlite3 is not beside this program; use the whole folder of a release", fault);
        }
    }

    /// <summary>What SQLite itself says, without the words that .NET puts around it.</summary>
    private static string Said(SqliteException fault) =>
        $"SQLite says {fault.Message[Math.Max(0, fault.Message.IndexOf('\'', StringComparison.Ordinal))..].TrimEnd('.')}";

    private sealed class SqliteFleetDialect : FleetDialect
    {
        protected override string Table(FleetTable table) => table.Name;

        protected override string Word(FleetWord word) => word switch
        {
            FleetWord.Join => "INNER JOIN",
            FleetWord.In => "IN",
            FleetWord.NotIn => "NOT IN",
            FleetWord.Buckets => SqliteHistograms.Buckets,
            _ => throw new ArgumentOutOfRangeException(nameof(word)),
        };

        // The text of a command ends at a NUL, and no text of a store has one.
        protected override string Literal(string text) =>
            $"'{text.Replace("\0", "", StringComparison.Ordinal).Replace("'", "''", StringComparison.Ordinal)}'";
    }
}
