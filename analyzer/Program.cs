using Tracer.AnalyzerCommand;

DllSearch.Narrow();
return CommandProgram.RunOnConsole(AnalyzerCommands.For(args), "analyzer", args);
