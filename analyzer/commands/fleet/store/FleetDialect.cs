namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>A word of SQL that engines spell differently.</summary>
internal enum FleetWord
{
    /// <summary>Joins with a subquery that has at most one row for each key.</summary>
    Join,

    /// <summary>Whether a value is in a subquery.</summary>
    In,

    /// <summary>Whether it is not.</summary>
    NotIn,

    /// <summary>
    /// A subquery of the histograms, in rows of kind, source, bucket and number, of which those that are equal in all but the number are
    /// to be added up.
    /// </summary>
    Buckets,
}

/// <summary>How an engine writes what differs from others.</summary>
internal abstract class FleetDialect
{
    /// <summary>A question as the engine takes it: see <see cref="IFleetStore.Query"/>.</summary>
    public string Text(FormattableString sql) =>
        string.Format(CultureInfo.InvariantCulture, sql.Format, [.. sql.GetArguments().Select(argument => (object)Argument(argument))]);

    /// <summary>A table where it is read, so that rows of equal keys count once.</summary>
    protected abstract string Table(FleetTable table);

    protected abstract string Word(FleetWord word);

    /// <summary>A text as a literal. Texts of a store hold no control characters; what asks may.</summary>
    protected abstract string Literal(string text);

    private string Argument(object? argument) => argument switch
    {
        long number => number.ToString(CultureInfo.InvariantCulture),
        int number => number.ToString(CultureInfo.InvariantCulture),
        string text => Literal(text),
        IEnumerable<string> texts => $"({string.Join(", ", texts.Select(Literal))})",
        FleetTable table => Table(table),
        FleetWord word => Word(word),
        FormattableString other => Text(other),
        _ => throw new ArgumentException($"{argument} cannot be asked for.", nameof(argument)),
    };
}
