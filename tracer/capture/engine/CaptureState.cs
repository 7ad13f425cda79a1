using System.Text.Json.Serialization;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Engine;

/// <summary>
/// What a capture has changed on the machine and must undo. Written before each change, so that the next start can undo it where this
/// process does not live to do so. Sessions are not in it: ours are known by their names.
/// </summary>
public sealed record CaptureState
{
    /// <summary>Sampling interval of the machine before we changed it, in units of 100 ns; null while it is not changed.</summary>
    public uint? ProfileInterval100ns { get; init; }

    public IReadOnlyList<LeftProcess> Processes { get; init; } = [];

    /// <summary>Whether a run of our driver was started.</summary>
    public bool HasDriverRun { get; init; }

    /// <summary>Temporary files; their names end in <see cref="TemporarySuffix"/>.</summary>
    public IReadOnlyList<string> TemporaryFiles { get; init; } = [];

    /// <summary>How the names of all our temporary files end.</summary>
    public const string TemporarySuffix = ".tracer-tmp";
}

[JsonSerializable(typeof(CaptureState))]
[JsonSourceGenerationOptions(WriteIndented = true)]
internal sealed partial class CaptureStateJson : JsonSerializerContext;
