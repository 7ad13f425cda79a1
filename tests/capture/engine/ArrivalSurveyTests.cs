using System.Buffers.Binary;
using Tracer.Capture.Engine;
using Tracer.Capture.Sessions;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Tests;

/// <summary>Granted is what arrives: groups and stacks without a record in the first second are told, whatever a query says.</summary>
public sealed class ArrivalSurveyTests
{
    private static readonly KernelMasks All = RecordedEvents.MasksOf(RecordedEvents.All);
    private static readonly ushort[] Usual =
    [
        KernelHook.TimerDpc, KernelHook.Isr, KernelHook.ContextSwitch, KernelHook.ReadyThread, KernelHook.SampledProfile,
        KernelHook.DpcEnqueue, KernelHook.ClockInterrupt,
    ];

    [Fact]
    public void WhereAllArrivesNothingIsSilent()
    {
        ArrivalSurvey survey = Survey(Usual, stacks: Usual);
        Assert.Empty(survey.Silent(All));
        Assert.Empty(survey.WithoutStack(RecordedEvents.Stacks));
        Assert.Equal(All, survey.Measured(All));
        Assert.Equal(RecordedEvents.Stacks, survey.MeasuredStacks(RecordedEvents.Stacks, [])); // Windows may not answer that question.
        Assert.Equal(14 * 100, survey.Events);
        Assert.Equal(7 * 100, survey.Stacks);
        Assert.InRange(survey.Span.Nanoseconds, 980_000_000, 1_000_000_000);
    }

    /// <summary>A virtual machine that takes PROFILE and has no timer for it, a build that stores bits it does not know.</summary>
    [Theory]
    [InlineData(KernelHook.SampledProfile, "PROFILE")]
    [InlineData(KernelHook.DpcEnqueue, "DPC_QUEUE")]
    [InlineData(KernelHook.Isr, "INTERRUPT")]
    [InlineData(KernelHook.TimerDpc, "DPC")]
    [InlineData(KernelHook.ClockInterrupt, "CLOCKINT")]
    public void AGroupWithoutARecordIsSilentAndNotGranted(ushort hook, string name)
    {
        ArrivalSurvey survey = Survey([.. Usual.Where(one => one != hook)], stacks: []);
        Sessions.KernelSwitch silent = Assert.Single(survey.Silent(All));
        Assert.Equal(name, silent.Name);
        Assert.False(survey.Measured(All).Has(silent.Mask));
        Assert.Equal([name], RecordedEvents.Missing(All, survey.Measured(All)));
        KernelMasks without = All;
        without.Remove(silent.Mask);
        Assert.Empty(survey.Silent(without)); // What Windows refused is told as that.
    }

    [Fact]
    public void AKindOfEventThatNeverHasAStackIsTold()
    {
        ArrivalSurvey survey = Survey(Usual, stacks: [KernelHook.SampledProfile]);
        StackRequest[] without = [.. RecordedEvents.Stacks.Where(one => one != new StackRequest(KernelGroup.PerfInfo, 0x2E))];
        Assert.Equal(without, survey.WithoutStack(RecordedEvents.Stacks));
        Assert.Equal(
            [new StackRequest(KernelGroup.PerfInfo, 0x2E)], survey.MeasuredStacks(RecordedEvents.Stacks, RecordedEvents.Stacks));
    }

    [Fact]
    public void OfAFewRecordsNothingIsConcluded()
    {
        ArrivalSurvey survey = Survey([KernelHook.SampledProfile], stacks: []);
        Assert.Empty(survey.Silent(All));
        Assert.Empty(survey.WithoutStack(RecordedEvents.Stacks));
        Assert.Equal(RecordedEvents.Stacks, survey.MeasuredStacks(RecordedEvents.Stacks, RecordedEvents.Stacks));
    }

    /// <summary>A hundred records of each kind, spread over a second, each of some kinds with a stack.</summary>
    private static ArrivalSurvey Survey(ushort[] hooks, ushort[] stacks)
    {
        const long Hz = 10_000_000;
        using var stream = new MemoryStream();
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, Hz, Hz, new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).ToFileTimeUtc()),
            ProcessorCount = 1,
            BufferBytes = 65_536,
        };
        using (EtlWriter writer = EtlWriter.Create(stream, header, leaveOpen: true))
        {
            Span<byte> payload = stackalloc byte[32];
            for (int i = 0; i < 100; i++)
            {
                for (int kind = 0; kind < hooks.Length; kind++)
                {
                    long ticks = Hz + (i * Hz / 100) + kind;
                    payload.Clear();
                    writer.Write(0, EtlEventHeader.PerfInfo(hooks[kind], 2, ticks), payload);
                    if (stacks.Contains(hooks[kind]))
                    {
                        BinaryPrimitives.WriteInt64LittleEndian(payload, ticks);
                        writer.Write(0, EtlEventHeader.PerfInfo(KernelHook.Stack, 2, ticks), payload);
                    }
                }
            }

            writer.Complete(header.Clock.StartFileTime);
        }

        stream.Position = 0;
        using EtlReader reader = EtlReader.Open(stream, "first second");
        return ArrivalSurvey.Of(reader);
    }
}
