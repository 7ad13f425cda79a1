using Tracer.AnalyzerCommand;

DllSearch.Narrow();
return CommandProgram.RunOnConsole(
    AnalyzerCommands.For, "analyzer", args, (run, error) => AnalyzerMenu.Create(run, BrowserPage.Open, error));
