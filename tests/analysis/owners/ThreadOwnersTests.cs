using System.Buffers.Binary;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;
using Tracer.Analysis.Tests.Facts;

namespace Tracer.Analysis.Tests.Owners;

/// <summary>Whose a thread of the system is: by what its samples show anywhere, else by where it began.</summary>
public class ThreadOwnersTests
{
    private const ulong Kernel = 0xFFFFF800_10000000;
    private const ulong Framework = 0xFFFFF800_20000000;
    private const ulong Filter = 0xFFFFF800_30000000;
    private const ulong Other = 0xFFFFF800_40000000;
    private const ushort ThreadStart = 0x0501;
    private const ushort ThreadEnd = 0x0502;
    private const ushort ThreadDCStart = 0x0503;
    private const uint Worker = 50;

    [Theory]
    [InlineData(2, 0, null)]
    [InlineData(3, 0, "filter.sys")]
    [InlineData(9, 1, "filter.sys")]
    [InlineData(8, 1, null)]
    [InlineData(8, 2, null)]
    public void Three_samples_of_which_nine_in_ten_agree_tell(int filters, int others, string? owner)
    {
        (ThreadOwners owners, CpuHistory cpu) = Made(Thread(Worker, 4, 0));
        Sample(owners, cpu, Worker, Filter, filters);
        Sample(owners, cpu, Worker, Other, others);
        OwnerFinding? found = owners.Of(Worker, 1_000);
        Assert.Equal(owner, found?.Owner?.Name);
        if (found is not null)
        {
            Assert.Equal((filters, filters + others, Proof.Stack), (found.Samples, found.SamplesAsked, found.Proof));
        }
    }

    [Theory]
    [InlineData(Filter, "filter.sys", null)]
    [InlineData(Framework, null, "ndis.sys")]
    [InlineData(Kernel, null, null)]
    [InlineData(0x401000, null, null)]
    public void Without_samples_it_is_whose_code_it_began_in(ulong start, string? owner, string? framework)
    {
        (ThreadOwners owners, _) = Made(Thread(Worker, 4, start));
        OwnerFinding? found = owners.Of(Worker, 1_000);
        Assert.Equal((owner, framework), (found?.Owner?.Name, found?.Behind?.Name));
        Assert.Equal(owner is null ? Proof.None : Proof.Routine, found?.Proof ?? Proof.None);
    }

    [Fact]
    public void What_it_does_tells_more_than_where_it_began()
    {
        (ThreadOwners owners, CpuHistory cpu) = Made(Thread(Worker, 4, Other));
        Sample(owners, cpu, Worker, Filter, 3);
        Assert.Equal("filter.sys", owners.Of(Worker, 1_000)!.Owner!.Name);
    }

    [Fact]
    public void The_kernels_own_code_in_it_speaks_for_nobody()
    {
        (ThreadOwners owners, CpuHistory cpu) = Made(Thread(Worker, 4, Kernel));
        Sample(owners, cpu, Worker, Filter, 8);
        for (int i = 0; i < 2; i++)
        {
            Take(owners, cpu, new CpuSample { Ticks = 900, Instruction = Kernel + 8, ThreadId = Worker }, [Kernel + 8, Kernel + 9]);
        }

        Assert.Null(owners.Of(Worker, 1_000));
    }

    [Fact]
    public void Threads_of_processes_are_not_asked()
    {
        (ThreadOwners owners, CpuHistory cpu) = Made(Thread(Worker, 4, 0), Thread(88, 200, 0));
        Sample(owners, cpu, 88, Filter, 9);
        Assert.Null(owners.Of(88, 1_000));
    }

    [Fact]
    public void A_sample_in_an_isr_or_dpc_or_of_a_process_is_none_of_its_work()
    {
        (ThreadOwners owners, CpuHistory cpu) = Made(Thread(Worker, 4, 0));
        for (int i = 0; i < 9; i++)
        {
            var sample = new CpuSample { Ticks = 900 + i, Instruction = Filter + 8, ThreadId = Worker };
            Take(owners, cpu, sample with { IsInDpc = true }, [Filter + 8, Kernel + 9]);
            Take(owners, cpu, sample with { IsInIsr = true }, [Filter + 8, Kernel + 9]);
            Take(owners, cpu, sample with { Instruction = 0x401000 }, []);
        }

        Assert.Null(owners.Of(Worker, 1_000));
    }

    [Fact]
    public void An_id_that_is_used_again_is_another_thread()
    {
        (ThreadOwners owners, CpuHistory cpu) = Made(
            Thread(Worker, 4, Filter),
            MadeEvent.System(ThreadEnd, 3, 4_500, 8, 4, Payload(Worker, 4, Filter)),
            MadeEvent.System(ThreadStart, 3, 5_000, 8, 4, Payload(Worker, 4, Other)));
        Assert.Equal(("filter.sys", "other.sys"), (owners.Of(Worker, 4_000)!.Owner!.Name, owners.Of(Worker, 6_000)!.Owner!.Name));
        Sample(owners, cpu, Worker, Other, 3, at: 1_000);
        Assert.Equal(("other.sys", 3), (owners.Of(Worker, 4_000)!.Owner!.Name, owners.Of(Worker, 4_000)!.Samples));
        Sample(owners, cpu, Worker, Filter, 3, at: 6_000);
        Assert.Equal(("filter.sys", 3), (owners.Of(Worker, 6_000)!.Owner!.Name, owners.Of(Worker, 6_000)!.Samples));
    }

    private static (ThreadOwners Owners, CpuHistory Cpu) Made(params byte[][] threads)
    {
        var images = new ImageTable(8);
        foreach ((ulong imageBase, string name) in new[]
            { (Kernel, "ntoskrnl.exe"), (Framework, "ndis.sys"), (Filter, "filter.sys"), (Other, "other.sys") })
        {
            byte[] image = MadeEvent.Image(imageBase, 0x100000, 0, @"\SystemRoot\System32\drivers\" + name);
            MadeEvent.Give(MadeEvent.Kernel(KernelHook.ImageDCStart, 3, 1, image), images.Add);
        }

        images.Complete();
        var table = new ThreadTable();
        foreach (byte[] thread in threads)
        {
            MadeEvent.Give(thread, table.Add);
        }

        table.Complete();
        var modules = new ModuleMap(images, new ModuleCalls());
        return (new ThreadOwners(table, modules, new OwnerSearch(modules)), new CpuHistory(0, 4_096, new SampleClock(0, 500)));
    }

    private static byte[] Thread(uint thread, uint process, ulong start) =>
        MadeEvent.System(ThreadDCStart, 3, 1, 8, 4, Payload(thread, process, start));

    private static byte[] Payload(uint thread, uint process, ulong start)
    {
        byte[] payload = MadeEvent.Thread(process, thread);
        BinaryPrimitives.WriteUInt64LittleEndian(payload.AsSpan(48), start);
        return payload;
    }

    private static void Sample(ThreadOwners owners, CpuHistory cpu, uint thread, ulong image, int samples, long at = 100)
    {
        for (int i = 0; i < samples; i++)
        {
            Take(owners, cpu, new CpuSample { Ticks = at + i, Instruction = image + 8, ThreadId = thread }, [image + 8, Kernel + 9]);
        }
    }

    private static void Take(ThreadOwners owners, CpuHistory cpu, CpuSample sample, ulong[] frames)
    {
        cpu.AddSample(in sample);
        long number = cpu.Samples.Next - 1;
        if (frames.Length > 0)
        {
            cpu.AddStack(number, frames);
        }

        owners.Add(cpu, in cpu.Samples[number]);
    }
}
