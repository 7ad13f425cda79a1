using Tracer.AnalyzerCommand.Commands.Fleet.Questions;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// Where the cases of a fleet are kept: <see cref="SqliteFleetStore"/> in one file, and others behind the same four methods. All that is
/// asked of it is SQL that the engine answers (<see cref="FleetQuestions"/>): no store holds rows in our memory.
/// </summary>
/// <remarks>
/// What a store has to promise, so that two of them answer the same row for row:
/// <list type="bullet">
/// <item>It makes the tables of <see cref="FleetTable.All"/>, each with its columns in their order, where they are not there yet, and
/// refuses those of another <see cref="FleetTable.SchemaVersion"/>. A text or a whole number is never NULL: an unknown text is empty, an
/// unknown number -1. Whole numbers have 64 bits, texts are UTF-8 and compared byte by byte.</item>
/// <item>Rows of equal keys (<see cref="FleetTable.Key"/>) count once, and have equal contents, because a case is only added where
/// <see cref="FleetLoad"/> did not find its id. So loads can be repeated, and a load that was killed is simply done again. The rows of
/// <see cref="FleetTable.Cases"/> come last in a batch: where one is, all else of its case is, too.</item>
/// <item>Each table has the column <c>machine</c>: with several servers, rows go to one by that column, and what is counted of a
/// machine, or joined by it, is on one server.</item>
/// <item>The SQL that is asked keeps to what SQLite 3.40 and ClickHouse 18.16 both know: no window functions, no WITH, no outer joins, no
/// NULLs, no floating point, no functions but COUNT, SUM, MIN, MAX and COUNT(DISTINCT ...); comparisons are numbers, so that
/// <c>SUM(recorded_ms >= 5)</c> counts; joins are <see cref="FleetWord.Join"/> with a subquery of one row for each key and USING; whatever
/// the order matters for has ORDER BY down to a key. An alias is never the name of a column. What differs is in
/// <see cref="FleetDialect"/>.</item>
/// </list>
/// Failures are <see cref="IOException"/> with a sentence that says what to do.
/// </remarks>
internal interface IFleetStore : IDisposable
{
    /// <summary>Adds the rows of some cases, all or, where it fails, any part that adding them again makes whole.</summary>
    /// <exception cref="IOException">The store failed.</exception>
    void Add(FleetBatch batch);

    /// <summary>Which of some cases it has.</summary>
    /// <exception cref="IOException">The store failed.</exception>
    IEnumerable<string> Known(IReadOnlyCollection<string> ids) =>
        Query($"SELECT id FROM {FleetTable.Cases} WHERE id IN {ids}").Select(row => row.Text(0));

    /// <summary>
    /// Fills <see cref="FleetTable.Clusters"/>, which only this object sees and which ends with it; what it held before is gone.
    /// </summary>
    /// <exception cref="IOException">The store failed.</exception>
    void Assign(IReadOnlyCollection<(string Place, string Cluster)> clusters);

    /// <summary>Asks; rows come as they are read, and several questions may be open at a time.</summary>
    /// <param name="sql">
    /// The question. Of what is filled in, texts and numbers become literals, lists of texts become lists of literals in parentheses, and
    /// tables, words and other questions what the dialect says.
    /// </param>
    /// <exception cref="IOException">The store failed.</exception>
    IEnumerable<FleetRow> Query(FormattableString sql);
}

/// <param name="values">Each a <see cref="string"/> or a <see cref="long"/>.</param>
internal sealed class FleetRow(object[] values)
{
    /// <exception cref="IOException">There is no number: the store was written by something else.</exception>
    public long Number(int column) => column < values.Length && values[column] is long number ? number : throw Foreign(column);

    /// <exception cref="IOException">There is no text: the store was written by something else.</exception>
    public string Text(int column) => column < values.Length && values[column] is string text ? text : throw Foreign(column);

    /// <summary>The row, to be compared with another.</summary>
    public override string ToString() => string.Join('\t', values);

    private static IOException Foreign(int column) => new(
        $"the store answers with something other than what was asked for (column {column + 1}): it was not written by 'analyzer fleet'; "
        + "load the cases into a new one");
}
