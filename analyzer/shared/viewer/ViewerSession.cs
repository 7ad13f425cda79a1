using Tracer.Analysis;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerShared.Forecasts;
using Tracer.AnalyzerShared.Html;
using Tracer.AnalyzerShared.Inputs;
using Tracer.AnalyzerShared.Options;
using Tracer.Symbols;

namespace Tracer.AnalyzerShared.Viewer;

/// <summary>
/// A trace that the user gave to the page, to be analysed once and again with other settings. One thread, no console and no disk: what is
/// unpacked goes where the page says.
/// </summary>
internal sealed class ViewerSession : IDisposable
{
    private readonly DroppedFile _trace;
    private readonly DroppedSymbols _files;
    private readonly SymbolFinder _finder;
    private readonly ImageSymbols _names;
    private readonly PageOptions _options = new();
    private readonly EtlReader _reader;
    private BlameResult? _result;
    private LatencyReport? _latencies;

    /// <summary>Opens what the user gave.</summary>
    /// <exception cref="IOException">There is no trace that can be read; the message says what to do.</exception>
    public ViewerSession(IReadOnlyList<DroppedFile> dropped, Func<Stream> makeCopy)
    {
        var files = DroppedFiles.Of(dropped);
        _trace = files.Trace;
        _reader = PackedTrace.Open(files.Trace.Open(), files.Trace.Name, makeCopy);
        _files = new DroppedSymbols(files.Symbols);
        _finder = new SymbolFinder(_files, PdbReading.ReadId, new SymbolFinderSettings { FoldersBeside = [""] });
        _names = new ImageSymbols(_finder, PdbReading.Open);
    }

    /// <summary>How far the reading has come, 0 to 1; null while something is unpacked.</summary>
    public double? Progress => _reader.Progress;

    /// <param name="notes">Sentences about what could not be read or used.</param>
    /// <exception cref="IOException">The trace cannot be read; the message says what to do.</exception>
    /// <exception cref="MeaninglessRequestException">An option is wrong, or the trace has no such part.</exception>
    public BlameResult Analyse(IReadOnlyList<string> arguments, out IReadOnlyList<string> notes)
    {
        BlameRequest request = _options.Request(arguments, out string? problem)
            ?? throw new MeaninglessRequestException(problem ?? "nothing was asked");
        if (request.Times is { } times)
        {
            request = request with { Times = EventTimes.In(times, _reader) };
        }

        BlameResult result = BlameAnalysis.Analyze(_trace.Name, _reader, request with { Names = _names });
        if (result.Report.Trace.Events == 0)
        {
            throw new EtlFormatException($"{_trace.Name}: no event could be read");
        }

        notes =
        [
            .. DamageWarning.Of(_reader).Select(text => $"{_trace.Name}: {text}"),
            .. SymbolProblems.Of(_names),
            .. _files.Unused(_names.Asked),
        ];
        _result = result;
        return result;
    }

    /// <summary>
    /// All latencies of the trace, which takes a reading of its own, once: no setting changes it. To be asked behind an analysis, which
    /// tells what is wrong with the trace.
    /// </summary>
    public LatencyReport Latencies()
    {
        if (_latencies is null)
        {
            var request = new LatencyRequest { Splits = LatencyRequest.Each };
            var all = new LatencyMerge(request);
            var series = new ForecastSeries(request);
            all.Add(LatencyAnalysis.Measure(_trace.Name, _reader, request, series.Next()));
            _latencies = all.Report() with { Forecasts = series.Forecasts(ForecastOptions.Unasked) };
        }

        return _latencies;
    }

    /// <summary>The page of <c>analyzer report</c> for the last analysis.</summary>
    public byte[] Page(PageBundle bundle) => _result is { } result
        ? HtmlPage.Of(result, bundle, Latencies())
        : throw new InvalidOperationException("Nothing was analysed.");

    public void Dispose()
    {
        _finder.Dispose();
        _reader.Dispose();
    }
}
