using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>The routine in whose runs the samples lie, one in each, takes them.</summary>
public class ProfileInterruptTests
{
    private const ulong Profile = 0xFFFFF800_20000100;
    private const ulong Device = 0xFFFFF800_30000100;

    [Theory]
    [InlineData(15, 0, 0, false)]
    [InlineData(16, 0, 0, true)]
    [InlineData(18, 2, 0, true)]
    [InlineData(17, 3, 0, false)]
    [InlineData(18, 0, 2, true)]
    [InlineData(18, 0, 3, false)]
    public void Nine_of_ten_of_its_runs_and_of_all_samples_are_needed(int both, int runsWithout, int samplesWithout, bool isFound)
    {
        var counts = new InterruptCounts();
        long at = 0;
        for (int i = 0; i < both + runsWithout + samplesWithout; i++)
        {
            at += 10_000;
            if (i < both || i >= both + runsWithout)
            {
                counts.Sampled(0, at + 5);
            }

            if (i < both + runsWithout)
            {
                Returned(counts, Profile, at, at + 80, 0);
                Returned(counts, Device, at + 2_000, at + 2_050, 0);
            }
        }

        var interrupt = new ProfileInterrupt();
        interrupt.Find([counts]);
        Assert.Equal((isFound, false), (interrupt.Is(Profile), interrupt.Is(Device)));
        Assert.Equal(isFound ? new InterruptTotal(both + runsWithout, 80L * (both + runsWithout)) : null, interrupt.Total);
    }

    [Fact]
    public void Counts_of_several_readers_and_processors_add_up()
    {
        InterruptCounts[] counts = [new(), new()];
        for (int i = 1; i <= 20; i++)
        {
            counts[i % 2].Sampled(64, i * 10_000);
            Returned(counts[i % 2], Profile, i * 10_000, (i * 10_000) + 80, 64);
        }

        var interrupt = new ProfileInterrupt();
        interrupt.Find(counts);
        Assert.Equal(new InterruptTotal(20, 1_600), interrupt.Total);
    }

    [Fact]
    public void The_samples_of_another_buffer_lie_elsewhere()
    {
        var counts = new InterruptCounts();
        for (int i = 1; i <= 20; i++)
        {
            counts.Sampled(64, (i * 10_000) + 5);
            Returned(counts, Profile, i * 10_000, (i * 10_000) + 80, 128);
        }

        Assert.Equal((20, 0), (counts.Counts[Profile].Runs, counts.Counts[Profile].RunsWithSample));
    }

    [Fact]
    public void Where_nothing_was_sampled_nothing_samples()
    {
        var counts = new InterruptCounts();
        for (int i = 1; i <= 20; i++)
        {
            Returned(counts, Device, i * 10_000, (i * 10_000) + 80, 0);
        }

        var interrupt = new ProfileInterrupt();
        interrupt.Find([counts]);
        Assert.False(interrupt.Is(Device));
    }

    private static void Returned(InterruptCounts counts, ulong routine, long from, long to, long buffer)
    {
        byte[] payload = [.. BitConverter.GetBytes(from), .. BitConverter.GetBytes(routine), 1, 0x61, 0, 0];
        Assert.True(EtlEvent.TryRead(MadeEvent.Kernel(KernelHook.Isr, 2, to, payload), 0, buffer, out EtlEvent traceEvent));
        counts.Returned(in traceEvent, to);
    }
}
