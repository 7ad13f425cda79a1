using Tracer.AnalyzerCommand;
using Tracer.AnalyzerCommand.Common;

DllSearch.Narrow();
Collector.BeginLate();
return CommandProgram.RunOnConsole(
    AnalyzerCommands.For, "analyzer", args, (run, error) => AnalyzerMenu.Create(run, BrowserPage.Open, error));
