using System.Text.Json.Nodes;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.AnalyzerCommand.Commands.Symbols;
using Tracer.AnalyzerCommand.Common.Symbols;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Tools;

/// <summary>Names of functions.</summary>
internal sealed class SymbolsTool(McpTraces traces) : McpTool
{
    private const int Usual = 50;

    public override string Name => "symbols";

    public override string Title => "Names of functions";

    public override string Description =>
        "Given a trace, lists its modules with the PDB and image that each needs (key is its place in a symbol store) and where they were "
        + "found; blame names functions of those. Given a PDB or image and addresses in it, names the functions there, with source line "
        + "and inlined calls where the PDB has them. It never downloads unless the server was started with --symbol-server.";

    public override string Output =>
        "file:string modules?:array functions?:array " + OutputFields.OfPage;

    public override IReadOnlyList<ToolArgument> Arguments { get; } =
    [
        new("file", ArgumentKind.Text, "A trace, as the tool traces lists it, or a PDB or image (.sys, .dll, .exe) in the same folders.")
        {
            IsRequired = true,
        },
        new("addresses", ArgumentKind.Texts, "Addresses in the PDB's or image's module, from its base, such as 0x1a2b7."),
        TraceArguments.Symbols,
        PagedAnswer.Limit(Usual, 500),
        PagedAnswer.Cursor,
    ];

    public override async Task<ToolAnswer> AnswerAsync(ToolCall call, ToolWork work)
    {
        TraceFile file = traces.Folders.Find(call.Text("file")!);
        List<uint> addresses = [];
        if (SymbolsCommand.AddressProblem(call.Texts("addresses"), addresses) is { } problem)
        {
            throw new ToolProblem(problem);
        }

        return await traces.Shelf.RunAsync(() => Read(file, addresses, call, work), work.Cancellation).ConfigureAwait(false);
    }

    private ToolAnswer Read(TraceFile file, List<uint> addresses, ToolCall call, ToolWork work)
    {
        using SymbolSession session = traces.OpenSymbols(file, call);
        using ModuleFile? module = ModuleFile.Open(file.Path, session);
        if (module is null && addresses.Count > 0)
        {
            throw new ToolProblem($"{file.Name} is neither a PDB nor an image, so there are no addresses in it");
        }

        JsonObject above = new() { ["file"] = file.Name };
        if (module is not null && addresses.Count > 0)
        {
            return new PagedAnswer("functions", above).Of(
                call,
                Usual,
                [.. addresses.Select(rva => SymbolsText.SymbolOf(rva, module.Names.Find(rva)))],
                symbol => ReportNode.Of(json => ReportJson.Write(json, symbol)),
                symbol => LineOf(symbol, module.Name),
                PrintableText.Of($"{module.Name}:"));
        }

        IReadOnlyList<SymbolModule> modules = module?.Report(file.Name).Modules ?? ModulesOf(file, session, work);
        return new PagedAnswer("modules", above).Of(
            call,
            Usual,
            modules,
            one => ReportNode.Of(json => ReportJson.Write(
                json, new SymbolsReport { Path = file.Name, Modules = [InFolders(one)] }, indented: false))
                ["modules"]![0]!.DeepClone().AsObject(),
            one => $"{one.Name}: names from {one.Names}; needs PDB {one.Pdb?.Name ?? "?"} {one.Pdb?.Key ?? "?"}"
                + (one.Pdb?.Source is { } source ? $", found ({source})" : ", not found"),
            $"{Counted.Of(modules.Count, "module")}:");
    }

    /// <summary>Paths in the folders as clients write them.</summary>
    private SymbolModule InFolders(SymbolModule module) => module with { Pdb = InFolders(module.Pdb), Image = InFolders(module.Image) };

    private NeededFile? InFolders(NeededFile? file) =>
        file?.Path is { } path && traces.Folders.IsWrittenInside(path) ? file with { Path = traces.Folders.NameOf(path) } : file;

    private IReadOnlyList<SymbolModule> ModulesOf(TraceFile file, SymbolSession session, ToolWork work)
    {
        using EtlReader reader = traces.Open(file, work);
        return SymbolsCommand.ModulesOf(reader, session)
            ?? throw new ToolProblem($"{file.Name}: no event could be read");
    }

    private static string LineOf(AddressSymbol symbol, string module) => string.Create(
        CultureInfo.InvariantCulture,
        $"{symbol.Rva} {module}{(symbol.Function is null ? "" : "!" + symbol.Function)}+0x{symbol.Offset:x} ({symbol.Proof})"
        + $"{(symbol.Source is { } source ? $" {source.File}:{source.Line}" : "")}");
}
