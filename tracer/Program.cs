using Tracer.CommandLine;
using Tracer.TracerCommand;

return CommandProgram.RunOnConsole(TracerCommands.Create(), "tracer", args);
