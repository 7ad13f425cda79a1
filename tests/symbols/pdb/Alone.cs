namespace Tracer.Symbols.Tests.Pdb;

/// <summary>Tests that measure time or the memory of the process run after the others, one by one.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public class Alone
{
    public const string Name = "alone";
}
