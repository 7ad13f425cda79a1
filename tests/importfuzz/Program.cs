using Mono.Cecil;
using Tracer.ImportFuzz;

// Tracer.ImportFuzz FROM TO: rewrites what `tracer import` runs, with a counter for each edge; prints how many counters there are.
if (args is not [string from, string to])
{
    Console.Error.WriteLine("usage: Tracer.ImportFuzz FOLDER-OF-ASSEMBLIES FOLDER-TO-WRITE");
    return 1;
}

var edges = new EdgeCounters();
foreach (string name in ImportEntry.Instrumented)
{
    using var assembly = AssemblyDefinition.ReadAssembly(Path.Combine(from, name + ".dll"));
    edges.AddTo(assembly.MainModule);
    assembly.Write(Path.Combine(to, name + ".dll"));
}

Console.WriteLine(edges.Count);
return 0;
