using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>Facts of real traces, against what their own samples say.</summary>
public class CorpusFactsTests
{
    /// <summary>
    /// A sample names its thread and hits code. Of the kernel's code in the second trace 50 samples hit one address of the hardware
    /// abstraction layer's own memory, which is no image's; of the users' most is compiled as it runs. The first trace was filtered to two
    /// processes.
    /// </summary>
    [Theory]
    [InlineData("filtrace-etw.etl", "busy 755, named 148, kernel 484/484, user 109/271, images 337/240, threads 31, processes 2")]
    [InlineData(
        "perfview-net.4.5.2.x64.etl",
        "busy 6215, named 6215, kernel 609/659, user 928/5556, images 1798/141, threads 671, processes 35")]
    public void Samples_of_real_traces_hit_images_of_named_processes(string name, string expected)
    {
        using EtlReader reader = EtlReader.Open(Path.Combine(RepositoryFiles.Corpus(), name));
        var sink = new Sink(TraceFacts.Read(reader));
        reader.Read(EtlOrder.Time, ref sink);
        Assert.Equal(expected, $"{sink}");
        Assert.Equal([10_000, 0], sink.Facts.SampleIntervals.Changes.Select(change => change.Interval100ns));
        Assert.Equal(0, sink.Facts.Dropped);
    }

    private struct Sink(TraceFacts facts) : IEtlEventSink
    {
        private int _kernel;
        private int _kernelHits;
        private int _busy;
        private int _named;
        private int _user;
        private int _userHits;

        public readonly TraceFacts Facts => facts;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.HookId != KernelHook.SampledProfile
                || !SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample)
                || sample.ThreadId == 0)
            {
                return true;
            }

            _busy++;
            uint? process = facts.Threads.ProcessOf(sample.ThreadId, traceEvent.TimestampTicks);
            _named += process is { } id && facts.Threads.NameOf(id, traceEvent.TimestampTicks) is not null ? 1 : 0;
            if (facts.Images.IsKernelAddress(sample.InstructionPointer))
            {
                _kernel++;
                _kernelHits += facts.Images.Find(sample.InstructionPointer, traceEvent.TimestampTicks) is null ? 0 : 1;
            }
            else
            {
                _user++;
                _userHits += facts.Images.FindUser(process ?? 0, sample.InstructionPointer, traceEvent.TimestampTicks) is null ? 0 : 1;
            }

            return true;
        }

        public override readonly string ToString() =>
            $"busy {_busy}, named {_named}, kernel {_kernelHits}/{_kernel}, user {_userHits}/{_user}, "
            + $"images {facts.Images.Images.Count}/{facts.Images.KernelImageCount}, threads {facts.Threads.Threads.Count}, "
            + $"processes {facts.Threads.Processes.Count}";
    }
}
