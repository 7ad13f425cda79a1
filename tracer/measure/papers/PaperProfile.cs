using Tracer.Measure.Ground;
using Tracer.Measure.Loads;

namespace Tracer.Measure.Papers;

/// <summary>A paper that measured what <c>tracer measure</c> measures.</summary>
public enum PaperName
{
    /// <summary>Bernadat 1999.</summary>
    PaperBernadat,

    /// <summary>Drummond 2000.</summary>
    PaperDrummond,

    /// <summary>Ramamritham and others 1998.</summary>
    PaperRamamritham,

    /// <summary>Cota-Robles and Held 1999.</summary>
    PaperOsdi,

    /// <summary>Jones and Regehr 1999.</summary>
    PaperJones,
}

/// <summary>What has to be measured for a paper's figures, and the figures as published.</summary>
/// <param name="Steps">What is measured, in this order.</param>
internal sealed record PaperProfile(
    string Paper, string Machine, IReadOnlyList<PaperStep> Steps, IReadOnlyList<PaperFigure> Figures)
{
    /// <summary>What of the paper is left out, and why.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>A measurement that a paper's figures need.</summary>
internal sealed record PaperStep(string Name, MeasurePriority Priority, Func<IMeasurement> Make);

/// <param name="Value">Takes it out of what was measured.</param>
internal sealed record PaperFigure(
    string Place, string What, string Published, string Unit, string Step, Func<MeasureReport, decimal?> Value);

/// <summary>Measures all that a paper's figures need.</summary>
public static class PaperRun
{
    /// <param name="request">How; the duration is that of each measurement, and the class of the threads is the paper's.</param>
    /// <exception cref="MeasureException">One of them could not be made.</exception>
    public static MeasureSummary Run(
        IMeasureMachine machine, PaperName paper, MeasureRequest request, LoadKind load, CancellationToken stop = default)
    {
        ArgumentNullException.ThrowIfNull(machine);
        ArgumentNullException.ThrowIfNull(request);
        PaperProfile profile = PaperProfiles.Of(paper, machine, load);
        Dictionary<string, MeasureReport> reports = [];
        foreach (PaperStep step in profile.Steps)
        {
            stop.ThrowIfCancellationRequested();
            MeasureRequest asked = request with
            {
                Priority = step.Priority,
                Parameters = [.. request.Parameters, new("priority", KebabCase.Of(step.Priority))],
            };
            reports.Add(step.Name, MeasureRun.Run(machine, asked, step.Make, stop));
        }

        return new MeasureSummary
        {
            Profile = KebabCase.Of(paper),
            Paper = profile.Paper,
            PaperMachine = profile.Machine,
            Rows =
            [
                .. profile.Figures.Select(one => new PaperRow(
                    one.Place, one.What, one.Published, one.Value(reports[one.Step]), one.Unit)),
            ],
            Notes = profile.Notes,
            Reports = [.. profile.Steps.Select(step => reports[step.Name])],
        };
    }
}
