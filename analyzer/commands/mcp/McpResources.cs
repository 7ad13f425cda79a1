using System.Text;
using System.Text.Json.Nodes;
using ModelContextProtocol;
using ModelContextProtocol.Protocol;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Tools;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Mcp;

/// <summary>What clients may fetch by an address: the list of the traces, and the blame of each as text, JSON and HTML.</summary>
internal sealed class McpResources(McpTraces traces)
{
    /// <summary>The most bytes of a report; what is larger is asked for by the tools.</summary>
    private const int MostBytes = 4 << 20;

    private const int TextTop = 20;

    /// <summary>What there is now: the list, and the reports of the traces that were asked about.</summary>
    public ListResourcesResult Listed()
    {
        var listed = new ListResourcesResult { Resources = [] };
        listed.Resources.Add(new Resource
        {
            Uri = ReportAddresses.Traces,
            Name = "traces",
            Title = "The traces in the folders of this server",
            MimeType = "application/json",
        });
        foreach (string trace in traces.Opened)
        {
            foreach ((string format, string mimeType, string title) in ReportAddresses.Formats)
            {
                listed.Resources.Add(new Resource
                {
                    Uri = ReportAddresses.Of(format, trace),
                    Name = PrintableText.Of($"{trace} ({format})"),
                    Title = title,
                    MimeType = mimeType,
                });
            }
        }

        return listed;
    }

    public static ListResourceTemplatesResult Templates() => new()
    {
        ResourceTemplates =
        [
            new ResourceTemplate
            {
                UriTemplate = ReportAddresses.Blame + "{format}/{+trace}",
                Name = "blame",
                Title = "The blame of a trace",
                Description = "Format is text, json (schema tracer.blame/1, with all episodes) or html (one page); trace as the "
                    + "tool traces "
                    + "lists it, percent-encoded.",
            },
        ],
    };

    /// <exception cref="McpProtocolException">There is none of this address, or it cannot be made.</exception>
    public async Task<ReadResourceResult> ReadAsync(string uri, ToolWork work)
    {
        if (uri == ReportAddresses.Traces)
        {
            return Of(uri, "application/json", TracesAsJson());
        }

        if (!uri.StartsWith(ReportAddresses.Blame, StringComparison.Ordinal)
            || uri[ReportAddresses.Blame.Length..].Split('/', 2) is not [var format, { Length: > 0 } trace]
            || Array.FindIndex(ReportAddresses.Formats, one => one.Format == format) is not (>= 0 and var which))
        {
            throw new McpProtocolException(
                "there is no such resource; resources/list and resources/templates/list list what there is", McpErrorCode.ResourceNotFound);
        }

        TraceFile file;
        try
        {
            file = traces.Folders.Find(Uri.UnescapeDataString(trace));
        }
        catch (ToolProblem problem)
        {
            throw new McpProtocolException(PrintableText.Of(problem.Message), McpErrorCode.ResourceNotFound);
        }

        try
        {
            return Of(uri, ReportAddresses.Formats[which].MimeType, await ReportAsync(file, format, work).ConfigureAwait(false));
        }
        catch (Exception problem) when (McpServing.IsExpected(problem))
        {
            throw new McpProtocolException(PrintableText.Of(ToolCall.InWords(problem.Message)), McpErrorCode.InternalError);
        }
    }

    private static ReadResourceResult Of(string uri, string mimeType, string text) => new()
    {
        Contents = [new TextResourceContents { Uri = uri, MimeType = mimeType, Text = text }],
    };

    private string TracesAsJson()
    {
        IReadOnlyList<TraceFile> all = traces.Folders.List(out bool isCut);
        var list = new JsonArray();
        foreach (TraceFile file in all)
        {
            list.Add((JsonNode)new JsonObject { ["trace"] = file.Name, ["bytes"] = file.Length });
        }

        return new JsonObject { ["traces"] = list, ["isCut"] = isCut }.ToJsonString();
    }

    private async Task<string> ReportAsync(TraceFile file, string format, ToolWork work)
    {
        ToolCall call = ToolCall.Of([], null);
        if (format == "html")
        {
            return await traces.Shelf.RunAsync(
                () =>
                {
                    BlameRequest request = McpTraces.RequestOf(call) with { WithLanes = true, WithTables = true };
                    BlameResult result = traces.Analyze(file, call, request, work);
                    using var page = new MemoryStream();
                    HtmlReport.Write(result, traces.Measure(file, new LatencyRequest { Splits = LatencyRequest.Each }, work), page);
                    return Encoding.UTF8.GetString(page.GetBuffer(), 0, (int)page.Length);
                },
                work.Cancellation).ConfigureAwait(false);
        }

        BlameReport report = (await traces.BlameAsync(file, call, work).ConfigureAwait(false)).Report;
        if (format == "text")
        {
            return BoundedJson.Fit(BlameTool.TextOf(report, TextTop), MostBytes);
        }

        if (ReportNode.Measure(json => ReportJson.Write(json, report, indented: false)) is > MostBytes and var bytes)
        {
            throw new ToolProblem(string.Create(
                CultureInfo.InvariantCulture,
                $"{file.Name}: its report has {bytes} bytes, more than the {MostBytes} that are given at once; the tools blame and "
                    + $"episodes "
                + $"give it in parts"));
        }

        using var bytesOf = new MemoryStream();
        ReportJson.Write(bytesOf, report, indented: false);
        return Encoding.UTF8.GetString(bytesOf.GetBuffer(), 0, (int)bytesOf.Length);
    }
}
