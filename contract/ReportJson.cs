using System.Text.Encodings.Web;
using System.Text.Json;

namespace Tracer.Contract;

/// <summary>
/// Writes and reads the JSON records of the contract, without reflection. Field order is the order of declaration and nothing depends
/// on culture, machine or time, so equal records give equal bytes. The code for a record stands beside it, a context for each folder.
/// </summary>
public static class ReportJson
{
    /// <summary>Writes a record as UTF-8.</summary>
    /// <param name="indented">
    /// Whether on lines of their own, indented by two spaces, instead of all on one line; no line feed at the end.
    /// </param>
    public static void Write<TRecord>(Stream output, TRecord record, bool indented = false)
        where TRecord : class, IJsonRecord<TRecord> => JsonSerializer.Serialize(output, record, TRecord.JsonType(indented));

    /// <summary>A record as one line of JSON text, as a running command prints it.</summary>
    public static string Line<TRecord>(TRecord record)
        where TRecord : class, IJsonRecord<TRecord> => JsonSerializer.Serialize(record, TRecord.JsonType(indented: false));

    /// <summary>Reads a report that Tracer wrote, or another program to the same schema.</summary>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static TReport Read<TReport>(ReadOnlySpan<byte> utf8)
        where TReport : class, IReport<TReport>
    {
        TReport report = JsonSerializer.Deserialize(utf8, TReport.JsonType(indented: false))
            ?? throw new JsonException($"A {TReport.SchemaName} object is expected, not null.");
        return report.Schema != TReport.SchemaName
            ? throw new JsonException($"The schema {TReport.SchemaName} is expected, not '{report.Schema}'.")
            : TReport.Problem(report) is { } problem ? throw new JsonException(problem) : report;
    }

    internal static JsonSerializerOptions Options(bool indented) => new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        // A null where the schema has none is a mistake of the writer, to be told here and not met later.
        RespectNullableAnnotations = true,
        // And so is a field that is not there, however the record is written in C#.
        RespectRequiredConstructorParameters = true,
        // Function names hold < > & ' and +, which the default would write as \u escapes. This text is never put into HTML as it is.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        WriteIndented = indented,
        NewLine = "\n",
    };
}
