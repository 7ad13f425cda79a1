namespace Tracer.Forecast;

/// <summary>
/// An application of Table 1 of Cota-Robles &amp; Held, with the ranges that its implementations had. Times in milliseconds.
/// </summary>
/// <param name="LeastTolerance">The lower latency tolerance that the table prints; roughly what the buffers give.</param>
public sealed record KnownApplication(
    string Name, string Title, int LeastBuffer, int MostBuffer, int LeastBuffers, int MostBuffers, int LeastTolerance, int MostTolerance)
{
    public static IReadOnlyList<KnownApplication> All { get; } =
    [
        new("adsl", "ADSL", 2, 4, 2, 6, 4, 10),
        new("modem", "Modem", 4, 16, 2, 6, 12, 20),
        new("audio", "RT audio", 8, 24, 2, 8, 20, 60),
        new("video", "RT video", 33, 50, 2, 3, 33, 100),
    ];

    /// <summary>Many short buffers: n at its most, t at its least.</summary>
    public Buffering ManyShort => new(MostBuffers, LeastBuffer * 1e6, 0);

    /// <summary>Few long buffers: n at its least, t at its most.</summary>
    public Buffering FewLong => new(LeastBuffers, MostBuffer * 1e6, 0);

    /// <summary>The application of a name, in any case; null where there is none.</summary>
    public static KnownApplication? Of(string name) =>
        All.FirstOrDefault(known => string.Equals(known.Name, name, StringComparison.OrdinalIgnoreCase));
}
