using System.CommandLine;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Commands.Symbols;

/// <summary><c>analyzer symbols</c>: the functions at addresses of a PDB or image, or the symbols that a trace needs.</summary>
internal static class SymbolsCommand
{
    public static Command Create()
    {
        Argument<string> file = new("FILE")
        {
            Description = "A PDB (.pdb), an image (.sys, .dll, .exe), or a trace (.etl, or - for standard input).",
        };
        Argument<string[]> rvas = new("RVA")
        {
            Description = "Addresses in the PDB's or image's module, from its base: 0x1a2b7. None: what the file itself is.",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var options = new SymbolOptions();
        Option<OutputFormat> format = OutputFormats.Option();
        Option<string?> target = ReportOutput.Option();
        var command = new ExampleCommand(
            "symbols",
            "Name addresses of a PDB or image; or tell, for each module of a trace, which symbols it needs and what was found where.",
            "analyzer symbols nic.pdb 0x1a2b7 0x1c000",
            "analyzer symbols nic.sys 0x1a2b7 --format json",
            "analyzer symbols trace.etl --symbols symbols --symbol-server")
        {
            file, rvas,
        };
        foreach (Option option in options.All.Concat([format, target]))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            TextWriter error = parse.InvocationConfiguration.Error;
            string path = TraceInputs.Single(parse, file, out string? several);
            List<uint> addresses = [];
            string? problem = several
                ?? options.Problem(parse)
                ?? AddressProblem(parse.GetValue(rvas) ?? [], addresses)
                ?? ReportOutput.Problem(parse.GetValue(target), [path]);
            if (problem is not null)
            {
                return WrongUsage.Tell("symbols", problem, error);
            }

            using SymbolSession session = options.Open(parse, path, error);
            ModuleFile? module = path == TraceArgument.StandardInput ? null : ModuleFile.Open(path, session);
            if (module is null && addresses.Count > 0)
            {
                return WrongUsage.Tell("symbols", $"{path} is neither a PDB nor an image, so there are no addresses in it", error);
            }

            using (module)
            {
                using var output = new ReportOutput(parse.GetValue(target), parse.InvocationConfiguration.Output);
                bool isJson = parse.GetValue(format) == OutputFormat.Json;
                if (module is not null && addresses.Count > 0)
                {
                    foreach (uint rva in addresses)
                    {
                        Print(SymbolsText.SymbolOf(rva, module.Names.Find(rva)), module.Name, isJson, output);
                    }
                }
                else
                {
                    if ((module?.Report(path) ?? ReportOfTrace(path, session, error)) is not { } report)
                    {
                        return ExitCode.Failed;
                    }

                    Interruption.Print(() =>
                    {
                        if (isJson)
                        {
                            output.WriteJson(json => ReportJson.Write(json, report, indented: true));
                        }
                        else
                        {
                            output.Print(SymbolsText.PageOf(report, output.Columns));
                        }
                    });
                }

                output.Keep([.. session.FilesRead, .. module?.FilesRead ?? []]);
            }

            return ExitCode.Done;
        });
        return command;
    }

    private static void Print(AddressSymbol symbol, string module, bool isJson, ReportOutput output)
    {
        if (isJson)
        {
            output.WriteJson(json => ReportJson.Write(json, symbol));
        }
        else
        {
            output.Print(SymbolsText.PageOf(symbol, module, output.Columns));
        }
    }

    private static SymbolsReport? ReportOfTrace(string path, SymbolSession session, TextWriter error)
    {
        using EtlReader reader = TraceArgument.Open(path);
        IReadOnlyList<SymbolModule>? modules = ReadingProgress.Show(path, () => reader.Progress, () => ModulesOf(reader, session));
        DamageWarning.Write(path, reader, error);
        if (modules is null)
        {
            error.WriteLine($"analyzer: {path}: no event could be read");
            return null;
        }

        return new SymbolsReport { Path = path, Modules = modules };
    }

    /// <summary>The modules of a trace, with what each needs and what was found; null where no event could be read.</summary>
    public static IReadOnlyList<SymbolModule>? ModulesOf(EtlReader reader, SymbolSession session)
    {
        reader.Settle();
        var sink = new Sink { Modules = new TraceModules(reader.Header.PointerBytes) };
        reader.Read(EtlOrder.Any, ref sink);
        if (sink.Events == 0)
        {
            return null;
        }

        sink.Modules.Complete();
        HashSet<ImageFiles> told = [];
        List<SymbolModule> modules = [];
        ImageTable images = sink.Modules.Images;
        for (int i = 0; i < images.Images.Count; i++)
        {
            ImageFiles files = session.Names.FilesOf(images.Images[i]);
            if (told.Add(files))
            {
                modules.Add(SymbolsText.ModuleOf(files, isKernel: i < images.KernelImageCount));
            }
        }

        return modules;
    }

    /// <summary>Reads addresses; a number without 0x is decimal, as in C.</summary>
    public static string? AddressProblem(string[] texts, List<uint> addresses)
    {
        foreach (string text in texts)
        {
            bool isHexadecimal = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase);
            if (isHexadecimal
                ? uint.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint rva)
                : uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out rva))
            {
                addresses.Add(rva);
                continue;
            }

            string hint = !isHexadecimal && uint.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out _)
                ? $"write 0x{text}"
                : "an address from the module's base such as 0x1a2b7 is expected, at most 0xffffffff";
            return $"RVA: '{text}' is not an address; {hint}";
        }

        return null;
    }

    private struct Sink : IEtlEventSink
    {
        public required TraceModules Modules { get; init; }

        public long Events { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            Modules.Add(in traceEvent);
            return true;
        }
    }
}
