using Tracer.Etl.Stacks;

namespace Tracer.Etl.Tests.Stacks;

/// <summary>Stacks of real traces, as measured.</summary>
public class RealStackTests(ITestOutputHelper output)
{
    /// <summary>
    /// 9,359 records: 2,190 kernel and 7,169 user parts; 655 stacks in extended items. The first user frame of two samples is not their
    /// instruction, and those two have whole records.
    /// </summary>
    [Fact]
    public void All_stacks_of_a_whole_trace_find_their_events_and_samples_begin_at_their_instruction() => Check(
        "perfview-net.4.5.2.x64.etl",
        new Figures
        {
            Events = 167_194,
            Kernel = 2831,
            OwnUser = 7817,
            SharedUser = 304,
            UserPending = 17,
            KernelWithoutUser = 263,
            KernelSamples = 762,
            KernelSamplesAtTheirInstruction = 762,
            UserSamples = 5556,
            UserSamplesAtTheirInstruction = 5554,
            Extended = 655,
            MaximumFrames = 120,
        });

    /// <summary>
    /// Whoever made this file took events of other processes out, but left 95 of their stacks; and took out the deletes of keys, so that
    /// most keys have no definition or a wrong one.
    /// </summary>
    [Fact]
    public void Stacks_whose_events_or_definitions_a_filter_took_out_are_counted() => Check(
        "filtrace-etw.etl",
        new Figures
        {
            Events = 17_058,
            Kernel = 3049,
            OwnUser = 2436,
            SharedUser = 487,
            UserPending = 266,
            KernelWithoutUser = 131,
            KernelSamples = 299,
            KernelSamplesAtTheirInstruction = 224,
            UserSamples = 165,
            UserSamplesAtTheirInstruction = 2,
            MaximumFrames = 105,
            Unmatched = 95,
            Contradictory = 1012,
            Unresolved = 497,
        });

    [Fact]
    public void A_trace_without_stacks_passes_through() => Check("msbuild-PerfViewData-x86.etl", new Figures { Events = 5871 });

    private void Check(string file, Figures expected)
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), file);
        using var reader = EtlReader.Open(path);
        var counted = new OrderSink();
        Assert.True(reader.Read(EtlOrder.Time, ref counted));

        var sink = new FigureSink(new Figures());
        Assert.True(reader.ReadWithStacks(ref sink));
        Figures measured = sink.Figures with
        {
            Unmatched = reader.Health[HealthCounter.UnmatchedStacks],
            Late = reader.Health[HealthCounter.LateStacks],
            Evicted = reader.Health[HealthCounter.StackWaitsEvicted],
            Contradictory = reader.Health[HealthCounter.ContradictoryStackKeys],
            Unresolved = reader.Health[HealthCounter.UnresolvedStackKeys],
        };
        output.WriteLine($"{file}: {measured}");
        Assert.Equal(expected, measured);
        Assert.Equal(counted.Hash, sink.Order.Hash);
    }

    /// <summary>What the stacks of a trace amount to.</summary>
    private sealed record Figures
    {
        public int Events { get; init; }
        public int Kernel { get; init; }
        public int OwnUser { get; init; }
        public int SharedUser { get; init; }
        public int UserPending { get; init; }
        public int KernelWithoutUser { get; init; }
        public int KernelSamples { get; init; }
        public int KernelSamplesAtTheirInstruction { get; init; }
        public int UserSamples { get; init; }
        public int UserSamplesAtTheirInstruction { get; init; }
        public int Extended { get; init; }
        public int MaximumFrames { get; init; }
        public long Unmatched { get; init; }
        public long Late { get; init; }
        public long Evicted { get; init; }
        public long Contradictory { get; init; }
        public long Unresolved { get; init; }
    }

    private struct FigureSink(Figures figures) : IStackedEventSink
    {
        public Figures Figures { get; private set; } = figures;

        public OrderSink Order;

        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
        {
            Order.OnEvent(in traceEvent);
            Figures f = Figures;
            bool hasKernel = (stack.Parts & EventStackParts.Kernel) != 0;
            bool hasUser = (stack.Parts & EventStackParts.User) != 0;
            bool isShared = (stack.Parts & EventStackParts.SharedUser) != 0;
            bool isPending = (stack.Parts & EventStackParts.UserPending) != 0;
            bool isSample = traceEvent.HookId == 0x0F2E && stack.FrameCount > 0;
            bool isKernelSample = isSample && !stack.Kernel.IsEmpty;
            bool isAtInstruction = isSample && SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample)
                && sample.InstructionPointer == stack[0];
            Figures = f with
            {
                Events = f.Events + 1,
                Kernel = f.Kernel + (hasKernel ? 1 : 0),
                OwnUser = f.OwnUser + (hasUser && !isShared ? 1 : 0),
                SharedUser = f.SharedUser + (isShared ? 1 : 0),
                UserPending = f.UserPending + (isPending ? 1 : 0),
                KernelWithoutUser = f.KernelWithoutUser + (hasKernel && !hasUser && !isPending ? 1 : 0),
                KernelSamples = f.KernelSamples + (isKernelSample ? 1 : 0),
                KernelSamplesAtTheirInstruction = f.KernelSamplesAtTheirInstruction + (isAtInstruction && isKernelSample ? 1 : 0),
                UserSamples = f.UserSamples + (isSample && !isKernelSample ? 1 : 0),
                UserSamplesAtTheirInstruction = f.UserSamplesAtTheirInstruction + (isAtInstruction && !isKernelSample ? 1 : 0),
                Extended = f.Extended + (traceEvent.IsEventHeader && stack.FrameCount > 0 ? 1 : 0),
                MaximumFrames = Math.Max(f.MaximumFrames, stack.FrameCount),
            };
            return true;
        }
    }

    /// <summary>Tells whether two readings gave the same events in the same order, stack records left out.</summary>
    private struct OrderSink : IEtlEventSink
    {
        public long Hash { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.HookId is not (0x1820 or (>= 0x1822 and <= 0x1826)))
            {
                var hasher = default(HashCode);
                hasher.Add(Hash);
                hasher.Add(traceEvent.Cpu);
                hasher.Add(traceEvent.BufferOffset);
                hasher.AddBytes(traceEvent.Record);
                Hash = hasher.ToHashCode();
            }

            return true;
        }
    }
}
