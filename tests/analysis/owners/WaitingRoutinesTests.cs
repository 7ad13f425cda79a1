using System.Diagnostics.CodeAnalysis;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Modules;
using Tracer.Symbols;

namespace Tracer.Analysis.Tests.Owners;

/// <summary>Kernel code that waits is known by the name of its function, or of one that called it.</summary>
public class WaitingRoutinesTests
{
    private static readonly MadeModules Made = new("ntoskrnl.exe", "nic.sys");

    [Theory]
    [InlineData("ntoskrnl.exe+0x2010", nameof(WaitKind.Lock), false)]
    [InlineData("ntoskrnl.exe+0x4010", nameof(WaitKind.Processors), false)]
    [InlineData("ntoskrnl.exe+0x3010", nameof(WaitKind.None), false)]
    [InlineData("ntoskrnl.exe+0x5010", nameof(WaitKind.None), true)]
    [InlineData("ntoskrnl.exe+0x6010", nameof(WaitKind.None), true)]
    [InlineData("nic.sys+0x2010", nameof(WaitKind.None), false)]
    public void What_a_sample_without_a_stack_hit_waits_by_its_own_name(string address, string kind, bool isKernels)
    {
        CpuHistory cpu = Sampled(address);
        Assert.Equal(kind, Named().Of(cpu, in cpu.Samples[0], out bool found).ToString());
        Assert.Equal(isKernels, found);
    }

    /// <summary>What the waiting routine calls waits for it; a driver in between has work of its own.</summary>
    [Theory]
    [InlineData("ntoskrnl.exe+0x3010 ntoskrnl.exe+0x3010 ntoskrnl.exe+0x2010", nameof(WaitKind.Lock))]
    [InlineData("ntoskrnl.exe+0x3010 ntoskrnl.exe+0x5010 ntoskrnl.exe+0x4010", nameof(WaitKind.Processors))]
    [InlineData("ntoskrnl.exe+0x3010 nic.sys+0x10 ntoskrnl.exe+0x2010", nameof(WaitKind.None))]
    [InlineData("ntoskrnl.exe+0x3010 ntoskrnl.exe+0x3010", nameof(WaitKind.None))]
    public void What_called_it_tells_too(string stack, string kind)
    {
        CpuHistory cpu = Sampled(stack);
        Assert.Equal(kind, Named().Of(cpu, in cpu.Samples[0], out _).ToString());
    }

    [Fact]
    public void Without_names_any_code_of_the_kernel_may_wait_and_none_is_known_to()
    {
        var unnamed = new KernelRoutines(Made.Map, null);
        Assert.False(unnamed.HasNames);
        CpuHistory cpu = Sampled("ntoskrnl.exe+0x2010 ntoskrnl.exe+0x2010");
        Assert.Equal(WaitKind.None, new WaitingRoutines(unnamed).Of(cpu, in cpu.Samples[0], out bool isKernels));
        Assert.True(isKernels);
        Assert.Equal(CodeLevel.Unknown, unnamed.LevelOf(cpu, in cpu.Samples[0]));
        cpu = Sampled("nic.sys+0x2010");
        Assert.Equal(WaitKind.None, new WaitingRoutines(unnamed).Of(cpu, in cpu.Samples[0], out isKernels));
        Assert.False(isKernels);
    }

    [Theory]
    [InlineData("nic.sys+0x10 ntoskrnl.exe+0x3010 ntoskrnl.exe+0x7010 ntoskrnl.exe+0x8010", nameof(CodeLevel.Dpc))]
    [InlineData("nic.sys+0x10 ntoskrnl.exe+0x8010 ntoskrnl.exe+0x7010", nameof(CodeLevel.Isr))]
    [InlineData("nic.sys+0x10 ntoskrnl.exe+0x9010", nameof(CodeLevel.Thread))]
    [InlineData("nic.sys+0x10 ntoskrnl.exe+0x3010", nameof(CodeLevel.Unknown))]
    [InlineData("nic.sys+0x7010 nic.sys+0x8010", nameof(CodeLevel.Unknown))]
    public void The_innermost_that_tells_a_level_tells_it(string stack, string level)
    {
        CpuHistory cpu = Sampled(stack);
        Assert.Equal(level, new KernelRoutines(Made.Map, new Names()).LevelOf(cpu, in cpu.Samples[0]).ToString());
    }

    private static WaitingRoutines Named() => new(new KernelRoutines(Made.Map, new Names()));

    private static CpuHistory Sampled(string stack)
    {
        var cpu = new CpuHistory(0, 4_096, new SampleClock(0, 500));
        Made.Sample(cpu, 1_000, stack);
        return cpu;
    }

    /// <summary>The function at 0x5000 has only unwind data; at 0x6000 there is none.</summary>
    private sealed class Names : IFunctionNames
    {
        public bool TryFind([NotNull] LoadedImage image, uint rva, out NamedFunction function)
        {
            string? name = (rva >> 12) switch
            {
                2 => "KxWaitForSpinLockAndAcquire",
                3 => "KeStallExecutionProcessor",
                4 => "KeFlushMultipleRangeTb",
                5 => "KxWaitForSpinLockAndAcquire",
                7 => "KiRetireDpcList",
                8 => "KiInterruptDispatch",
                9 => "PspSystemThreadStartup",
                _ => null,
            };
            bool isUnwound = rva >> 12 == 5;
            function = new NamedFunction(isUnwound ? "fun_5000" : name!, rva & 0xFFF, isUnwound ? SymbolProof.Pdata : SymbolProof.Public);
            return name is not null;
        }
    }
}
