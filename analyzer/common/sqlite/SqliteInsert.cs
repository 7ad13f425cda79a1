using Microsoft.Data.Sqlite;

namespace Tracer.AnalyzerCommand.Common.Sqlite;

/// <summary>Adds rows to a table; what they hold goes in as values, never as text of a command.</summary>
internal sealed class SqliteInsert : IDisposable
{
    private readonly SqliteCommand _command;

    /// <param name="ignoresKnown">Whether a row whose key is there already is passed by; else that is a failure.</param>
    /// <param name="transaction">What it is part of; null where commands began it.</param>
    public SqliteInsert(
        SqliteConnection connection, string table, int columns, bool ignoresKnown = false, SqliteTransaction? transaction = null)
    {
        _command = connection.CreateCommand();
        _command.Transaction = transaction;
        string values = string.Join(", ", Enumerable.Range(0, columns).Select(i => $"$v{i}"));
#pragma warning disable CA2100 // The text is ours: nothing of the trace is in it.
        _command.CommandText = $"INSERT {(ignoresKnown ? "OR IGNORE " : "")}INTO {table} VALUES ({values})";
#pragma warning restore CA2100
        for (int i = 0; i < columns; i++)
        {
            _command.Parameters.Add(new SqliteParameter($"$v{i}", null));
        }

        _command.Prepare();
    }

    /// <param name="values">The values in the order of the columns; null for none.</param>
    public void Add(params ReadOnlySpan<object?> values)
    {
        for (int i = 0; i < values.Length; i++)
        {
            _command.Parameters[i].Value = values[i] ?? DBNull.Value;
        }

        _command.ExecuteNonQuery();
    }

    public void Dispose() => _command.Dispose();
}
