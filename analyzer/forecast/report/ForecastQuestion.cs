namespace Tracer.Forecast;

/// <param name="After">
/// What it is called behind the one before in the same sentence: <c>128</c> behind <c>64 samples at 48 kHz</c>; null where it begins one.
/// </param>
public sealed record AskedApplication(string Name, Buffering Buffering, string? After = null);

public sealed record ForecastQuestion
{
    /// <summary>How much use a day and a week have.</summary>
    public UsagePattern Usage { get; init; } = UsagePattern.Office;

    public IReadOnlyList<AskedApplication> Applications { get; init; } = [];

    public IReadOnlyList<PeriodicTask> Tasks { get; init; } = [];

    /// <summary>One dropout is permitted in so much time, in nanoseconds: an hour, as the paper has it for a soft modem.</summary>
    public long PermittedNs { get; init; } = 3_600_000_000_000;

    /// <summary>What it is asked of, in words: <c>wait</c> or <c>job</c>.</summary>
    public string Unit { get; private init; } = LatencyKind.Thread.Unit();

    /// <summary>The same of latencies of a kind: the response of a job has its computing in it.</summary>
    public ForecastQuestion For(LatencyKind kind) => this with
    {
        Unit = kind.Unit(),
        Applications = kind != LatencyKind.Response ? Applications
            : [.. Applications.Select(asked => asked with { Buffering = asked.Buffering with { ComputeNs = 0 } })],
    };

    /// <summary>What is asked of the jobs of a periodic thread: whether they are done with its next beat.</summary>
    public ForecastQuestion ForBeat(long periodNs) => this with
    {
        Applications = [new AskedApplication($"a job done within its period of {Times.Text(periodNs)}", new Buffering(2, periodNs, 0))],
        Tasks = [],
        Unit = LatencyKind.Response.Unit(),
    };
}
