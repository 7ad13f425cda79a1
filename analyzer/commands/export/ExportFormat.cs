namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>What <c>analyzer export</c> writes.</summary>
internal enum ExportFormat
{
    /// <summary>A trace of perfetto, as protobuf: what each CPU ran, what woke what, episodes, counters.</summary>
    Perfetto,

    /// <summary>A profile of the Firefox Profiler, as JSON: stacks of samples by CPU; ISRs, DPCs and episodes as markers.</summary>
    FirefoxProfiler,

    /// <summary>A file of speedscope, as JSON: what each CPU ran, and the stacks of the samples.</summary>
    Speedscope,

    /// <summary>The stacks of the samples, each with its count, as flame graphs are drawn from.</summary>
    Folded,

    /// <summary>A database of SQLite: episodes, causes, drivers, what each CPU ran, wake-ups, samples.</summary>
    Sqlite,
}
