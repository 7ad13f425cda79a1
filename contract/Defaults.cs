namespace Tracer.Contract;

/// <summary>What holds wherever the user says nothing: for analyses, captures, the driver and simulations alike.</summary>
public static class Defaults
{
    /// <summary>Threads of this priority and above are victims when they wait: the lowest of the real-time priorities.</summary>
    public const int MinimumPriority = 16;

    /// <summary>Most routines that a report lists: a damaged trace may claim any number.</summary>
    public const int RoutinesListed = 2000;

    /// <summary>Samples of the smallest buffer that applications of sound usually offer.</summary>
    public const int SmallestBufferSamples = 64;

    /// <summary>Usual samples of sound a second.</summary>
    public const int SampleRate = 48_000;

    /// <summary>Latency at or above this is an episode.</summary>
    public static Duration Threshold { get; } = Duration.FromMicroseconds(500);

    /// <summary>How long the smallest usual buffer of sound lasts: what is shorter makes no sound drop out by itself.</summary>
    public static Duration SmallestBuffer { get; } = new(1_000_000_000L * SmallestBufferSamples / SampleRate);

    /// <summary>How much before an episode is kept of it where only one is.</summary>
    public static Duration BeforeEpisode { get; } = Duration.FromSeconds(2);

    public static Duration BehindEpisode { get; } = Duration.FromMilliseconds(250);
}
