namespace Tracer.Commands.Tests;

/// <summary>Tests that measure the heap or the time, or change what is the process's, run while no other does.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public class Alone
{
    public const string Name = "Alone";
}
