using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// Writes and reads the JSON records of the contract, without reflection. Field order is the order of declaration and nothing depends
/// on culture, machine or time, so equal records give equal bytes.
/// </summary>
public static class ReportJson
{
    private static readonly ReportJsonContext Compact = new(SerializerOptions(indented: false));
    private static readonly ReportJsonContext Indented = new(SerializerOptions(indented: true));

    /// <summary>Writes a blame report as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">
    /// Whether on lines of their own, indented by two spaces, instead of all on one line; no line feed at the end.
    /// </param>
    public static void Write(Stream output, BlameReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, Context(indented).BlameReport);

    /// <summary>Writes a truth report as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, TruthReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, MachineContext(indented).TruthReport);

    /// <summary>Writes a report of episodes as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, EpisodesReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, Context(indented).EpisodesReport);

    /// <summary>Writes what a pack holds as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, PackReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, Context(indented).PackReport);

    /// <summary>Writes a comparison as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, DiffReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, Context(indented).DiffReport);

    /// <summary>Writes what ran around the worst episodes as UTF-8, on one line.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The lanes.</param>
    public static void Write(Stream output, LanesReport report) => JsonSerializer.Serialize(output, report, Compact.LanesReport);

    /// <summary>Writes an info report as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, InfoReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, Context(indented).InfoReport);

    /// <summary>Writes a report of the driver as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, DriverReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, MachineContext(indented).DriverReport);

    /// <summary>Writes a report of symbols as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, SymbolsReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, Context(indented).SymbolsReport);

    /// <summary>Writes what was proved on a machine as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, ProofReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, MachineContext(indented).ProofReport);

    /// <summary>Writes a report of latencies as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, LatencyReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, Context(indented).LatencyReport);

    /// <summary>Writes what was measured on a machine as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, MeasureReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, MachineContext(indented).MeasureReport);

    /// <summary>Writes a paper's figures beside a machine's as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The figures.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, MeasureSummary report, bool indented) =>
        JsonSerializer.Serialize(output, report, MachineContext(indented).MeasureSummary);

    /// <summary>Writes something that was set for a measurement as UTF-8, on one line.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="setting">The setting.</param>
    public static void Write(Stream output, MeasureSetting setting) =>
        JsonSerializer.Serialize(output, setting, OfMachines.Compact.MeasureSetting);

    /// <summary>Writes what is kept of a trace among many as UTF-8, on one line.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    public static void Write(Stream output, CaseReport report) => JsonSerializer.Serialize(output, report, Compact.CaseReport);

    /// <summary>Writes what a fleet's cases have in common as UTF-8.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="report">The report.</param>
    /// <param name="indented">As for a blame report.</param>
    public static void Write(Stream output, FleetReport report, bool indented) =>
        JsonSerializer.Serialize(output, report, Context(indented).FleetReport);

    /// <summary>Writes the function at an address as UTF-8, on one line.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="symbol">The function.</param>
    public static void Write(Stream output, AddressSymbol symbol) =>
        JsonSerializer.Serialize(output, symbol, Compact.AddressSymbol);

    /// <summary>Reads a blame report that Tracer wrote, or another program to the same schema.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static BlameReport ReadBlame(ReadOnlySpan<byte> utf8) =>
        Read(utf8, Compact.BlameReport, report => report.Schema, BlameReport.SchemaName);

    /// <summary>Reads a truth report that the simulator wrote, or another program to the same schema.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static TruthReport ReadTruth(ReadOnlySpan<byte> utf8) =>
        Read(utf8, OfMachines.Compact.TruthReport, report => report.Schema, TruthReport.SchemaName);

    /// <summary>Reads an info report that Tracer wrote, or another program to the same schema.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static InfoReport ReadInfo(ReadOnlySpan<byte> utf8) =>
        Read(utf8, Compact.InfoReport, report => report.Schema, InfoReport.SchemaName);

    /// <summary>Reads what was proved on a machine.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static ProofReport ReadProof(ReadOnlySpan<byte> utf8) =>
        Read(utf8, OfMachines.Compact.ProofReport, report => report.Schema, ProofReport.SchemaName);

    /// <summary>Reads a report of latencies that Tracer wrote, or another program to the same schema.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static LatencyReport ReadLatency(ReadOnlySpan<byte> utf8)
    {
        LatencyReport report = Read(utf8, Compact.LatencyReport, report => report.Schema, LatencyReport.SchemaName);
        return LatencyReportCheck.Problem(report) is { } problem ? throw new JsonException(problem) : report;
    }

    /// <summary>Reads what was kept of a trace among many.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static CaseReport ReadCase(ReadOnlySpan<byte> utf8)
    {
        CaseReport one = Read(utf8, Compact.CaseReport, report => report.Schema, CaseReport.SchemaName);

        // The annotations above say nothing about entries of lists.
        IEnumerable<object?> entries = [.. one.Drivers, .. one.Chains, .. one.Latencies, .. one.Culprits];
        return entries.Contains(null) ? throw new JsonException("A list holds null.") : one;
    }

    /// <summary>Reads what a fleet's cases have in common.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static FleetReport ReadFleet(ReadOnlySpan<byte> utf8) =>
        Read(utf8, Compact.FleetReport, report => report.Schema, FleetReport.SchemaName);

    /// <summary>Reads what was measured on a machine.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static MeasureReport ReadMeasure(ReadOnlySpan<byte> utf8) =>
        Read(utf8, OfMachines.Compact.MeasureReport, report => report.Schema, MeasureReport.SchemaName);

    /// <summary>Reads a paper's figures beside a machine's.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, names another schema, or lacks or mistypes a field of it.</exception>
    public static MeasureSummary ReadMeasureSummary(ReadOnlySpan<byte> utf8) =>
        Read(utf8, OfMachines.Compact.MeasureSummary, report => report.Schema, MeasureSummary.SchemaName);

    /// <summary>Reads something that another process had set for a measurement.</summary>
    /// <param name="utf8">The JSON text.</param>
    /// <exception cref="JsonException">The text is no JSON, or lacks or mistypes a field.</exception>
    public static MeasureSetting ReadSetting(ReadOnlySpan<byte> utf8) =>
        JsonSerializer.Deserialize(utf8, OfMachines.Compact.MeasureSetting) ?? throw new JsonException("A setting is expected, not null.");

    private static TReport Read<TReport>(ReadOnlySpan<byte> utf8, JsonTypeInfo<TReport> type, Func<TReport, string> schemaOf, string schema)
        where TReport : class
    {
        TReport report = JsonSerializer.Deserialize(utf8, type) ?? throw new JsonException($"A {schema} object is expected, not null.");
        return schemaOf(report) == schema ? report : throw new JsonException($"The schema {schema} is expected, not '{schemaOf(report)}'.");
    }

    private static ReportJsonContext Context(bool indented) => indented ? Indented : Compact;

    private static MachineJsonContext MachineContext(bool indented) => indented ? OfMachines.Indented : OfMachines.Compact;

    private static JsonSerializerOptions SerializerOptions(bool indented) => new()
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

    /// <summary>Apart: a program that writes none of them does not make them, and a native one does not hold them.</summary>
    private static class OfMachines
    {
        internal static readonly MachineJsonContext Compact = new(SerializerOptions(indented: false));
        internal static readonly MachineJsonContext Indented = new(SerializerOptions(indented: true));
    }
}

/// <summary>The serialisation code that the compiler generates for the records about traces.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(BlameReport))]
[JsonSerializable(typeof(EpisodesReport))]
[JsonSerializable(typeof(LanesReport))]
[JsonSerializable(typeof(InfoReport))]
[JsonSerializable(typeof(SymbolsReport))]
[JsonSerializable(typeof(AddressSymbol))]
[JsonSerializable(typeof(LatencyReport))]
[JsonSerializable(typeof(PackReport))]
[JsonSerializable(typeof(DiffReport))]
[JsonSerializable(typeof(CaseReport))]
[JsonSerializable(typeof(FleetReport))]
internal sealed partial class ReportJsonContext : JsonSerializerContext;

/// <summary>The same for the records about machines, simulated or measured.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(TruthReport))]
[JsonSerializable(typeof(DriverReport))]
[JsonSerializable(typeof(ProofReport))]
[JsonSerializable(typeof(MeasureReport))]
[JsonSerializable(typeof(MeasureSummary))]
[JsonSerializable(typeof(MeasureSetting))]
internal sealed partial class MachineJsonContext : JsonSerializerContext;
