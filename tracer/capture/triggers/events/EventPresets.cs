namespace Tracer.Capture.Triggers.Events;

/// <summary>Well-known events by a short name, for <c>--trigger event:NAME</c>.</summary>
/// <remarks>
/// Ids and tasks of events are what the providers' manifests say, as the public repositories OTRF/OSSEM
/// (data_dictionaries/windows/etw-providers) and repnz/etw-providers-docs (Manifests-Win10-18990) list them; docs/reference/capture.md
/// names the pages. What a Windows does not have of them is left out when the capture starts.
/// </remarks>
public static class EventPresets
{
    private const string Audio = "Microsoft-Windows-Audio";
    private const string Compositor = "Microsoft-Windows-Dwm-Core";

    public static IReadOnlyList<EventPreset> All { get; } =
    [
        new(
            "audio-glitch",
            Audio,
            [.. GlitchKind.TriggersOf(GlitchKind.Audio).Where(static id => id != GlitchKind.MissedDeadline)],
            "the audio engine found its data late or missing (task Audio_Glitch_Detection, without 28, which is about a number format)"),
        new(
            "audio-deadline",
            Audio,
            [GlitchKind.MissedDeadline],
            "the audio engine's pump missed its deadline (task Pump:misseddeadline!)"),
        new(
            "desktop-glitch",
            Compositor,
            [.. GlitchKind.TriggersOf(GlitchKind.Compositor), 172],
            "the desktop's compositor missed a frame (tasks SCHEDULE_GLITCH, SCHEDULE_GLITCH_DETECTED)"),
    ];

    /// <param name="name">Its name; upper case does not matter.</param>
    /// <returns>Null where there is none.</returns>
    public static EventPreset? Find(string name) =>
        All.FirstOrDefault(one => one.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
}

/// <summary>A well-known event.</summary>
public sealed record EventPreset(string Name, string Provider, IReadOnlyList<ushort> Ids, string Meaning);
