namespace Tracer.Capture.Sessions;

/// <summary>How many trace sessions Windows has places for.</summary>
public static class SessionPlaces
{
    /// <summary>
    /// Sessions of all kinds (Learn, "Event Tracing Sessions"). The value EtwMaxLoggers below Control\WMI may say 32 to 256 (Learn,
    /// StartTrace); hardly anybody sets it, and TraceMaxLoggersQuery tells (<see cref="ITraceSessions.Places"/>).
    /// </summary>
    public const int All = 64;

    /// <summary>
    /// System loggers: eight, of which two are kept for <see cref="Reserved"/> (Learn, "Configuring and Starting a SystemTraceProvider
    /// Session").
    /// </summary>
    public const int Loggers = 6;

    /// <summary>Names of system loggers from before there was a mode for them; they have places of their own.</summary>
    public static IReadOnlyList<string> Reserved { get; } = ["NT Kernel Logger", "Circular Kernel Context Logger"];

    /// <summary>How many more system loggers may start.</summary>
    /// <returns>0 to <see cref="Loggers"/>.</returns>
    public static int FreeOfLoggers(IEnumerable<RunningSession> running) => Math.Max(
        0,
        Loggers - running.Count(static one => one.IsSystemLogger && !Reserved.Contains(one.Name, StringComparer.OrdinalIgnoreCase)));
}
