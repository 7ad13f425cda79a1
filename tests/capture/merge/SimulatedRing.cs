using System.Collections.Concurrent;
using System.Text;
using Tracer.Capture.Merge;
using Tracer.Etl.Kernel;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;
using Tracer.Symbols;

namespace Tracer.Capture.Tests;

/// <summary>
/// A simulated machine's full trace, and what a flight recorder would have of it: a snapshot of a ring, without any rundown, and the file
/// of the rundown session started and stopped behind it.
/// </summary>
internal sealed class SimulatedRing
{
    private const ushort ProcessDCStart = 0x0303;
    private const ushort ProcessDCEnd = 0x0304;
    private const ushort ThreadDCStart = 0x0503;
    private const ushort ThreadDCEnd = 0x0504;

    private static readonly ConcurrentDictionary<(string, int, bool), Lazy<SimulatedRing>> Made = new();

    private static readonly Lazy<string> Folder = new(MakeFolder);

    private SimulatedRing(string folder, TruthReport truth)
    {
        Truth = truth;
        FullPath = Path.Combine(folder, "full.etl");
        SnapshotPath = Path.Combine(folder, "snapshot.etl");
        RundownPath = Path.Combine(folder, "rundown.etl");
    }

    public TruthReport Truth { get; }

    public string FullPath { get; }

    public string SnapshotPath { get; }

    public string RundownPath { get; }

    public FakeImageFiles Images { get; } = new();

    public TraceClock Clock { get; private set; }

    public long RundownTicks { get; private set; }

    /// <summary>The ring of a machine, made when it is first asked for; its files stay as they are.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="keys">Whether stacks are named by keys.</param>
    public static SimulatedRing Of(string scenario, int seconds, bool keys = false) =>
        Made.GetOrAdd((scenario, seconds, keys), _ => new(() => Make(scenario, seconds, keys))).Value;

    private static SimulatedRing Make(string scenario, int seconds, bool keys)
    {
        string folder = Directory.CreateDirectory(Path.Combine(Folder.Value, $"{scenario}-{seconds}-{keys}")).FullName;
        var run = new ScenarioRun(ScenarioCatalog.Find(scenario)!, 3)
        {
            Cpus = 4,
            Duration = Duration.FromSeconds(seconds),
            ChangeRecording = options => options with
            {
                IsMerged = true,
                Rundown = Rundowns.Both,
                UsesStackKeys = keys,
                Compress = false,
                RingBuffers = 0,
            },
        };
        var made = new SimulatedRing(folder, run.WriteTo(Path.Combine(folder, "full.etl")));
        made.Cut();
        return made;
    }

    private static string MakeFolder()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-rings-").FullName;
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(folder, recursive: true);
        return folder;
    }

    private static bool IsRundown(ushort hook) => hook is ProcessDCStart or ProcessDCEnd or ThreadDCStart or ThreadDCEnd
        or KernelHook.ImageDCStart or KernelHook.ImageDCEnd || hook >> 8 == (int)KernelGroup.SystemConfig;

    private static ushort AtTheEnd(ushort hook) => hook switch
    {
        ProcessDCStart => ProcessDCEnd,
        ThreadDCStart => ThreadDCEnd,
        KernelHook.ImageDCStart => KernelHook.ImageDCEnd,
        _ => hook,
    };

    private void Cut()
    {
        using EtlReader reader = EtlReader.Open(FullPath);
        Clock = reader.Header.Clock;
        var all = new Collector();
        reader.Read(EtlOrder.Time, ref all);
        EtlFileHeader header = reader.Header with
        {
            Mode = EtlLogFileMode.Buffering | EtlLogFileMode.SystemLogger,
            SessionName = "Tracer.Recorder",
        };
        using (var writer = EtlWriter.Create(SnapshotPath, header))
        {
            foreach ((int cpu, byte[] record) in all.Ring)
            {
                writer.WriteRecord(cpu, record);
            }

            // The keys' meanings, which a session writes when it stops.
            foreach ((EtlEventHeader definition, byte[] payload) in all.Definitions)
            {
                writer.Write(0, definition with { TimestampTicks = all.LastTicks }, payload);
            }

            writer.Complete(header.Clock.StartFileTime + 1);
        }

        long at = all.LastTicks + (Clock.TicksPerSecond / 10);
        RundownTicks = at;
        header = header with { Clock = new TraceClock(Clock.Kind, Clock.TicksPerSecond, at, Clock.StartFileTime) };
        using (var writer = EtlWriter.Create(RundownPath, header))
        {
            foreach ((EtlEventHeader record, byte[] payload) in all.Rundown)
            {
                writer.Write(0, record with { TimestampTicks = at, HookId = AtTheEnd(record.HookId) }, payload);
            }

            writer.Complete(Clock.StartFileTime + 1);
        }

        foreach ((string name, ImageIdentity identity) in all.Identities())
        {
            Images.Files[name] = identity;
        }
    }

    private sealed class Collector : IEtlEventSink
    {
        private readonly HashSet<string> _seen = [];
        private readonly Dictionary<(ulong, uint), string> _names = [];
        private readonly Dictionary<(ulong, uint), ImageId> _ids = [];
        private readonly Dictionary<(ulong, uint), (PdbId Id, string Name)> _pdbs = [];
        private readonly Dictionary<ImageId, ImageVersionTexts> _versions = [];

        public List<(int Cpu, byte[] Record)> Ring { get; } = [];

        public List<(EtlEventHeader Header, byte[] Payload)> Rundown { get; } = [];

        public List<(EtlEventHeader Header, byte[] Payload)> Definitions { get; } = [];

        public long LastTicks { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (ImageRecord.TryRead(in traceEvent, out ImageRecord image)
                && traceEvent.HookId is KernelHook.ImageDCEnd or KernelHook.ImageDCStart or KernelHook.ImageLoad)
            {
                _names[(image.ImageBase, image.ProcessId ?? 0)] = Encoding.Unicode.GetString(image.FileName);
            }

            if (traceEvent.Kind is EtlHeaderKind.Full32 or EtlHeaderKind.Full64)
            {
                AddIdentity(in traceEvent);
            }
            else if (traceEvent.IsKernelHook && IsRundown(traceEvent.HookId))
            {
                EtlEventHeader header = EtlEventHeader.Of(in traceEvent);
                if (_seen.Add($"{AtTheEnd(traceEvent.HookId):x}{Convert.ToHexString(traceEvent.Payload)}"))
                {
                    Rundown.Add((header, traceEvent.Payload.ToArray()));
                }
            }
            else if (traceEvent.HookId == KernelHook.StackKeyRundown)
            {
                Definitions.Add((EtlEventHeader.Of(in traceEvent), traceEvent.Payload.ToArray()));
            }
            else if (traceEvent.Group != KernelGroup.Header)
            {
                Ring.Add((traceEvent.Cpu, traceEvent.Record.ToArray()));
                LastTicks = Math.Max(LastTicks, traceEvent.TimestampTicks);
            }

            return true;
        }

        public IEnumerable<(string Name, ImageIdentity Identity)> Identities() =>
            from id in _ids
            where _names.ContainsKey(id.Key)
            let pdb = _pdbs.TryGetValue(id.Key, out (PdbId Id, string Name) known) ? known : default((PdbId Id, string Name)?)
            select (_names[id.Key], new ImageIdentity(id.Value, pdb?.Id, pdb?.Name ?? "", _versions.GetValueOrDefault(id.Value)));

        private void AddIdentity(in EtlEvent traceEvent)
        {
            if (traceEvent.ProviderId != KernelRecordCatalog.ImageIdClass)
            {
                return;
            }

            if (traceEvent.Opcode == 0 && ImageIdInfoRecord.TryRead(in traceEvent, out ImageIdInfoRecord info))
            {
                _ids[(info.ImageBase, info.ProcessId)] = new ImageId(info.TimeDateStamp, (uint)info.ImageSize);
            }
            else if (traceEvent.Opcode == 36 && ImageIdPdbRecord.TryRead(in traceEvent, out ImageIdPdbRecord pdb))
            {
                _pdbs[(pdb.ImageBase, pdb.ProcessId)] = (new PdbId(pdb.PdbGuid, pdb.Age), Encoding.UTF8.GetString(pdb.PdbFileName));
            }
            else if (traceEvent.Opcode == 64 && ImageFileVersionRecord.TryRead(in traceEvent, out ImageFileVersionRecord version))
            {
                _versions[new ImageId(version.TimeDateStamp, version.ImageSize)] = new ImageVersionTexts
                {
                    OriginalFileName = Encoding.Unicode.GetString(version.OrigFileName),
                    Description = Encoding.Unicode.GetString(version.FileDescription),
                    FileVersion = Encoding.Unicode.GetString(version.FileVersion),
                    Company = Encoding.Unicode.GetString(version.CompanyName),
                };
            }
        }
    }
}
