using System.Text.Encodings.Web;
using System.Text.Json;

namespace Tracer.Contract;

/// <summary>
/// Writes and reads the JSON records of the contract, without reflection. Field order is the order of declaration and nothing depends
/// on culture, machine or time, so equal records give equal bytes. The code for a record stands beside it, a context for each folder.
/// </summary>
public static class ReportJson
{
    /// <summary>Letters of a foreign schema's name that a message has.</summary>
    private const int LongestSchema = 40;

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
        TReport report = Parsed<TReport>(utf8) ?? throw new JsonException($"A {TReport.SchemaName} object is expected, not null.");
        return report.Schema != TReport.SchemaName ? throw new JsonException(OtherSchema<TReport>(report.Schema))
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

    private static TReport? Parsed<TReport>(ReadOnlySpan<byte> utf8)
        where TReport : class, IReport<TReport>
    {
        try
        {
            return JsonSerializer.Deserialize(utf8, TReport.JsonType(indented: false));
        }
        catch (JsonException fault)
        {
            (string? schema, bool isCut) = Glance(utf8);
            throw new JsonException(
                schema is not null && schema != TReport.SchemaName ? OtherSchema<TReport>(schema) : Told(fault, isCut), fault);
        }
        catch (Exception fault) when (fault is InvalidOperationException or FormatException or OverflowException or ArgumentException)
        {
            throw new JsonException("a value of it is out of bounds", fault);
        }
    }

    private static string OtherSchema<TReport>(string schema)
        where TReport : class, IReport<TReport> =>
        $"The schema {TReport.SchemaName} is expected, not '{(schema.Length > LongestSchema ? schema[..LongestSchema] + "..." : schema)}'.";

    /// <summary>What can be seen of a text that is no such report: its schema, and whether only its end is missing.</summary>
    private static (string? Schema, bool IsCut) Glance(ReadOnlySpan<byte> utf8)
    {
        string? schema = null;
        try
        {
            var reader = new Utf8JsonReader(utf8, isFinalBlock: false, state: default);
            while (reader.Read())
            {
                if (reader.CurrentDepth == 1 && reader.TokenType == JsonTokenType.PropertyName && reader.ValueTextEquals("schema"u8)
                    && reader.Read() && reader.TokenType == JsonTokenType.String)
                {
                    schema = reader.GetString();
                }
            }

            return (schema, true);
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            return (schema, false);
        }
    }

    /// <summary>What is wrong, in words of the file: .NET has its own names for what it could not make of it.</summary>
    private static string Told(JsonException fault, bool isCut)
    {
        if (fault.InnerException is JsonException { InnerException: null } noJson && noJson.GetType() != typeof(JsonException))
        {
            int position = noJson.Message.IndexOf(" LineNumber", StringComparison.Ordinal);
            return "it is not JSON: "
                + (isCut || position <= 0 ? "it ends too early" : noJson.Message[..position].TrimEnd('.', ' '));
        }

        return fault.Message.Contains("missing required", StringComparison.Ordinal) && Lacking(fault.Message) is { } lacking
                ? $"it lacks {lacking}"
            : !fault.Message.Contains(" Path: ", StringComparison.Ordinal) ? fault.Message
            : fault.Path is null or "$" ? "it is not a JSON object of that kind"
            : $"its {fault.Path.TrimStart('$', '.')} has a value that can't stand there";
    }

    /// <summary>The fields that are missing, which .NET's sentence has in quotation marks behind a colon.</summary>
    private static string? Lacking(string message)
    {
        int colon = message.IndexOf(": '", StringComparison.Ordinal);
        int end = message.LastIndexOf('\'');
        return colon > 0 && end > colon + 3 ? message[(colon + 2)..(end + 1)] : null;
    }
}
