using System.Text;
using System.Text.Json;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>A synthetic trace, and what its author says he put in.</summary>
internal sealed class SyntheticTruth
{
    private const int Start = 0x1402;
    private const int End = 0x1404;
    private const long LongestCredibleNs = 60_000_000_000;

    private readonly List<(ulong Base, ulong End, string Name)> _drivers = [];
    private readonly List<(ulong Routine, long FromNs, long ToNs, int Cpu)> _dpcs = [];

    public SyntheticTruth(string name)
    {
        Name = name;
        Truth = JsonDocument.Parse(File.ReadAllText(Path.Combine(RepositoryFiles.Corpus(), "synthetic", name + ".truth.json"))).RootElement;
        Trace = Truth.GetProperty("trace");
        using EtlReader reader = TraceVisit.Open($"synthetic/{name}.etl.gz");
        Header = reader.Header;
        TraceVisit.Visit(reader, EtlOrder.Time, (scoped in EtlEvent traceEvent) => Add(in traceEvent));
    }

    public static string[] Names => [.. TraceVisit.Files()
        .Where(file => file.StartsWith("synthetic/", StringComparison.Ordinal))
        .Select(file => Path.GetFileName(file)[..^".etl.gz".Length])];

    public string Name { get; }

    public JsonElement Truth { get; }

    /// <summary>What the author says of the file itself.</summary>
    public JsonElement Trace { get; }

    public EtlFileHeader Header { get; }

    public int Events { get; private set; }

    public SortedDictionary<int, int> EventsOfCpu { get; } = [];

    public int Isrs { get; private set; }

    /// <summary>DPC records but for those that began before the trace: a few have no InitialTime, on purpose.</summary>
    public int Dpcs => _dpcs.Count;

    /// <summary>When a thread was made ready, by thread.</summary>
    public HashSet<(uint Thread, long TenthsOfMicrosecond)> Ready { get; } = [];

    public HashSet<(uint Thread, int Cpu, long TenthsOfMicrosecond)> Switched { get; } = [];

    /// <summary>Names of the kernel's images, without folders.</summary>
    public IEnumerable<string> Drivers => _drivers.Select(driver => driver.Name).Distinct(StringComparer.OrdinalIgnoreCase);

    /// <summary>Nanoseconds that DPCs of a driver ran on a CPU, in part or whole within a time, by name of the driver.</summary>
    public long DpcNanoseconds(string driver, int cpu, long fromNs, long toNs) => _dpcs
        .Where(dpc => dpc.Cpu == cpu && dpc.ToNs > fromNs && dpc.FromNs < toNs && IsIn(driver, dpc.Routine))
        .Sum(dpc => dpc.ToNs - dpc.FromNs);

    private bool IsIn(string driver, ulong routine) => _drivers.Exists(image =>
        string.Equals(image.Name, driver, StringComparison.OrdinalIgnoreCase) && routine >= image.Base && routine < image.End);

    private void Add(scoped in EtlEvent traceEvent)
    {
        Events++;
        EventsOfCpu[traceEvent.Cpu] = EventsOfCpu.GetValueOrDefault(traceEvent.Cpu) + 1;
        long nanoseconds = Header.Clock.NanosecondsFromHeader(traceEvent.TimestampTicks);
        switch (traceEvent.HookId)
        {
            case 0x0F42 or 0x0F44 or 0x0F45 when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                AddDpc(dpc.Routine, Header.Clock.NanosecondsFromHeader(dpc.InitialTime), nanoseconds, traceEvent.Cpu);
                break;
            case 0x0F43 or 0x0F32 when IsrRecord.TryRead(in traceEvent, out _):
                Isrs++;
                break;
            case KernelHook.ReadyThread when ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready):
                Ready.Add((ready.ThreadId, Tenths(nanoseconds)));
                break;
            case KernelHook.ContextSwitch when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change):
                Switched.Add((change.NewThreadId, traceEvent.Cpu, Tenths(nanoseconds)));
                break;
            case KernelHook.ImageLoad or (>= Start and <= End) when ImageRecord.TryRead(in traceEvent, out ImageRecord image)
                && image.ProcessId is null or 0:
                string path = Encoding.Unicode.GetString(image.FileName);
                _drivers.Add((image.ImageBase, image.ImageBase + image.ImageSize, path[(path.LastIndexOf('\\') + 1)..]));
                break;
            default:
                break;
        }
    }

    private void AddDpc(ulong routine, long fromNs, long toNs, int cpu)
    {
        if (toNs - fromNs <= LongestCredibleNs)
        {
            _dpcs.Add((routine, fromNs, toNs, cpu));
        }
    }

    private static long Tenths(long nanoseconds) => (nanoseconds + 50) / 100;
}
