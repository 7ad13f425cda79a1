using System.ComponentModel;
using Tracer.Capture.Ground;
using Tracer.Capture.Triggers;
using Tracer.Windows;

namespace Tracer.Capture.Tests;

/// <summary>
/// A process has the CPUs of its groups and mask, numbered over all groups; the machine has all that are on, whatever the process may use.
/// </summary>
public sealed class ProcessCpusTests
{
    private const ulong All64 = ulong.MaxValue;

    /// <summary>One group, all of it or a part.</summary>
    [Theory]
    [InlineData(4, 0b1111ul, new[] { 0, 1, 2, 3 })]
    [InlineData(4, 0b1101ul, new[] { 0, 2, 3 })]
    [InlineData(4, 0b1000ul, new[] { 3 })]
    public void AMaskOfOneGroup(int cpus, ulong mask, int[] allowed)
    {
        var groups = new Groups(cpus) { ProcessMask = mask, Thread = (0, mask), Process = [0] };
        Assert.Equal(allowed, ProcessCpus.Allowed(groups));
        Assert.Equal(cpus, ProcessCpus.OfMachine(groups));
    }

    /// <summary>Above 64 CPUs before Windows 11: a process is in one group, and its first CPU need not be number 0.</summary>
    [Fact]
    public void AProcessOfTheSecondGroupHasItsCpus()
    {
        var groups = new Groups(36, 28) { ProcessMask = 0b101, Thread = (1, 0b101), Process = [1] };
        Assert.Equal([36, 38], ProcessCpus.Allowed(groups));
        Assert.Equal(64, ProcessCpus.OfMachine(groups));
    }

    /// <summary>Since Windows 11 a process has all groups, and the mask is told of its first alone.</summary>
    [Fact]
    public void AProcessOfAllGroupsHasAllCpus()
    {
        var groups = new Groups(64, 32) { ProcessMask = All64, Thread = (0, All64), Process = [1, 0] };
        Assert.Equal(Enumerable.Range(0, 96), ProcessCpus.Allowed(groups));
        Assert.Equal(96, ProcessCpus.OfMachine(groups));
    }

    /// <summary>With threads in several groups no mask is told: all of these groups may be used, and of no other.</summary>
    [Fact]
    public void AProcessOfTwoGroupsOfThreeHasTheirs()
    {
        var groups = new Groups(2, 3, 4) { Thread = (2, 0b1), Process = [0, 2] };
        Assert.Equal([0, 1, 5, 6, 7, 8], ProcessCpus.Allowed(groups));
    }

    /// <summary>The probe has room for 64; the delay that the self-test provokes is on the last of these, not of the machine.</summary>
    [Fact]
    public void TheProbeMeasuresTheFirstSixtyFour()
    {
        var groups = new Groups(64, 32) { ProcessMask = All64 << 8, Thread = (0, All64 << 8), Process = [0, 1] };
        Assert.Equal(Enumerable.Range(8, 64), WakeupTrigger.CpusOf(groups));
    }

    [Fact]
    public void WhereNothingIsToldThereIsOne()
    {
        Assert.Equal([0], ProcessCpus.Allowed(new Groups(8)));
        Assert.Equal([8, 9], ProcessCpus.Allowed(new Groups(8, 2) { Thread = (1, 0b11) }));
        Assert.Equal(Environment.ProcessorCount, ProcessCpus.OfMachine(null));
        Assert.Equal(Environment.ProcessorCount, ProcessCpus.OfMachine(new Groups()));
    }

    [Theory]
    [InlineData(0, 0, 1ul)]
    [InlineData(63, 0, 1ul << 63)]
    [InlineData(64, 1, 1ul)]
    [InlineData(95, 1, 1ul << 31)]
    public void AThreadIsBoundInTheGroupOfTheCpu(int cpu, ushort group, ulong mask)
    {
        var groups = new Groups(64, 32) { Thread = (0, All64) };
        ProcessCpus.Bind(groups, cpu);
        Assert.Equal((group, mask), groups.Bound);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(96)]
    public void WhatTheMachineHasNotIsRefused(int cpu) =>
        Assert.Throws<Win32Exception>(() => ProcessCpus.Bind(new Groups(64, 32), cpu));

    [Fact]
    public void ThisMachineHasAtLeastWhatThisProcessMayUse() =>
        Assert.True(MachineSize.Here.Cpus >= (OperatingSystem.IsWindows() ? ProcessCpus.Allowed().Count : 1));

    private sealed class Groups(params int[] cpus) : IProcessorGroups
    {
        public IReadOnlyList<ushort> Process { get; init; } = [];

        public (ushort Group, ulong Mask) Thread { get; init; }

        public ulong ProcessMask { get; init; }

        public (ushort Group, ulong Mask)? Bound { get; private set; }

        int IProcessorGroups.Groups => cpus.Length;

        public int CpusOf(ushort group) => cpus[group];

        public IReadOnlyList<ushort> OfProcess() => Process;

        public (ushort Group, ulong Mask) OfThread() => Thread;

        public ulong MaskOfProcess() => ProcessMask;

        public void Bind(ushort group, ulong mask) => Bound = (group, mask);
    }
}
