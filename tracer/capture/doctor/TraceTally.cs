using Tracer.Etl.Kernel;

namespace Tracer.Capture.Doctor;

/// <summary>Counts what is in a trace file: ours, or Windows' own reader.</summary>
public interface ITraceTally
{
    string Reader { get; }

    ProofTally Count(string path);
}

/// <summary>
/// Takes events one by one and makes a tally of them; both readers fill one, and what they name differently gets one key here.
/// </summary>
internal sealed class TallyCounter
{
    /// <summary>
    /// TraceEvent gives events that describe themselves (TraceLogging) ids of its own, from 0xFEFF downwards for each provider, whatever
    /// id they were logged with. So they count by provider, and an id in this range counts as one of them, in either reader.
    /// </summary>
    private const int LeastGivenId = 0xFE00;
    private const int MostGivenId = 0xFEFF;
    private const int SelfDescribed = -1;

    /// <summary>Loads of images are logged with a hook of the process group (0x030A) and shown with the class of images.</summary>
    private static readonly (Guid Class, int Opcode) LoggedLoad = (KernelGroup.Process.ClassId(), unchecked((byte)KernelHook.ImageLoad));

    /// <summary>EventTrace: records of the session and the file, which Windows' reader makes itself.</summary>
    private static readonly Guid FileClass = new("68fdd900-4a3e-11d1-84f4-0000f80464e3");

    private readonly Dictionary<(Guid Id, bool IsClassic, int Number, int Version), long> _counts = [];
    private long _events;
    private long _stacks;
    private long _frames;
    private long _wakeups;
    private ulong _wakeupSum;

    /// <param name="id">GUID of its class (kernel, MOF) or provider.</param>
    /// <param name="isClassic">Whether it is known by opcode, not by id.</param>
    /// <param name="describesItself">Whether it brings a schema of TraceLogging.</param>
    public void Add(Guid id, bool isClassic, int number, int version, bool describesItself = false)
    {
        if (id == FileClass)
        {
            return;
        }

        _events++;
        if (isClassic)
        {
            id = (id, number) == LoggedLoad ? KernelGroup.Image.ClassId() : id;
        }
        else if (describesItself || number is >= LeastGivenId and <= MostGivenId)
        {
            number = SelfDescribed;
        }

        var key = (id, isClassic, number, version);
        _counts[key] = _counts.GetValueOrDefault(key) + 1;
    }

    /// <summary>A stack, counted as an event already.</summary>
    public void AddStack(int frames)
    {
        _stacks++;
        _frames += frames;
    }

    /// <summary>A wake-up of the probe, counted as an event already.</summary>
    public void AddWakeup(ulong sequence)
    {
        _wakeups++;
        _wakeupSum = unchecked(_wakeupSum + sequence);
    }

    public ProofTally Tally(string reader) => new()
    {
        Reader = reader,
        Events = _events,
        Stacks = _stacks,
        StackFrames = _frames,
        Wakeups = _wakeups,
        WakeupSum = _wakeupSum,
        Classes =
        [
            .. _counts
                .Select(static one => new TallyClass(KeyOf(one.Key.Id, one.Key.IsClassic, one.Key.Number, one.Key.Version), one.Value))
                .OrderBy(static one => one.Key, StringComparer.Ordinal),
        ],
    };

    private static string KeyOf(Guid id, bool isClassic, int number, int version) => number == SelfDescribed
        ? string.Create(CultureInfo.InvariantCulture, $"{id} self-described v{version}")
        : string.Create(CultureInfo.InvariantCulture, $"{id} {(isClassic ? "op" : "id")} {number} v{version}");
}

/// <summary>Compares what two readers count.</summary>
public static class TallyComparison
{
    /// <summary>Event classes that the readers count differently, or only one of them knows.</summary>
    /// <returns>By key; none where they agree.</returns>
    public static IReadOnlyList<TallyDifference> Classes(ProofTally ours, ProofTally windows)
    {
        ArgumentNullException.ThrowIfNull(ours);
        ArgumentNullException.ThrowIfNull(windows);
        Dictionary<string, (long Ours, long Windows)> counts =
            ours.Classes.ToDictionary(static one => one.Key, static one => (one.Count, 0L));
        foreach (TallyClass one in windows.Classes)
        {
            counts[one.Key] = (counts.GetValueOrDefault(one.Key).Ours, one.Count);
        }

        return Different(counts.OrderBy(static pair => pair.Key, StringComparer.Ordinal)
            .Select(static pair => new TallyDifference(pair.Key, (ulong)pair.Value.Ours, (ulong)pair.Value.Windows)));
    }

    /// <summary>Whether they see the same wake-ups: as many, and of the same numbers.</summary>
    /// <returns>None where they agree.</returns>
    public static IReadOnlyList<TallyDifference> Wakeups(ProofTally ours, ProofTally windows)
    {
        ArgumentNullException.ThrowIfNull(ours);
        ArgumentNullException.ThrowIfNull(windows);
        return Different(
        [
            new TallyDifference("wake-ups", (ulong)ours.Wakeups, (ulong)windows.Wakeups),
            new TallyDifference("sum of the wake-ups' numbers", ours.WakeupSum, windows.WakeupSum),
        ]);
    }

    /// <summary>Whether they see the same stacks.</summary>
    /// <returns>None where they agree.</returns>
    public static IReadOnlyList<TallyDifference> Stacks(ProofTally ours, ProofTally windows)
    {
        ArgumentNullException.ThrowIfNull(ours);
        ArgumentNullException.ThrowIfNull(windows);
        return Different(
        [
            new TallyDifference("stacks", (ulong)ours.Stacks, (ulong)windows.Stacks),
            new TallyDifference("return addresses", (ulong)ours.StackFrames, (ulong)windows.StackFrames),
        ]);
    }

    private static IReadOnlyList<TallyDifference> Different(IEnumerable<TallyDifference> pairs) =>
        [.. pairs.Where(static one => one.Ours != one.Windows)];
}
