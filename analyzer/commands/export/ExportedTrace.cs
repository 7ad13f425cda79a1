using Tracer.Analysis.Facts;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>What a file is written from.</summary>
internal sealed class ExportedTrace
{
    /// <summary>The path as the user gave it.</summary>
    public required string Path { get; init; }

    public required EtlReader Reader { get; init; }

    /// <summary>What a first reading learnt.</summary>
    public required TraceFacts Facts { get; init; }

    /// <summary>The analysis, of which the episodes are.</summary>
    public required BlameReport Report { get; init; }

    /// <summary>Names threads, routines and addresses.</summary>
    public required ExportNames Names { get; init; }

    public required ExportWindow Window { get; init; }

    /// <summary>The trace's clock, counting from where the user wants.</summary>
    public required TraceClock Clock { get; init; }

    /// <summary>The only driver or process whose samples are written; null for all.</summary>
    public required string? Culprit { get; init; }

    /// <summary>What the user is to know of the file: limits that were met.</summary>
    public List<string> Warnings { get; } = [];

    /// <summary>Reads it by time and gives what it shows of each CPU.</summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public void ReadSchedule(IScheduleWriter writer)
    {
        var reading = new ScheduleReading(Window, Facts, Clock.TicksPerSecond, writer);
        reading.Read(Reader);
        Tell(reading.FlowsLeftOut, "flow", "left out: too many were under way at once, or nothing ran where they end");
        Tell(reading.RoutinesCut, "routine", "cut at the start: the CPU switched threads within them, or too much else ended before");
        Tell(reading.Absurd, "ISR or DPC record", "left out: they end before they begin, or a second and more later");
    }

    /// <summary>Notes how much was left out, where something was.</summary>
    public void Tell(long count, string what, string why)
    {
        if (count > 0)
        {
            Warnings.Add($"{Counted.Of(count, what)} {why}");
        }
    }
}
