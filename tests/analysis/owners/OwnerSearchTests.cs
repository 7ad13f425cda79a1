using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Modules;

namespace Tracer.Analysis.Tests.Owners;

/// <summary>Whose an ISR or DPC is, by what ran in it. A routine runs from 1 000 to 2 000.</summary>
public class OwnerSearchTests
{
    private const long From = 1_000;
    private const long To = 2_000;

    private static readonly MadeModules Made = new(
        "ntoskrnl.exe", "ndis.sys", "nic.sys", "other.sys", "tcpip.sys", "ACPI.sys", "cng.sys", "Wdf01000.sys");

    [Theory]
    [InlineData(2, null, "ndis.sys", Proof.None, 0)]
    [InlineData(3, "ndis.sys", null, Proof.Stack, 3)]
    public void Three_stacks_without_a_client_show_the_framework_at_work(
        int stacks, string? owner, string? behind, Proof proof, int samples)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "ndis.sys+0x100");
        for (int i = 0; i < stacks; i++)
        {
            Made.Sample(cpu, 1_100 + i, "ndis.sys+0x120 ndis.sys+0x110 ntoskrnl.exe", isInDpc: true);
        }

        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal(
            (owner, behind, proof, samples, stacks),
            (found.Owner?.Name, found.Behind?.Name, found.Proof, found.Samples, found.SamplesAsked));
    }

    /// <summary>What the framework's routine called, by where the routine's own frame is on the stack.</summary>
    [Theory]
    [InlineData("nic.sys ndis.sys+0x100 ntoskrnl.exe", "nic.sys")]
    [InlineData("nic.sys ndis.sys+0x20FF other.sys", "nic.sys")]
    [InlineData("nic.sys ndis.sys+0x2100 ntoskrnl.exe", "nic.sys")]
    [InlineData("nic.sys ndis.sys+0x2100", "nic.sys")]
    [InlineData("nic.sys ndis.sys+0xFFFFF ntoskrnl.exe", "nic.sys")]
    [InlineData("nic.sys ndis.sys+0xFF ntoskrnl.exe", "nic.sys")]
    [InlineData("nic.sys ndis.sys+0x2100 other.sys", null)]
    [InlineData("nic.sys ndis.sys+0x100000 ntoskrnl.exe", null)]
    [InlineData("nic.sys ntoskrnl.exe ntoskrnl.exe", null)]
    [InlineData("nic.sys ndis.sys+0x2100 ndis.sys+0x3100 ntoskrnl.exe", "nic.sys")]
    [InlineData("ndis.sys+0x2100 ntoskrnl.exe other.sys", null)]
    [InlineData("ndis.sys+0x120 ntoskrnl.exe other.sys", null)]
    [InlineData("tcpip.sys ndis.sys+0x100 ntoskrnl.exe", "tcpip.sys")]
    public void Only_what_lies_within_the_routine_tells(string stack, string? owner)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "ndis.sys+0x100");
        Made.Sample(cpu, 1_500, stack);
        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal(owner, found.Owner?.Name);
        Assert.Equal(owner is null ? "ndis.sys" : null, found.Behind?.Name);
        Assert.Equal(owner is null ? "" : "ndis.sys", string.Join(' ', found.Through.Select(image => image.Name)));
        Assert.Equal(owner is null ? Proof.None : Proof.Stack, found.Proof);
    }

    /// <summary>A routine of the kernel takes only what its own frame called: the rest may be what it interrupted.</summary>
    [Theory]
    [InlineData("nic.sys ntoskrnl.exe+0x120 ntoskrnl.exe+0x90000", "nic.sys", Proof.Stack)]
    [InlineData("nic.sys ntoskrnl.exe+0x90000 ntoskrnl.exe+0x90000", "ntoskrnl.exe", Proof.Routine)]
    [InlineData("nic.sys ntoskrnl.exe+0x90000", "ntoskrnl.exe", Proof.Routine)]
    public void A_routine_of_the_kernel_is_its_own_where_its_frame_is_not_found(string stack, string owner, Proof proof)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "ntoskrnl.exe+0x100");
        Made.Sample(cpu, 1_500, stack);
        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal((owner, proof), (found.Owner?.Name, found.Proof));
        Assert.Empty(found.Through);
    }

    /// <summary>At its entry a sample hits what the routine interrupted.</summary>
    [Theory]
    [InlineData(From, null)]
    [InlineData(From + 1, "nic.sys")]
    [InlineData(To, "nic.sys")]
    [InlineData(To + 1, null)]
    public void Samples_behind_the_entry_up_to_the_end_are_its_own(long ticks, string? owner)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "ndis.sys+0x100");
        Made.Sample(cpu, ticks, "nic.sys ndis.sys+0x120 ntoskrnl.exe");
        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal((owner, owner is null ? 0 : 1), (found.Owner?.Name, found.SamplesAsked));
    }

    /// <summary>The same for a driver's own routine, in which an independent driver may be at work.</summary>
    [Theory]
    [InlineData(From, null, 0)]
    [InlineData(From + 1, "other.sys", 1)]
    [InlineData(To, "other.sys", 1)]
    [InlineData(To + 1, null, 0)]
    public void A_helper_is_seen_behind_the_entry_up_to_the_end(long ticks, string? inner, int asked)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "nic.sys+0x100");
        Made.Sample(cpu, ticks, "other.sys nic.sys+0x120 ntoskrnl.exe");
        Made.Sample(cpu, To + 500, "ntoskrnl.exe");
        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal(("nic.sys", Proof.Routine), (found.Owner?.Name, found.Proof));
        Assert.Equal((inner, asked), (found.Inner?.Name, found.SamplesAsked));
    }

    [Theory]
    [InlineData(1, 1, null)]
    [InlineData(2, 1, "other.sys")]
    public void A_helper_is_named_from_more_than_half_of_the_samples_on(int helpers, int own, string? inner)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "nic.sys+0x100");
        for (int i = 0; i < helpers + own; i++)
        {
            Made.Sample(cpu, 1_100 + i, i < helpers ? "other.sys nic.sys+0x120 ntoskrnl.exe" : "nic.sys+0x130 nic.sys+0x120 ntoskrnl.exe");
        }

        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal(("nic.sys", inner), (found.Owner?.Name, found.Inner?.Name));
        Assert.Equal(inner is null ? 0 : helpers, found.Samples);
    }

    /// <summary>A driver that the kernel called within another's routine answers for itself.</summary>
    [Theory]
    [InlineData(1, 1, "nic.sys")]
    [InlineData(2, 1, "other.sys")]
    public void Another_driver_has_the_run_from_more_than_half_of_the_samples_on(int others, int own, string owner)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "nic.sys+0x100");
        for (int i = 0; i < others + own; i++)
        {
            Made.Sample(cpu, 1_100 + i, i < others
                ? "other.sys ntoskrnl.exe nic.sys+0x120 ntoskrnl.exe"
                : "nic.sys+0x130 nic.sys+0x120 ntoskrnl.exe");
        }

        Assert.Equal(owner, Search().OfSpan(cpu, in dpc).Owner?.Name);
    }

    /// <summary>Whom the framework announced answers for its callback, unless it called another driver in more than half of it.</summary>
    [Theory]
    [InlineData(2, 2, "nic.sys")]
    [InlineData(1, 2, "nic.sys other.sys")]
    [InlineData(0, 2, "other.sys")]
    public void An_announced_callback_is_anothers_from_more_than_half_of_the_samples_on(int own, int others, string owners)
    {
        CpuHistory cpu = Cpu();
        cpu.Callbacks.Add(new CallbackEvent { Ticks = From + 5, Routine = Made.At("nic.sys+0x40") });
        LevelSpan dpc = Ran(cpu, "Wdf01000.sys+0x100");
        for (int i = 0; i < own + others; i++)
        {
            Made.Sample(cpu, 1_100 + i, i < own
                ? "nic.sys+0x50 Wdf01000.sys+0x120 ntoskrnl.exe"
                : "other.sys ntoskrnl.exe nic.sys+0x50 Wdf01000.sys+0x120 ntoskrnl.exe");
        }

        List<OwnedStretch> stretches = [];
        Search().AddStretches(cpu, in dpc, stretches);
        Assert.Equal(owners, string.Join(' ', stretches.Select(stretch => stretch.Owner.Owner!.Name)));
    }

    /// <summary>The kernel, libraries and layers that a driver calls are its own work.</summary>
    [Theory]
    [InlineData("ntoskrnl.exe nic.sys+0x120 ntoskrnl.exe")]
    [InlineData("cng.sys nic.sys+0x120 ntoskrnl.exe")]
    [InlineData("tcpip.sys nic.sys+0x120 ntoskrnl.exe")]
    [InlineData("ndis.sys nic.sys+0x120 ntoskrnl.exe")]
    public void Who_is_no_driver_is_no_helper(string stack)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "nic.sys+0x100");
        Made.Sample(cpu, 1_500, stack);
        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal(("nic.sys", null), (found.Owner?.Name, found.Inner?.Name));
    }

    /// <summary>A sample belongs to the routine that ran when it was taken: the one entered last.</summary>
    [Theory]
    [InlineData(1_400, "nic.sys")]
    [InlineData(1_401, null)]
    [InlineData(1_600, null)]
    [InlineData(1_601, "nic.sys")]
    public void What_a_nested_routine_shows_is_not_the_outer_ones(long ticks, string? owner)
    {
        CpuHistory cpu = Cpu();
        Assert.True(cpu.TryAddSpan(Span("other.sys+0x100", 1_400, 1_600, LevelKind.Isr), 20));
        LevelSpan dpc = Ran(cpu, "ndis.sys+0x100");
        Made.Sample(cpu, ticks, "nic.sys ndis.sys+0x120 ntoskrnl.exe");
        Assert.Equal(owner, Search().OfSpan(cpu, in dpc).Owner?.Name);
    }

    /// <summary>The same within a driver's own routine: the driver of a nested interrupt is not at work for it.</summary>
    [Theory]
    [InlineData(1_400, "other.sys")]
    [InlineData(1_401, "nic.sys")]
    [InlineData(1_600, "nic.sys")]
    [InlineData(1_601, "other.sys")]
    public void What_a_nested_routine_shows_is_not_called_by_the_outer_driver(long ticks, string owner)
    {
        CpuHistory cpu = Cpu();
        Assert.True(cpu.TryAddSpan(Span("other.sys+0x100", 1_400, 1_600, LevelKind.Isr), 20));
        LevelSpan dpc = Ran(cpu, "nic.sys+0x100");
        Made.Sample(cpu, ticks, "other.sys+0x120 ntoskrnl.exe nic.sys+0x120 ntoskrnl.exe");
        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal((owner, null), (found.Owner?.Name, found.Inner?.Name));
    }

    /// <summary>A stack without a frame of the driver's routine is that of what the routine interrupted.</summary>
    [Theory]
    [InlineData("other.sys ntoskrnl.exe")]
    [InlineData("ntoskrnl.exe other.sys ntoskrnl.exe")]
    [InlineData("ntoskrnl.exe ntoskrnl.exe other.sys")]
    public void What_a_driver_interrupted_is_not_called_by_it(string stack)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "nic.sys+0x100");
        Made.Sample(cpu, 1_500, stack);
        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal(("nic.sys", null, Proof.Routine, 0), (found.Owner?.Name, found.Inner?.Name, found.Proof, found.SamplesAsked));
    }

    /// <summary>Two routines may overlap by the clock's steps: the earlier one is not nested in the later.</summary>
    [Theory]
    [InlineData(980)]
    [InlineData(999)]
    public void A_routine_that_ended_in_its_first_steps_is_not_nested(long start)
    {
        CpuHistory cpu = Cpu();
        Assert.True(cpu.TryAddSpan(Span("other.sys+0x100", start, From + 10, LevelKind.Isr), 20));
        LevelSpan dpc = Ran(cpu, "ndis.sys+0x100");
        Made.Sample(cpu, From + 5, "nic.sys ndis.sys+0x120 ntoskrnl.exe");
        Assert.Equal("nic.sys", Search().OfSpan(cpu, in dpc).Owner?.Name);
    }

    /// <summary>It has the same length as the routine, and is another one.</summary>
    [Fact]
    public void A_routine_nested_from_the_first_to_the_last_tick_has_its_samples()
    {
        CpuHistory cpu = Cpu();
        Assert.True(cpu.TryAddSpan(Span("other.sys+0x100", From, To, LevelKind.Isr), 20));
        LevelSpan dpc = Ran(cpu, "ndis.sys+0x100");
        Made.Sample(cpu, 1_500, "nic.sys ndis.sys+0x120 ntoskrnl.exe");
        Assert.Null(Search().OfSpan(cpu, in dpc).Owner);
    }

    /// <summary>Without a stack the address tells, unless the flags say that something else was interrupted.</summary>
    [Theory]
    [InlineData("nic.sys", nameof(LevelKind.Dpc), false, false, "nic.sys")]
    [InlineData("tcpip.sys", nameof(LevelKind.Dpc), false, false, "tcpip.sys")]
    [InlineData("ntoskrnl.exe", nameof(LevelKind.Dpc), false, false, null)]
    [InlineData("nic.sys", nameof(LevelKind.Dpc), true, false, "nic.sys")]
    [InlineData("nic.sys", nameof(LevelKind.Dpc), false, true, null)]
    [InlineData("nic.sys", nameof(LevelKind.Isr), false, true, "nic.sys")]
    [InlineData("nic.sys ntoskrnl.exe ntoskrnl.exe", nameof(LevelKind.Dpc), false, false, null)]
    [InlineData("nic.sys ntoskrnl.exe ntoskrnl.exe", nameof(LevelKind.Dpc), true, false, "nic.sys")]
    [InlineData("nic.sys ntoskrnl.exe ntoskrnl.exe", nameof(LevelKind.Isr), false, false, null)]
    [InlineData("nic.sys ntoskrnl.exe ntoskrnl.exe", nameof(LevelKind.Isr), true, false, null)]
    [InlineData("nic.sys ntoskrnl.exe ntoskrnl.exe", nameof(LevelKind.Isr), false, true, "nic.sys")]
    public void A_bare_address_tells_where_nothing_speaks_against_it(string stack, string kind, bool isInDpc, bool isInIsr, string? owner)
    {
        CpuHistory cpu = Cpu();
        LevelSpan span = Ran(cpu, "ndis.sys+0x100", Enum.Parse<LevelKind>(kind));
        Made.Sample(cpu, 1_500, stack, isInDpc: isInDpc, isInIsr: isInIsr);
        OwnerFinding found = Search().OfSpan(cpu, in span);
        Assert.Equal((owner, owner is null ? Proof.None : Proof.Sample), (found.Owner?.Name, found.Proof));
    }

    /// <summary>The callback with the most time has the run: it ends with the next, or with the run.</summary>
    [Theory]
    [InlineData(1_000, 1_499, "other.sys")]
    [InlineData(1_000, 1_500, "nic.sys")]
    [InlineData(1_000, 1_501, "nic.sys")]
    [InlineData(999, 1_900, "other.sys")]
    [InlineData(1_000, 2_001, "nic.sys")]
    [InlineData(1_000, 2_000, "nic.sys")]
    [InlineData(2_000, 2_001, "nic.sys")]
    [InlineData(2_001, 2_002, null)]
    public void The_longest_callback_has_the_run(long first, long second, string? owner)
    {
        CpuHistory cpu = Cpu();
        LevelSpan dpc = Ran(cpu, "Wdf01000.sys+0x100");
        cpu.Callbacks.Add(new CallbackEvent { Ticks = first, Routine = Made.At("nic.sys+0x40") });
        cpu.Callbacks.Add(new CallbackEvent { Ticks = second, Routine = Made.At("other.sys+0x40") });
        Assert.Equal(owner is null ? 0 : Made.At(owner + "+0x40"), OwnerSearch.LongestCallback(cpu, in dpc));
        OwnerFinding found = Search().OfSpan(cpu, in dpc);
        Assert.Equal((owner, owner is null ? Proof.None : Proof.WdfEvent), (found.Owner?.Name, found.Proof));
    }

    [Theory]
    [InlineData(nameof(LevelKind.Dpc), false, true)]
    [InlineData(nameof(LevelKind.Dpc), true, false)]
    [InlineData(nameof(LevelKind.Isr), false, false)]
    [InlineData(nameof(LevelKind.Isr), true, true)]
    [InlineData(nameof(LevelKind.TimerDpc), false, true)]
    public void A_callback_counts_for_routines_of_its_kind(string kind, bool isInterrupt, bool isFound)
    {
        CpuHistory cpu = Cpu();
        LevelSpan span = Ran(cpu, "Wdf01000.sys+0x100", Enum.Parse<LevelKind>(kind));
        cpu.Callbacks.Add(new CallbackEvent { Ticks = 1_100, Routine = Made.At("nic.sys"), IsInterrupt = isInterrupt });
        Assert.Equal(isFound ? Made.At("nic.sys") : 0, OwnerSearch.LongestCallback(cpu, in span));
    }

    [Fact]
    public void A_callback_in_a_nested_routine_is_not_the_outer_ones()
    {
        CpuHistory cpu = Cpu();
        Assert.True(cpu.TryAddSpan(Span("Wdf01000.sys+0x900", 1_400, 1_600, LevelKind.Dpc), 20));
        LevelSpan dpc = Ran(cpu, "Wdf01000.sys+0x100");
        cpu.Callbacks.Add(new CallbackEvent { Ticks = 1_100, Routine = Made.At("nic.sys") });
        cpu.Callbacks.Add(new CallbackEvent { Ticks = 1_450, Routine = Made.At("other.sys") });
        Assert.Equal(Made.At("nic.sys"), OwnerSearch.LongestCallback(cpu, in dpc));
        LevelSpan inner = cpu.Spans[0];
        Assert.Equal(Made.At("other.sys"), OwnerSearch.LongestCallback(cpu, in inner));
    }

    /// <summary>Code in a thread: by its stack; without one by its address, if that is no kernel's, framework's or library's.</summary>
    [Theory]
    [InlineData("nic.sys ntoskrnl.exe", "nic.sys", Proof.Stack, null)]
    [InlineData("ntoskrnl.exe nic.sys ndis.sys", "nic.sys", Proof.Stack, null)]
    [InlineData("ntoskrnl.exe ntoskrnl.exe", "ntoskrnl.exe", Proof.Stack, null)]
    [InlineData("ndis.sys ntoskrnl.exe", null, Proof.None, "ndis.sys")]
    [InlineData("cng.sys ndis.sys", null, Proof.None, "ndis.sys")]
    [InlineData("cng.sys cng.sys", null, Proof.None, "cng.sys")]
    [InlineData("nic.sys", "nic.sys", Proof.Sample, null)]
    [InlineData("tcpip.sys", "tcpip.sys", Proof.Sample, null)]
    [InlineData("ACPI.sys", "ACPI.sys", Proof.Sample, null)]
    [InlineData("ndis.sys", null, Proof.None, "ndis.sys")]
    [InlineData("cng.sys", null, Proof.None, "cng.sys")]
    [InlineData("ntoskrnl.exe", null, Proof.None, "ntoskrnl.exe")]
    public void Code_in_a_thread_is_whose_it_shows(string stack, string? owner, Proof proof, string? behind)
    {
        ulong[] frames = Made.Stack(stack);
        OwnerFinding found = Search().OfCode(frames[0], frames, 1);
        Assert.Equal((owner, proof, behind), (found.Owner?.Name, found.Proof, found.Behind?.Name));
        Assert.Equal((owner is null ? 0 : 1, 1), (found.Samples, found.SamplesAsked));
        Assert.Equal(found.Owner?.Name == "nic.sys" ? Made.At("nic.sys") : frames[0], found.Routine);
        bool isThrough = stack.Contains("nic.sys ndis.sys", StringComparison.Ordinal);
        Assert.Equal(isThrough ? "ndis.sys" : "", string.Join(' ', found.Through.Select(one => one.Name)));
    }

    [Fact]
    public void The_profile_interrupt_and_firmware_are_asked_for_no_samples()
    {
        CpuHistory cpu = Cpu();
        LevelSpan isr = Ran(cpu, "ntoskrnl.exe+0x100", LevelKind.Isr) with { IsProfile = true };
        Made.Sample(cpu, 1_500, "nic.sys ntoskrnl.exe+0x120 ntoskrnl.exe");
        Assert.Equal(("ntoskrnl.exe", 0), (Search().OfSpan(cpu, in isr).Owner?.Name, Search().OfSpan(cpu, in isr).SamplesAsked));
        LevelSpan sci = isr with { Routine = Made.At("ACPI.sys+0x100"), IsProfile = false };
        Assert.Equal(("ACPI.sys", Proof.Routine), (Search().OfSpan(cpu, in sci).Owner?.Name, Search().OfSpan(cpu, in sci).Proof));
        LevelSpan unknown = isr with { Routine = 0x1234, IsProfile = false };
        Assert.Equal((null, Proof.None), (Search().OfSpan(cpu, in unknown).Owner?.Name, Search().OfSpan(cpu, in unknown).Proof));
    }

    private static OwnerSearch Search() => new(Made.Map);

    private static CpuHistory Cpu() => new(0, 4_096, new SampleClock(0, 500));

    private static LevelSpan Ran(CpuHistory cpu, string routine, LevelKind kind = LevelKind.Dpc)
    {
        Assert.True(cpu.TryAddSpan(Span(routine, From, To, kind), 20));
        return cpu.Spans[cpu.Spans.Next - 1];
    }

    private static LevelSpan Span(string routine, long from, long to, LevelKind kind) =>
        new() { StartTicks = from, EndTicks = to, Routine = Made.At(routine), Kind = kind };
}
