using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>A circular file that has overwritten its beginning, on a busy CPU more of it than on others.</summary>
internal static class CircularBuffer
{
    private const int BufferBytes = 64 * 1024;
    private const int Buffers = 96;

    public static Scenario Scenario { get; } = LongDpcChoices.DecoyTotal with
    {
        Name = "circular-buffer",
        Explanation = "As decoy-total, in a circular file of 6 MB that has overwritten its beginning.",
        IsCircular = true,
        ChangeRecording = options => options with
        {
            RingBuffers = Buffers,
            BufferBytes = BufferBytes,
            Compress = false,
            IsMerged = false,
            IsWindows7Merge = false,
            Rundown = Rundowns.Both,
        },
    };
}
