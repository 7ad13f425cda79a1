using Tracer.Analysis;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Inputs;
using Tracer.AnalyzerShared.Options;
using Tracer.AnalyzerShared.Viewer;
using Tracer.Symbols;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>The traces of the folders, opened for one request each; what was found in them is kept for the next.</summary>
internal sealed class McpTraces
{
    /// <summary>Bytes that kept results may take.</summary>
    public const long Budget = 256L << 20;

    /// <summary>Objects take about so many times the bytes of their JSON.</summary>
    private const int BytesForEach = 4;

    private const int MostRemembered = 16;

    private readonly List<string> _opened = [];

    public required TraceFolders Folders { get; init; }

    /// <summary>Where symbols are, besides beside the traces.</summary>
    public required SymbolPath Symbols { get; init; }

    public required bool AsksServers { get; init; }

    public ResultShelf Shelf { get; } = new(Budget);

    /// <summary>The traces that were asked about, the last one first.</summary>
    public IReadOnlyList<string> Opened
    {
        get
        {
            lock (_opened)
            {
                return [.. _opened];
            }
        }
    }

    /// <exception cref="ToolProblem">It names none that may be read.</exception>
    public TraceFile Find(ToolCall call) => Folders.Find(call.Text(TraceArguments.Trace.Name)!);

    /// <summary>Opens a trace, whose reading ends when the request is taken back.</summary>
    /// <exception cref="IOException">It is no trace, or cannot be read.</exception>
    public EtlReader Open(TraceFile file, ToolWork work)
    {
        EtlReader reader = PackedTrace.Open(OpenFile(file, work), file.Name, makeCopy: null);
        Remember(file.Name);
        return reader;
    }

    /// <exception cref="IOException">It cannot be read.</exception>
    public static Stream OpenContent(TraceFile file, ToolWork work) => PackedTrace.OpenContent(OpenFile(file, work), file.Name);

    private static WatchedFile OpenFile(TraceFile file, ToolWork work)
    {
        var stream = new FileStream(file.Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        if (CanonicalPath.Of(file.Path) != file.Path)
        {
            stream.Dispose();
            throw new IOException($"{file.Name} has become a link; it is not read");
        }

        return new WatchedFile(stream, work);
    }

    /// <summary>Makes the source of names for a trace or module.</summary>
    /// <param name="file">The file: those beside it are looked at.</param>
    /// <param name="call">May name a folder more.</param>
    public SymbolSession OpenSymbols(TraceFile file, ToolCall? call)
    {
        List<string> folders = [Path.GetDirectoryName(file.Path)!];
        if (call?.Text(TraceArguments.Symbols.Name) is { } more)
        {
            folders.Add(Folders.FindFolder(more));
        }

        return new SymbolSession(
            new SymbolFinderSettings
            {
                FoldersBeside = folders,
                Path = Symbols,
                CacheFolder = DiskSymbolFiles.DefaultCache,
                AskServers = AsksServers,
            },
            SymbolEngine.Managed,
            isPathGiven: false,
            TextWriter.Null,
            files => new FencedSymbolFiles(files, Folders));
    }

    /// <param name="call">The settings: those of <see cref="TraceArguments.OfBlame"/>.</param>
    public Task<BlameResult> BlameAsync(TraceFile file, ToolCall call, ToolWork work)
    {
        BlameRequest request = RequestOf(call);
        string key = "blame\n" + string.Join('\n', call.Options([.. TraceArguments.OfBlame.Select(argument => argument.Name),
            TraceArguments.Symbols.Name]));
        return Shelf.GetAsync(
            file,
            key,
            () =>
            {
                BlameResult result = Analyze(file, call, request, work);
                return (result, BytesForEach * ReportNode.Measure(json => ReportJson.Write(json, result.Report, indented: false)));
            },
            work.Cancellation);
    }

    /// <summary>What the settings of a call ask for.</summary>
    /// <exception cref="ToolProblem">One of them is wrong.</exception>
    public static BlameRequest RequestOf(ToolCall call)
    {
        BlameRequest? request = new PageOptions().Request(
            call.Options(TraceArguments.OfBlame.Select(argument => argument.Name)), out string? problem);
        return request is null
            ? throw new ToolProblem(problem!)
            : request with { WithLanes = false, WithTables = false };
    }

    public BlameResult Analyze(TraceFile file, ToolCall call, BlameRequest request, ToolWork work)
    {
        using SymbolSession session = OpenSymbols(file, call);
        using EtlReader reader = Open(file, work);
        if (request.Times is { } times)
        {
            request = request with { Times = EventTimes.In(times, reader) };
        }

        BlameResult result = BlameAnalysis.Analyze(file.Name, reader, request with { Names = session.Names });
        return result.Report.Trace.Events > 0
            ? result
            : throw new ToolProblem($"{file.Name}: no event could be read");
    }

    /// <summary>All latencies of the trace.</summary>
    public LatencyReport Measure(TraceFile file, LatencyRequest request, ToolWork work)
    {
        using EtlReader reader = Open(file, work);
        var all = new LatencyMerge(request);
        LatencyFindings findings = LatencyAnalysis.Measure(file.Name, reader, request);
        if (findings.Trace.Events == 0)
        {
            throw new ToolProblem($"{file.Name}: no event could be read");
        }

        all.Add(findings);
        return all.Report();
    }

    private void Remember(string trace)
    {
        lock (_opened)
        {
            _opened.Remove(trace);
            _opened.Insert(0, trace);
            if (_opened.Count > MostRemembered)
            {
                _opened.RemoveAt(MostRemembered);
            }
        }
    }
}
