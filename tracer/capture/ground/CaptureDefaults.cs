namespace Tracer.Capture.Ground;

/// <summary>
/// What <c>tracer capture</c> does where the user says nothing: episodes kept, priority of the probe, distance of samples. The ring is in
/// <see cref="CaptureRingDefault"/>; threshold, time before and time after are those of <see cref="Defaults"/>, which the analyzer has as
/// well.
/// </summary>
public static class CaptureDefaults
{
    /// <summary>Episodes kept where no limit says otherwise: bounds the disk of a run that nobody watches.</summary>
    public const int KeepWorst = 10;

    /// <summary>Priority of the probe process's thread: 24 or 28.</summary>
    public const int ProbePriority = 28;

    /// <summary>Distance of samples while we record.</summary>
    public static Duration ProfileInterval { get; } = Duration.FromMilliseconds(1);
}
