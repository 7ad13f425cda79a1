using Tracer.AnalyzerCommand;
using Tracer.CommandLine;

DllSearch.Narrow();
return CommandProgram.RunOnConsole(AnalyzerCommands.Create(), "analyzer", args);
