namespace Tracer.Bench.Reading;

/// <summary>What a sink that decodes has added up, so that nothing it looked at can be left out by a compiler.</summary>
internal interface IFieldSums
{
    long Events { get; }

    /// <summary>How many of them were decoded.</summary>
    long Decoded { get; }

    /// <summary>Sum of fields and times; the same in every order.</summary>
    ulong Sum { get; }
}
