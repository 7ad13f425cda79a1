using Tracer.AnalyzerCommand;
using Tracer.CommandLine;

DllSearch.Narrow();
return CommandProgram.RunOnConsole(AnalyzerCommands.For(args), "analyzer", args);
