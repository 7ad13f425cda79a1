using Tracer.TracerCommand;

DllSearch.Narrow();
return CommandProgram.RunOnConsole(TracerCommands.For, "tracer", args, (run, _) => TracerMenu.Create(run, TracerMenu.Folder));
