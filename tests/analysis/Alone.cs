namespace Tracer.Analysis.Tests;

/// <summary>Tests that measure the heap or the time run while no other does.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public class Alone
{
    public const string Name = "Alone";
}
