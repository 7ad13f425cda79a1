using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>Who was late, by a glitch's record. In JSON in lower case.</summary>
[JsonConverter(typeof(KebabCaseConverter<GlitchSide>))]
public enum GlitchSide
{
    /// <summary>The audio engine: the device, or a client that records, got nothing in time.</summary>
    Engine,

    /// <summary>The program that plays or records: the engine found nothing of it, or could not hand over.</summary>
    Client,

    /// <summary>The device or its driver: it answered too late, or in the wrong order.</summary>
    Device,

    /// <summary>The compositor of the desktop: it missed a frame.</summary>
    Compositor,

    /// <summary>The program that draws: it handed a frame over long after the one before.</summary>
    Presenter,

    /// <summary>Not known: a person set a mark when something was heard or seen.</summary>
    Unknown,
}

/// <summary>What a record of a kind tells.</summary>
public enum GlitchUse
{
    /// <summary>That something was late, at this moment.</summary>
    Glitch,

    /// <summary>That a glitch, told before, is over.</summary>
    End,

    /// <summary>How many there were in a time.</summary>
    Count,

    /// <summary>By when the engine wants to be done.</summary>
    Deadline,

    /// <summary>That a program hands over a frame; the times between them show which came late.</summary>
    Frame,

    /// <summary>That a thread has read a device of input: moments at which nothing need have been late.</summary>
    Input,
}

/// <summary>A kind of Windows' own records that something was late, and how its payload begins.</summary>
/// <param name="Id">The event's id.</param>
/// <param name="Name">Its opcode or task in the manifest.</param>
/// <param name="Layout">
/// The fields of version 0, packed: <c>p</c> a pointer, <c>8</c> and <c>4</c> numbers of so many bytes. Later versions append.
/// </param>
/// <param name="Tells">
/// What it says in words; <c>{1}</c> stands for the field of that number. What stands in brackets is said where its numbers make sense.
/// </param>
/// <remarks>
/// Source: public dumps of the manifests of Windows 10 (jdu2600/Windows10EtwEvents, manifest/Microsoft-Windows-Audio.tsv and
/// Microsoft-Windows-Dwm-Core.tsv). No recorded bytes of them were available: all are unconfirmed. Event 28 of the audio provider is
/// about a number format, and none. The events of frames and of input, which PresentMon reads, are from the same dumps, and unconfirmed as
/// well: Microsoft-Windows-DXGI.tsv (42, 55), Microsoft-Windows-D3D9.tsv (1), Microsoft-Windows-DxgKrnl.tsv (184) and
/// Microsoft-Windows-Win32k.tsv (73, by the raw input thread).
/// </remarks>
public sealed record GlitchKind(Guid Provider, ushort Id, string Name, GlitchUse Use, GlitchSide Side, string Layout, string Tells)
{
    /// <summary>Microsoft-Windows-Audio.</summary>
    public static Guid Audio { get; } = new("ae4bd3be-f36f-45b6-8d21-bdd6fb832853");

    /// <summary>Microsoft-Windows-Dwm-Core.</summary>
    public static Guid Compositor { get; } = new("9e9bba3c-2e38-40cb-99f4-9e8281425164");

    /// <summary>Microsoft-Windows-DXGI: frames of Direct3D 10 and later.</summary>
    public static Guid Frames { get; } = new("ca11c036-0102-4a2d-a6ad-f03cfed5d3c9");

    /// <summary>Microsoft-Windows-D3D9: frames of Direct3D 9.</summary>
    public static Guid OldFrames { get; } = new("783aca0a-790e-4d7f-8451-aa850511c6b9");

    /// <summary>Microsoft-Windows-DxgKrnl: frames of all programs, as the kernel gets them.</summary>
    public static Guid KernelFrames { get; } = new("802ec45a-1e99-4b83-9920-87c98277ba9d");

    /// <summary>Microsoft-Windows-Win32k.</summary>
    public static Guid Input { get; } = new("8c416c79-d49b-4f01-a467-e56d3aa8234c");

    /// <summary>The level that the manifest gives it: these are Informational and Warning, all others Verbose.</summary>
    public byte Level => (byte)(Id switch { 18 => 3, 19 or 117 or MissedDeadline => 4, _ => 5 });

    public string ProviderName => Provider == Audio ? "Microsoft-Windows-Audio"
        : Provider == Compositor ? "Microsoft-Windows-Dwm-Core"
        : Provider == Frames ? "Microsoft-Windows-DXGI"
        : Provider == OldFrames ? "Microsoft-Windows-D3D9"
        : Provider == KernelFrames ? "Microsoft-Windows-DxgKrnl"
        : Provider == Input ? "Microsoft-Windows-Win32k"
        : "PerfInfo";

    public static IReadOnlyList<GlitchKind> All { get; } =
    [
        Sound(18, "AudioDG_Glitch_Threshold_Exceeded", GlitchSide.Engine, "4", "there were too many glitches", GlitchUse.Count),
        Sound(19, "GlitchCounter", GlitchSide.Engine, "48", "glitches were counted[: {0}]", GlitchUse.Count),
        Sound(26, "CaptureMonitorRenderGlitch", GlitchSide.Engine, "p88", "the monitor of a capture endpoint could not play in time"),
        Sound(27, "CaptureMonitorCaptureGlitch", GlitchSide.Engine, "p88", "the monitor of a capture endpoint could not record in time"),
        Sound(29, "CPClientInputEndpoint_NoMessagesinqueue", GlitchSide.Engine, "p4", "the engine had nothing for its client"),
        Sound(30, "CPClientInputEndpoint_Queueitemdoesnotmatchrequestedsize", GlitchSide.Engine, "p4",
            "the engine's packet had another size"),
        Sound(31, "CPClientOutputEndpoint_ServerOverread", GlitchSide.Client, "p884", "the engine read beyond what its client had written"),
        Sound(32, "CPClientOutputEndpoint_ReadPointerOverwrite", GlitchSide.Engine, "p4444", "the client wrote over what was not read yet"),
        Sound(33, "CPServerInputEndpoint_Starvation", GlitchSide.Client, "p4444", "the client had delivered {4} bytes (buffer {3})"),
        Sound(34, "CPServerOutputEndpoint_QueueFullPacketDrop", GlitchSide.Client, "p8484",
            "the client's queue was full[: {2} bytes were dropped]"),
        Sound(35, "CPServerOutputEndpoint_ReadPointerOverwrite", GlitchSide.Client, "p444", "the engine wrote over what was not read yet"),
        Sound(36, "IOMGRNoOutstandingPackets", GlitchSide.Engine, "p44", "the device had no packet of the engine left"),
        Sound(37, "IOMGRIoctlTimeLimitExceeded", GlitchSide.Device, "p8", "the driver took [{1:time}|too long] for a request"),
        Sound(38, "BASEOutputUnexpectedBufferCompleted", GlitchSide.Device, "pp", "the driver completed another buffer than expected"),
        Sound(39, "BASEInputNullLastBufferwithLockedData", GlitchSide.Device, "pp", "the driver returned no last buffer"),
        Sound(40, "BASEInputBufferIndexMismatch", GlitchSide.Device, "pp", "the driver returned another buffer than expected"),
        Sound(41, "BASEEndGlitch", GlitchSide.Engine, "p84", "the glitch was over[, duration {2}]", GlitchUse.End),
        Sound(42, "RTCAPStreamPosAheadofHWPos", GlitchSide.Engine, "p8888", "the stream was [{4} ]ahead of the device"),
        Sound(43, "RTCAPStreamPosTooFarBehind", GlitchSide.Engine, "p8888", "the stream was [{4} ]too far behind the device"),
        Sound(44, "RTRENWritePosExceedsTotalPos", GlitchSide.Engine, "p8888", "the device was [{4} ]ahead of what was written"),
        Sound(45, "STCAPCaptureAhead", GlitchSide.Engine, "p8888", "the stream was [{4} ]ahead of the device"),
        Sound(46, "STCAPCaptureBehind", GlitchSide.Engine, "p8888", "the stream was [{4} ]behind the device"),
        Sound(47, "STCAPDeviceStarved", GlitchSide.Engine, "p84", "the device starved[, {2} frames]"),
        Sound(48, "STRENDeviceStarved", GlitchSide.Engine, "p884", "the device starved[, {3} frames were left]"),
        Sound(49, "STRENEXCLPULLInvalidBufferCount", GlitchSide.Engine, "p884", "the device had another number of buffers"),
        Sound(116, "Pump:settingdeadline", GlitchSide.Engine, "p8", "the engine set a deadline", GlitchUse.Deadline),
        Sound(117, "Pump:cancellingdeadline", GlitchSide.Engine, "p", "the engine gave its deadline up", GlitchUse.Deadline),
        Sound(118, "Pump:misseddeadline!", GlitchSide.Engine, "p8", "the engine's thread missed its deadline{late}"),
        new(Compositor, 24, "SCHEDULE_GLITCH", GlitchUse.Glitch, GlitchSide.Compositor, "8884888888884", "the compositor missed a frame"),
        new(Frames, 42, "Present", GlitchUse.Frame, GlitchSide.Presenter, "p44", "a frame came late"),
        new(Frames, 55, "PresentMultiplaneOverlay", GlitchUse.Frame, GlitchSide.Presenter, "p44", "a frame came late"),
        new(OldFrames, 1, "Present", GlitchUse.Frame, GlitchSide.Presenter, "p4", "a frame came late"),
        new(KernelFrames, 184, "Present", GlitchUse.Frame, GlitchSide.Presenter, "4p444pp", "a frame came late"),
        new(Input, 73, "InputDeviceRead", GlitchUse.Input, GlitchSide.Unknown, "4", "a device of input was read"),
    ];

    /// <summary>No record of Windows': a person set a mark when something was heard or seen.</summary>
    public static GlitchKind Mark { get; } =
        new(Guid.Empty, 0, "mark", GlitchUse.Glitch, GlitchSide.Unknown, string.Empty, "a person set a mark");

    /// <summary>The id under which the engine tells that it missed its deadline.</summary>
    public const ushort MissedDeadline = 118;

    /// <summary>The id under which it counts its glitches.</summary>
    public const ushort Counter = 19;

    /// <summary>The id under which it sets one.</summary>
    public const ushort SettingDeadline = 116;

    /// <summary>The id under which it gives one up.</summary>
    public const ushort CancellingDeadline = 117;

    /// <summary>The id under which it found nothing of a client.</summary>
    public const ushort ClientStarvation = 33;

    /// <summary>The id under which its device got nothing in time.</summary>
    public const ushort DeviceStarvation = 48;

    /// <summary>Whether it tells that the audio engine missed a deadline of its own.</summary>
    public bool IsMissedDeadline => Provider == Audio && Id == MissedDeadline;

    /// <summary>Whether the client's process writes it, not the engine's.</summary>
    public bool IsByClient => Provider == Audio && Id is 29 or 30 or 31 or 32;

    /// <summary>The bytes of its fields.</summary>
    public int Bytes(int pointerBytes) => Layout.Sum(field => BytesOf(field, pointerBytes));

    /// <summary>The bytes of a field.</summary>
    /// <param name="field">A letter of <see cref="Layout"/>.</param>
    public static int BytesOf(char field, int pointerBytes) => field switch
    {
        'p' => pointerBytes,
        '8' => sizeof(ulong),
        _ => sizeof(uint),
    };

    /// <summary>The ids of the records of a provider that a recording should hold.</summary>
    public static IReadOnlyList<ushort> IdsOf(Guid provider) =>
        [.. All.Where(one => one.Provider == provider).Select(static one => one.Id)];

    /// <summary>The ids of the records of a provider that tell of a glitch's moment.</summary>
    public static IReadOnlyList<ushort> TriggersOf(Guid provider) =>
        [.. All.Where(one => one.Provider == provider && one.Use is GlitchUse.Glitch or GlitchUse.End).Select(static one => one.Id)];

    /// <summary>The kind of an event; null where it is none of these.</summary>
    public static GlitchKind? Find(Guid provider, ushort id) =>
        Providers.Contains(provider) ? ByEvent.GetValueOrDefault((provider, id)) : null;

    private static Guid[] Providers { get; } = [.. All.Select(static one => one.Provider).Distinct()];

    private static Dictionary<(Guid Provider, ushort Id), GlitchKind> ByEvent { get; } =
        All.ToDictionary(static one => (one.Provider, one.Id));

    private static GlitchKind Sound(
        ushort id, string name, GlitchSide side, string layout, string tells, GlitchUse use = GlitchUse.Glitch) =>
        new(Audio, id, name, use, side, layout, tells);
}
