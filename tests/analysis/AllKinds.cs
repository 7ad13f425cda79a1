namespace Tracer.Analysis.Tests;

/// <summary>What a trace of all kinds of records has.</summary>
internal static class AllKinds
{
    public static RecordedKinds Has { get; } = new()
    {
        IsrDpc = true,
        ContextSwitches = true,
        ReadyThread = true,
        Samples = true,
        Stacks = true,
        Images = true,
        Wdf = true,
        DpcQueue = true,
        Power = true,
        Wakeups = true,
    };
}
