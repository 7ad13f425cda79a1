using System.Collections.Frozen;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>What one trace's kernel records add up to, for the relations between them.</summary>
internal sealed class KernelTotals
{
    private const int ImageIdInfo = 0;
    private const int ImageIdNone = 32;
    private const int FileVersion = 64;

    private static readonly Guid ImageIdClass = new("b3e675d7-2554-4f18-830b-2762732560de");

    private readonly EventDecoder _decoder = new();
    private readonly Dictionary<byte, int> _stacks = [];
    private readonly Dictionary<ulong, List<(long Ticks, ulong FirstFrame)>> _definitions = [];

    public KernelTotals(string file)
    {
        using EtlReader reader = TraceVisit.Open(file);
        TraceVisit.Visit(reader, EtlOrder.Time, Add);
        Stacks = _stacks.ToFrozenDictionary();
    }

    public int Samples { get; private set; }

    /// <summary>Samples with a thread, or in a DPC or ISR.</summary>
    public int BusySamples { get; private set; }

    /// <summary>Stack records by opcode.</summary>
    public FrozenDictionary<byte, int> Stacks { get; }

    /// <summary>Time stamps of all events that are no stacks.</summary>
    public HashSet<long> Times { get; } = [];

    public List<long> StackTimes { get; } = [];

    public List<(ulong Key, long Ticks, long EventTicks, uint Thread)> KeyUses { get; } = [];

    public Dictionary<(long Ticks, uint Thread), ulong> SampleAddresses { get; } = [];

    /// <summary>Base, process and time of image events.</summary>
    public HashSet<(ulong Base, uint Process, long Ticks)> Images { get; } = [];

    public List<(ulong Base, uint Process, long Ticks)> ImageIds { get; } = [];

    /// <summary>Size and time stamp of the images that an identity tells.</summary>
    public HashSet<(ulong Size, uint TimeDateStamp)> Identities { get; } = [];

    public List<(ulong Size, uint TimeDateStamp)> FileVersions { get; } = [];

    /// <summary>The first frame of the definition that a use means: the first one with its key at its time or later.</summary>
    public ulong? DefinitionAfter(ulong key, long ticks) => _definitions.TryGetValue(key, out List<(long Ticks, ulong FirstFrame)>? known)
        && known.FindIndex(definition => definition.Ticks >= ticks) is >= 0 and int found ? known[found].FirstFrame : null;

    private void Add(scoped in EtlEvent traceEvent)
    {
        long ticks = traceEvent.TimestampTicks;
        if (traceEvent.Group == KernelGroup.StackWalk)
        {
            AddStack(in traceEvent);
            return;
        }

        Times.Add(ticks);
        if (traceEvent.HookId == KernelHook.SampledProfile && SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample))
        {
            bool isBusy = sample.ThreadId != 0 || (sample.Flags.GetValueOrDefault() & 3) != 0;
            Samples++;
            BusySamples += isBusy ? 1 : 0;
            SampleAddresses[(ticks, sample.ThreadId)] = sample.InstructionPointer;
        }
        else if (traceEvent.HookId is KernelHook.ImageLoad or 0x1402 or 0x1403 or 0x1404
            && ImageRecord.TryRead(in traceEvent, out ImageRecord image))
        {
            Images.Add((image.ImageBase, image.ProcessId.GetValueOrDefault(), ticks));
        }
        else if (!traceEvent.IsKernelHook && traceEvent.ProviderId == ImageIdClass)
        {
            AddIdentity(in traceEvent);
        }
    }

    private void AddStack(scoped in EtlEvent traceEvent)
    {
        _stacks[traceEvent.Opcode] = _stacks.GetValueOrDefault(traceEvent.Opcode) + 1;
        if (traceEvent.Opcode is 37 or 38 && StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord use))
        {
            StackTimes.Add(use.EventTimeStamp);
            KeyUses.Add((use.Key, traceEvent.TimestampTicks, use.EventTimeStamp, use.ThreadId));
        }
        else if (traceEvent.Opcode == 32 && StackRecord.TryRead(in traceEvent, out StackRecord stack))
        {
            StackTimes.Add(stack.EventTimeStamp);
        }
        else if (StackKeyDefinitionRecord.TryRead(in traceEvent, out StackKeyDefinitionRecord definition) && definition.FrameCount > 0)
        {
            if (!_definitions.TryGetValue(definition.Key, out List<(long Ticks, ulong FirstFrame)>? known))
            {
                _definitions[definition.Key] = known = [];
            }

            known.Add((traceEvent.TimestampTicks, definition.Frame(0)));
        }
    }

    private void AddIdentity(scoped in EtlEvent traceEvent)
    {
        long ticks = traceEvent.TimestampTicks;
        switch (traceEvent.Opcode)
        {
            case ImageIdInfo when ImageIdInfoRecord.TryRead(in traceEvent, out ImageIdInfoRecord info):
                ImageIds.Add((info.ImageBase, info.ProcessId, ticks));
                Identities.Add((info.ImageSize, info.TimeDateStamp));
                break;
            case ImageIdNone:
                DecodedEvent none = DecodedEvent.From(in traceEvent, "None", 0, _decoder);
                ImageIds.Add((none.Bits("ImageBase"), (uint)none.Bits("ProcessId"), ticks));
                break;
            case FileVersion when ImageFileVersionRecord.TryRead(in traceEvent, out ImageFileVersionRecord version):
                FileVersions.Add((version.ImageSize, version.TimeDateStamp));
                break;
            case 36 or 37 when ImageIdPdbRecord.TryRead(in traceEvent, out ImageIdPdbRecord pdb):
                ImageIds.Add((pdb.ImageBase, pdb.ProcessId, ticks));
                break;
            default:
                break;
        }
    }
}
