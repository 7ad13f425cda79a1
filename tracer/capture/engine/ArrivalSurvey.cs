using Tracer.Capture.Sessions;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Engine;

/// <summary>
/// What arrived in a recorder's first second, kind by kind. Windows stores masks with bits that it does not know, and a virtual machine may
/// take samples that never come: granted is what arrives, whatever a query says.
/// </summary>
public sealed class ArrivalSurvey
{
    /// <summary>From fewer records nothing is concluded: a recorder's second on an idle machine of one CPU has more.</summary>
    private const long LeastRecords = 500;

    /// <summary>A kind of event with fewer records may have had its stacks in other buffers.</summary>
    private const int LeastOfKind = 32;

    /// <summary>Stacks that are looked at; a second of a busy machine has more, and these show what there is.</summary>
    private const int MostStacks = 200_000;

    private readonly long[] _counts = new long[ushort.MaxValue + 1];
    private readonly HashSet<long> _stackTicks = [];
    private readonly Dictionary<ushort, long> _stacked = [];
    private long _first = long.MaxValue;
    private long _last = long.MinValue;

    private ArrivalSurvey()
    {
    }

    /// <summary>Records of all kinds, stacks included.</summary>
    public long Events { get; private set; }

    public long Stacks => Count(KernelHook.Stack) + Count(KernelHook.StackKernelKey) + Count(KernelHook.StackUserKey);

    /// <summary>Time stamp of the oldest record.</summary>
    public long FirstTicks => _first;

    /// <summary>Time stamp of the newest record.</summary>
    public long LastTicks => _last;

    /// <summary>From the first record to the last.</summary>
    public Duration Span { get; private set; }

    public static ArrivalSurvey Of(EtlReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var survey = new ArrivalSurvey();
        var counting = new Counting(survey);
        reader.Read(EtlOrder.Any, ref counting);
        var matching = new Matching(survey);
        reader.Read(EtlOrder.Any, ref matching);
        TraceClock clock = reader.Header.Clock;
        survey.Span = survey.Events == 0
            ? Duration.Zero
            : new Duration(clock.NanosecondsFromHeader(survey._last) - clock.NanosecondsFromHeader(survey._first));
        return survey;
    }

    /// <summary>Whether there are enough records to conclude from those that are not there.</summary>
    public bool TellsSilent => Events >= LeastRecords;

    /// <summary>Groups that Windows says are on, and of which nothing came.</summary>
    public IReadOnlyList<KernelSwitch> Silent(KernelMasks granted) => !TellsSilent
        ? []
        : [.. RecordedEvents.All.Where(one => granted.Has(one.Mask) && one.Pulse.Count > 0 && one.Pulse.All(hook => Count(hook) == 0))];

    /// <summary>Kinds of events that arrived, and never with the stack that was asked for.</summary>
    public IReadOnlyList<StackRequest> WithoutStack(IReadOnlyList<StackRequest> wanted) => !TellsSilent
        ? []
        : [.. wanted.Where(one => Count(HookOf(one)) >= LeastOfKind && !_stacked.ContainsKey(HookOf(one)))];

    /// <summary>How many events of a kind have a stack.</summary>
    public long StacksOf(StackRequest kind) => _stacked.GetValueOrDefault(HookOf(kind));

    /// <summary>The groups that are on: what Windows says, without the silent ones.</summary>
    public KernelMasks Measured(KernelMasks granted)
    {
        foreach (KernelSwitch silent in Silent(granted))
        {
            granted.Remove(silent.Mask);
        }

        return granted;
    }

    /// <summary>The stacks that are on: those that came, and those that Windows tells of and nothing speaks against.</summary>
    /// <param name="told">What Windows says; nothing where it does not say.</param>
    public IReadOnlyList<StackRequest> MeasuredStacks(IReadOnlyList<StackRequest> wanted, IReadOnlyList<StackRequest> told)
    {
        IReadOnlyList<StackRequest> without = WithoutStack(wanted);
        return [.. wanted.Where(one => _stacked.ContainsKey(HookOf(one)) || (told.Contains(one) && !without.Contains(one)))];
    }

    private static ushort HookOf(StackRequest request) => (ushort)(((int)request.Group << 8) | request.Opcode);

    private long Count(ushort hook) => _counts[hook];

    private readonly struct Counting(ArrivalSurvey survey) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            long ticks = traceEvent.TimestampTicks;
            if (traceEvent.Group == KernelGroup.Header || ticks == 0)
            {
                return true;
            }

            survey.Events++;
            survey._first = Math.Min(survey._first, ticks);
            survey._last = Math.Max(survey._last, ticks);
            if (!traceEvent.IsKernelHook)
            {
                return true;
            }

            survey._counts[traceEvent.HookId]++;
            if (survey._stackTicks.Count < MostStacks && TimeOfStacked(in traceEvent) is { } stacked)
            {
                survey._stackTicks.Add(stacked);
            }

            return true;
        }

        /// <summary>The time stamp of the event that a stack belongs to; null for what is no stack.</summary>
        private static long? TimeOfStacked(scoped in EtlEvent traceEvent) => traceEvent.HookId switch
        {
            KernelHook.Stack when StackRecord.TryRead(in traceEvent, out StackRecord stack) => stack.EventTimeStamp,
            KernelHook.StackKernelKey or KernelHook.StackUserKey when StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord key) =>
                key.EventTimeStamp,
            _ => null,
        };
    }

    private readonly struct Matching(ArrivalSurvey survey) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            bool isOther = !traceEvent.IsKernelHook
                || traceEvent.HookId is KernelHook.Stack or KernelHook.StackKernelKey or KernelHook.StackUserKey;
            if (!isOther && survey._stackTicks.Contains(traceEvent.TimestampTicks))
            {
                survey._stacked[traceEvent.HookId] = survey._stacked.GetValueOrDefault(traceEvent.HookId) + 1;
            }

            return true;
        }
    }
}
