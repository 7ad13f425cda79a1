using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Modules;

namespace Tracer.Analysis.Tests.Owners;

/// <summary>
/// Which driver a framework's routine runs for, by all of its runs. A tick is 100 ns; 50 us are 500 ticks.
/// </summary>
public class FrameworkClientsTests
{
    private const long Second = 10_000_000;
    private const long Near = 500;
    private const string Dpc = "ndis.sys+0x100";
    private const string Isr = "nic.sys+0x40";
    private const string Port = "storport.sys+0x100";
    private const ushort Line = 0x61;

    private static readonly MadeModules Made = new(
        "ntoskrnl.exe", "ndis.sys", "nic.sys", "other.sys", "tcpip.sys", "ACPI.sys", "storport.sys");

    [Theory]
    [InlineData(2, 0, null)]
    [InlineData(3, 0, "nic.sys")]
    [InlineData(9, 1, "nic.sys")]
    [InlineData(8, 1, null)]
    public void Nine_of_ten_runs_and_three_at_least_tell(int nic, int other, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < nic + other; i++)
        {
            run.Framework($"{(i < nic ? "nic.sys" : "other.sys")} {Dpc} ntoskrnl.exe");
        }

        Assert.Equal(owner, run.Winner());
        Assert.Null(run.Clients.BallotOn(RunTraits.Any(Made.At(Dpc) + 0x9000), out _));
    }

    /// <summary>A sample at the end of a run is in it; one at its start hit what it interrupted, one behind it what came next.</summary>
    [Theory]
    [InlineData(0, 10, "nic.sys")]
    [InlineData(0, 9, null)]
    [InlineData(10, 20, null)]
    [InlineData(9, 20, "nic.sys")]
    public void A_sample_votes_where_it_is_in_the_run(long from, long to, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            run.AddAt(from, to, $"nic.sys {Dpc} ntoskrnl.exe");
        }

        Assert.Equal(owner, run.Winner());
    }

    /// <summary>Runs that are alike and show the same are one vote; no sample is none.</summary>
    [Fact]
    public void Samples_alone_are_votes()
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            run.Framework($"nic.sys {Dpc} ntoskrnl.exe");
        }

        _ = run.Clients.BallotOn(RunTraits.Any(Made.At(Dpc)), out int votes);
        Assert.Equal(1, votes);
    }

    /// <summary>Each sample counts, not each run: of a run in which two are seen as often, one for each.</summary>
    [Theory]
    [InlineData(8, "nic.sys")]
    [InlineData(7, null)]
    public void A_run_in_which_two_are_seen_votes_for_both(int runs, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < runs; i++)
        {
            Assert.Equal(Made.Map.Find(Made.At("nic.sys"), 1)!.Number, run.Framework($"nic.sys {Dpc} ntoskrnl.exe").Image);
        }

        Assert.Equal(RunClient.NotSeen, run.Framework($"nic.sys {Dpc} ntoskrnl.exe", $"other.sys {Dpc} ntoskrnl.exe"));
        Assert.Equal(owner, run.Winner());
    }

    /// <summary>Runs whose samples show only the framework speak against a client that bare addresses show.</summary>
    [Theory]
    [InlineData(1, "nic.sys")]
    [InlineData(2, null)]
    public void A_run_of_the_frameworks_own_counts_as_none_of_its_clients(int own, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < 9 + own; i++)
        {
            Assert.Equal(i < 9, run.Framework(i < 9 ? "nic.sys" : "ndis.sys+0x130").Image >= 0);
        }

        Assert.Equal(owner, run.Winner());
    }

    /// <summary>A sample at the entry hit what was interrupted: such a run shows nothing.</summary>
    [Fact]
    public void A_run_with_a_sample_at_its_entry_alone_is_no_sampled_one()
    {
        var run = new Runs();
        for (int i = 0; i < 20; i++)
        {
            if (i < 9)
            {
                run.Framework("nic.sys");
            }
            else
            {
                Made.Sample(run.Cpu, run.Now, "ntoskrnl.exe");
                run.Framework();
            }
        }

        Assert.Equal("nic.sys", run.Winner());
    }

    /// <summary>What queued it is known of each run: one in ten may be queued by no ISR.</summary>
    [Theory]
    [InlineData(1, "nic.sys")]
    [InlineData(2, null)]
    public void A_run_that_no_isr_queued_speaks_against_one(int others, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < 9 + others; i++)
        {
            long from = run.Now;
            run.Add(Isr, LevelKind.Isr, 10, 30);
            run.Pause(50);
            run.Start(Dpc, new QueuedDpc { Ticks = i < 9 ? from + 20 : from + 40, Cpu = 0 });
            run.Add(Dpc, LevelKind.Dpc, 0, 100);
            run.Pause(10_000);
        }

        Assert.Equal(owner, run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    /// <summary>Runs of another interrupt say nothing, where those of the same are enough.</summary>
    [Fact]
    public void Runs_of_the_same_interrupt_vote_first()
    {
        var run = new Runs();
        for (int i = 0; i < 30; i++)
        {
            run.Interrupt("ndis.sys+0x40", vector: (ushort)(i % 3 == 0 ? 0x70 : 0x71));
            run.Framework($"{(i % 3 == 0 ? "nic.sys" : "other.sys")} {Dpc} ntoskrnl.exe");
            run.Pause(10_000);
        }

        RunTraits asked = RunTraits.Any(Made.At(Dpc));
        Assert.Null(run.Winner());
        Assert.Equal("nic.sys", run.Winner(asked with { Line = new QueueLine(0, 0x70, Made.At("ndis.sys+0x40")) }));
        Assert.Equal("other.sys", run.Winner(asked with { Line = new QueueLine(0, 0x71, Made.At("ndis.sys+0x40")) }));
        Assert.Equal("other.sys", run.Winner(asked with { Line = new QueueLine(3, 0x71, Made.At("ndis.sys+0x40")) }));
        Assert.Null(run.Winner(asked with { Line = new QueueLine(0, 0x72, Made.At("ndis.sys+0x40")) }));
    }

    /// <summary>Two devices interrupt before either DPC runs: these run in the order of their interrupts.</summary>
    [Fact]
    public void Dpcs_run_in_the_order_in_which_their_interrupts_came()
    {
        var run = new Runs();
        for (int i = 0; i < 10; i++)
        {
            run.Interrupt("ndis.sys+0x40", vector: 0x70);
            run.Interrupt("ndis.sys+0x40", vector: 0x71);
            run.Framework($"nic.sys {Dpc} ntoskrnl.exe");
            run.Framework($"other.sys {Dpc} ntoskrnl.exe");
            run.Pause(10_000);
        }

        RunTraits asked = RunTraits.Any(Made.At(Dpc));
        Assert.Equal("nic.sys", run.Winner(asked with { Line = new QueueLine(0, 0x70, Made.At("ndis.sys+0x40")) }));
        Assert.Equal("other.sys", run.Winner(asked with { Line = new QueueLine(0, 0x71, Made.At("ndis.sys+0x40")) }));
    }

    /// <summary>The first interrupt directly before a DPC queued it; one before a pause of more than 10 us has had its own.</summary>
    [Theory]
    [InlineData(100, "other.sys")]
    [InlineData(101, "nic.sys")]
    public void An_interrupt_before_a_pause_is_asked_last(long pause, string owner)
    {
        var run = new Runs();
        for (int i = 0; i < 10; i++)
        {
            run.Interrupt("other.sys+0x40", vector: 0x70);
            run.Pause(pause);
            run.Interrupt(Isr);
            run.Framework();
            run.Pause(10_000);
        }

        Assert.Equal(owner, run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    [Theory]
    [InlineData(Near, "nic.sys")]
    [InlineData(Near + 1, null)]
    [InlineData(0, "nic.sys")]
    public void An_isr_within_50us_before_a_dpc_queued_it(long distance, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            run.Interrupt(Isr);
            run.Pause(distance);
            run.Framework();
        }

        Assert.Equal(owner, run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    [Fact]
    public void An_isr_that_ends_behind_the_entry_did_not_queue_it()
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            // It lies within the DPC.
            run.Add(Isr, LevelKind.Isr, 10, 20);
            run.Add(Dpc, LevelKind.Dpc, 0, 100);
            run.Pause(10_000);
        }

        Assert.Null(run.Clients.ByIsr(Made.At(Dpc)));
    }

    /// <summary>One in four of its ISRs must be followed by the DPC.</summary>
    [Theory]
    [InlineData(12, "nic.sys")]
    [InlineData(13, null)]
    public void An_isr_that_mostly_comes_alone_precedes_everything(int isrs, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < isrs; i++)
        {
            run.Interrupt(Isr);
            run.Pause(i < 3 ? 10 : 10_000);
            if (i < 3)
            {
                run.Framework();
            }
        }

        Assert.Equal(owner, run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    /// <summary>All of a driver's ISR routines count.</summary>
    [Fact]
    public void The_isrs_of_all_of_its_devices_count()
    {
        var run = new Runs();
        for (int i = 0; i < 13; i++)
        {
            run.Interrupt(i < 3 ? Isr : $"nic.sys+0x{0x50 + i:X}");
            run.Pause(i < 3 ? 10 : 10_000);
            if (i < 3)
            {
                run.Framework();
            }
        }

        Assert.Null(run.Clients.ByIsr(Made.At(Dpc)));
    }

    /// <summary>As many DPCs as the series is followed back may lie between.</summary>
    [Theory]
    [InlineData(DpcQueuers.LookBack, "nic.sys")]
    [InlineData(DpcQueuers.LookBack + 1, null)]
    public void An_isr_is_looked_for_a_few_routines_back(int between, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            run.Interrupt(Isr);
            for (int k = 0; k < between; k++)
            {
                run.Add("other.sys+0x100", LevelKind.Dpc, 0, 10);
            }

            run.Framework();
        }

        Assert.Equal(owner, run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    /// <summary>The profile interrupt, and an ISR that only looked whether its device interrupted, queue nothing.</summary>
    [Fact]
    public void What_only_looked_did_not_queue_it()
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            run.Interrupt(Isr);
            run.Interrupt("other.sys+0x40", isUnclaimed: true);
            run.Interrupt("ntoskrnl.exe+0x40", isProfile: true);
            run.Framework();
        }

        Assert.Equal("nic.sys", run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    [Fact]
    public void An_isr_of_the_kernel_or_a_framework_tells_nothing()
    {
        foreach (string isr in new[] { "ntoskrnl.exe+0x40", "ndis.sys+0x40", "ACPI.sys+0x40" })
        {
            var run = new Runs();
            for (int i = 0; i < 3; i++)
            {
                run.Interrupt(isr);
                run.Framework();
            }

            Assert.Null(run.Clients.ByIsr(Made.At(Dpc)));
        }
    }

    /// <summary>Where the enqueue is recorded, the ISR around it on the same CPU counts, and no other.</summary>
    [Theory]
    [InlineData(20, 0, "nic.sys")]
    [InlineData(10, 0, "nic.sys")]
    [InlineData(30, 0, "nic.sys")]
    [InlineData(9, 0, null)]
    [InlineData(31, 0, null)]
    [InlineData(20, 1, null)]
    public void The_isr_that_ran_at_the_enqueue_queued_it(long at, int cpu, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            long from = run.Now;
            run.Add(Isr, LevelKind.Isr, 10, 30);
            run.Pause(20);
            run.Start(Dpc, new QueuedDpc { Ticks = from + at, Cpu = cpu });
            run.Add(Dpc, LevelKind.Dpc, 0, 100);
            run.Pause(10_000);
        }

        Assert.Equal(owner, run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    /// <summary>The enqueue of another routine tells nothing: then the ISR before counts.</summary>
    [Fact]
    public void The_enqueue_of_another_is_not_its_own()
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            run.Interrupt(Isr);
            run.Start("other.sys+0x900", new QueuedDpc { Ticks = run.Now - 5_000, Cpu = 0 });
            run.Framework();
        }

        Assert.Equal("nic.sys", run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    /// <summary>The history of DPCs that left their queue is bounded: one whose place is taken again left no record.</summary>
    [Fact]
    public void An_enqueue_that_is_forgotten_is_not_that_of_a_later_run()
    {
        var run = new Runs();
        run.Interrupt(Isr);
        LevelSpan dpc = new() { StartTicks = run.Now, EndTicks = run.Now + 100, Routine = Made.At(Dpc), Kind = LevelKind.Dpc };
        run.Pause(200);
        for (int i = 0; i < 4_097; i++)
        {
            run.Start(Dpc, new QueuedDpc { Ticks = run.Now - 1, Cpu = 0 });
            run.Pause(1);
        }

        Assert.True(run.Cpu.TryAddSpan(in dpc, 20));
        run.Clients.Took(run.Cpu, in dpc, out _);
        for (int i = 0; i < 3; i++)
        {
            run.TakeQueuer(in dpc);
        }

        Assert.Equal("nic.sys", run.Clients.ByIsr(Made.At(Dpc))?.Name);
    }

    [Fact]
    public void The_frameworks_own_interrupts_are_queued_by_nobody()
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            run.Interrupt(Isr);
            run.Add(Dpc, LevelKind.Isr, 0, 10);
        }

        Assert.Null(run.Clients.ByIsr(Made.At(Dpc)));
    }

    [Fact]
    public void An_announced_callback_is_the_runs_client()
    {
        var run = new Runs();
        run.Cpu.Callbacks.Add(new CallbackEvent { Ticks = run.Now + 5, Routine = Made.At("nic.sys+0x40") });
        Assert.Equal(RunClient.NotSeen with { Callback = Made.At("nic.sys+0x40") }, run.Framework($"other.sys {Dpc} ntoskrnl.exe"));
    }

    /// <summary>A run of a driver's own routine in which an independent driver was at work is that one's.</summary>
    [Fact]
    public void A_drivers_own_run_has_no_client()
    {
        var run = new Runs();
        Assert.Equal(RunClient.NotSeen, run.Add("nic.sys+0x100", LevelKind.Dpc, 0, 100, "nic.sys+0x130 nic.sys+0x120 ntoskrnl.exe"));
        Assert.Equal(RunClient.NotSeen, run.Add("ntoskrnl.exe+0x100", LevelKind.Dpc, 0, 100, "nic.sys ntoskrnl.exe+0x120 ntoskrnl.exe"));
        Assert.Equal(ModuleRole.Driver, run.Clients.RoleOf(new LevelSpan { Routine = 0x1234 }));
    }

    /// <summary>Where a port driver completes a request of Windows, what runs above it tells nothing of the device's driver.</summary>
    [Theory]
    [InlineData(0, "nic.sys")]
    [InlineData(1, null)]
    public void Runs_that_show_code_of_Windows_above_a_port_driver_do_not_vote(int unseen, string? owner)
    {
        var run = new Runs();
        for (int i = 0; i < 3; i++)
        {
            run.Add(Port, LevelKind.Dpc, 0, 100, $"nic.sys {Port} ntoskrnl.exe");
            run.Add(Port, LevelKind.Dpc, 0, 100, $"tcpip.sys {Port} ntoskrnl.exe");
        }

        for (int i = 0; i < unseen; i++)
        {
            run.Add(Port, LevelKind.Dpc, 0, 100, $"{Port} ntoskrnl.exe");
        }

        Assert.Equal(owner, run.Winner(RunTraits.Any(Made.At(Port))));
    }

    /// <summary>A CPU's routines, one behind the other.</summary>
    private sealed class Runs
    {
        private readonly DpcQueues _queues = new(1);

        public Runs() => Clients = new FrameworkClients(Made.Map, new OwnerSearch(Made.Map), Second);

        public FrameworkClients Clients { get; }

        public CpuHistory Cpu { get; } = new(0, 4_096, new SampleClock(0, 500));

        public long Now { get; private set; } = 100_000;

        public void Pause(long ticks) => Now += ticks;

        public void Start(string routine, QueuedDpc queued) =>
            _queues.Started(0, new DpcStart { Ticks = Now, Routine = Made.At(routine), Queued = queued });

        public string? Winner() => Winner(RunTraits.Any(Made.At(Dpc)));

        public string? Winner(RunTraits asked) =>
            Clients.BallotOn(asked, out _)?.Winner is { } image ? Made.Map.Images.Images[image].Name : null;

        public void Interrupt(string routine, bool isUnclaimed = false, bool isProfile = false, ushort vector = Line) =>
            Take(routine, LevelKind.Isr, 0, 10, isUnclaimed, isProfile, vector);

        public RunClient Framework(params string[] stacks) => Take(Dpc, LevelKind.Dpc, 0, 100, false, false, 0, stacks);

        public RunClient Add(string routine, LevelKind kind, long from, long to, params string[] stacks) =>
            Take(routine, kind, from, to, false, false, kind == LevelKind.Isr ? Line : (ushort)0, stacks);

        public void TakeQueuer(in LevelSpan newest)
        {
            QueuedDpc? queued = _queues.QueuedOf(0, in newest);
            long number = Cpu.Spans.Next - 1;
            if (queued is { } by)
            {
                Cpu.SetLine(number, FrameworkClients.QueuerOf(Cpu, number, in by, by.Cpu == 0 ? Cpu : null));
            }

            Clients.Queued(Cpu, number, queued is not null);
        }

        /// <summary>A run of the framework's DPC from one time to another, counted from now, and a sample after 10.</summary>
        public void AddAt(long from, long to, string stack)
        {
            Made.Sample(Cpu, Now + 10, stack);
            var span = new LevelSpan { StartTicks = Now + from, EndTicks = Now + to, Routine = Made.At(Dpc), Kind = LevelKind.Dpc };
            Assert.True(Cpu.TryAddSpan(in span, 20));
            TakeQueuer(in span);
            Now += 1_000;
        }

        private RunClient Take(
            string routine, LevelKind kind, long from, long to, bool isUnclaimed, bool isProfile, ushort vector, params string[] stacks)
        {
            for (int i = 0; i < stacks.Length; i++)
            {
                Made.Sample(Cpu, Now + from + 10 + i, stacks[i]);
            }

            var span = new LevelSpan
            {
                StartTicks = Now + from,
                EndTicks = Now + to,
                Routine = Made.At(routine),
                Kind = kind,
                Vector = vector,
                IsUnclaimed = isUnclaimed,
                IsProfile = isProfile,
            };
            Assert.True(Cpu.TryAddSpan(in span, 20));
            RunClient client = Clients.Took(Cpu, in span, out ModuleRole role);
            if (role == ModuleRole.Framework && !span.IsIsr)
            {
                TakeQueuer(in span);
            }

            Now += from == 0 ? to : 0;
            return client;
        }
    }
}
