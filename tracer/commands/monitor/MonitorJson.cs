using System.Text.Json;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>
/// A monitor's counts as JSON, one object a line (<see cref="MonitorCounts"/>): <c>status</c> each second, <c>note</c>, and
/// <c>summary</c> at the end, which is also what a saved summary is.
/// </summary>
internal static class MonitorJson
{
    /// <summary>A saved summary is a few hundred kilobytes at most.</summary>
    private const long MostBytes = 16 << 20;

    /// <param name="sort">What the drivers are sorted by.</param>
    public static string Line(string type, MonitorCounts counts, MonitorSort sort) => ReportJson.Line(counts with
    {
        Type = type,
        Drivers = MonitorSorting.Sorted(counts.Drivers, sort),
        Cost = counts.Cost is { ProbeShare: { } share } cost ? cost with { ProbeShare = Math.Round(share, 6) } : counts.Cost,
    });

    /// <summary>Something that is told once, as a line.</summary>
    public static string Note(CaptureNoteLevel level, string text) =>
        ReportJson.Line(new MonitorNote(MonitorCounts.SchemaName, "note", level, text));

    /// <summary>Reads a saved summary.</summary>
    /// <exception cref="IOException">It can't be read, or is no summary.</exception>
    public static MonitorCounts Read(string path)
    {
        try
        {
            if (new FileInfo(path) is { Exists: true, Length: > MostBytes })
            {
                throw NoSummary(path);
            }

            return ReportJson.Read<MonitorCounts>(File.ReadAllBytes(path));
        }
        catch (JsonException)
        {
            throw NoSummary(path);
        }
        catch (UnauthorizedAccessException fault)
        {
            throw new IOException($"{path}: {fault.Message}", fault);
        }
    }

    private static IOException NoSummary(string path) => new(
        $"{path} is not a summary of a monitor: 'tracer monitor -o FILE' writes one at its end");
}
