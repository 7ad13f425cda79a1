using Tracer.AnalyzerCommand;
using Tracer.CommandLine;

return CommandProgram.RunOnConsole(AnalyzerCommands.Create(), "analyzer", args);
