using Tracer.TracerCommand;

DllSearch.Narrow();
return CommandProgram.RunOnConsole(TracerCommands.For(args), "tracer", args);
