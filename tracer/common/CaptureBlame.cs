using Tracer.Analysis;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Request;
using Tracer.Capture.Engine;
using Tracer.Symbols;
using Tracer.Symbols.Pdb;

namespace Tracer.TracerCommand.Common;

/// <summary>Analyses captured traces: quickly while the capture goes on, with the names of functions when it is over.</summary>
/// <param name="threshold">Latency at or above this is an episode.</param>
/// <param name="process">The one process that the user asks about; null for any.</param>
/// <param name="deadline">When a job should be done; null where the user does not say.</param>
internal sealed class CaptureBlame(Duration threshold, string? process = null, Duration? deadline = null)
{
    /// <summary>The analysis that fits what triggers: of one process where nothing else can trigger.</summary>
    public static CaptureBlame For(CaptureOptions options) =>
        options is { Processes: [var only], Events.Count: 0 } && options.Triggers.All(static kind => kind == TriggerKind.Job)
            ? new CaptureBlame(options.ProcessLatency ?? options.Threshold, only, options.Deadline)
            : new CaptureBlame(options.Threshold);

    private BlameRequest Request => new() { Threshold = threshold, Process = process, Deadline = deadline };

    /// <summary>Analyses without symbols: the machine is still watched.</summary>
    public BlameReport? WhileCapturing(string path) => Analyze(path, Request);

    /// <summary>
    /// Analyses with the symbols that are found beside the trace, or by the path that the environment names; no server is asked.
    /// </summary>
    /// <returns>Null where the trace has no event, or cannot be read any more.</returns>
    public BlameReport? AtTheEnd(string path)
    {
        var settings = new SymbolFinderSettings
        {
            FoldersBeside = [Path.GetDirectoryName(Path.GetFullPath(path))!],
            Path = SymbolPath.TryParse(Environment.GetEnvironmentVariable("_NT_SYMBOL_PATH") ?? "", out SymbolPath? named, out _)
                ? named
                : SymbolPath.Empty,
            CacheFolder = DiskSymbolFiles.DefaultCache,
        };
        using var finder = new SymbolFinder(new DiskSymbolFiles(), ReadId, settings);
        try
        {
            return Analyze(path, Request with { Names = new ImageSymbols(finder, Open) });
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static BlameReport? Analyze(string path, BlameRequest request)
    {
        using EtlReader reader = EtlReader.Open(path);
        BlameReport report = BlameAnalysis.Analyze(path, reader, request).Report;
        return report.Trace.Events > 0 ? report : null;
    }

    private static PdbId? ReadId(SymbolBytes bytes, out string? problem)
    {
        PdbFile? pdb = PdbFile.Open(bytes, out PdbFault? fault);
        problem = pdb is null ? "can't be used: " + fault?.Message : null;
        return pdb?.Id;
    }

    private static PdbFile? Open(SymbolBytes bytes, SymbolSource source, out string? problem)
    {
        PdbFile? pdb = PdbFile.Open(bytes, out PdbFault? fault);
        problem = fault?.Message;
        return pdb;
    }
}
