namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>The rows of some cases, to be added at once.</summary>
internal sealed class FleetBatch
{
    private readonly Dictionary<string, List<object[]>> _rows = FleetTable.All.ToDictionary(table => table.Name, _ => new List<object[]>());

    /// <summary>
    /// The rows of a table: each a <see cref="string"/>, a <see cref="long"/> or a <c>(long, long)[]</c> for each column.
    /// </summary>
    public IReadOnlyList<object[]> Of(FleetTable table) => _rows[table.Name];

    public void Add(FleetTable table, params object[] values)
    {
        if (values.Length != table.Columns.Count)
        {
            throw new ArgumentException($"{table.Name} has {table.Columns.Count} columns, not {values.Length}.", nameof(values));
        }

        _rows[table.Name].Add(values);
    }
}
