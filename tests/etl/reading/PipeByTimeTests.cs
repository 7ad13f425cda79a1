using System.IO.Pipes;
using Tracer.Etl.Kernel;

namespace Tracer.Etl.Tests.Reading;

/// <summary>What can be read once only is copied before it is read in another order than that of the file.</summary>
public class PipeByTimeTests
{
    private const long Start = 133_000_000_000_000_000;

    [Fact]
    public void A_pipe_is_read_by_time_as_a_file_is()
    {
        byte[] trace = Trace();
        using var pipe = new AnonymousPipeServerStream(PipeDirection.Out);
        using var end = new AnonymousPipeClientStream(PipeDirection.In, pipe.ClientSafePipeHandle);
        var writing = new Thread(() =>
        {
            pipe.Write(trace);
            pipe.Dispose();
        });
        writing.Start();

        Times fromPipe = ByTime(EtlReader.Open(end));
        writing.Join();
        Times fromFile = ByTime(EtlReader.Open(new MemoryStream(trace)));

        Assert.Equal(fromFile.All, fromPipe.All);
        Assert.Equal(fromFile.All.Order(), fromPipe.All);
    }

    private static Times ByTime(EtlReader reader)
    {
        using (reader)
        {
            var times = new Times { All = [] };
            Assert.True(reader.Read(EtlOrder.Time, ref times));
            return times;
        }
    }

    private static byte[] Trace()
    {
        var stream = new MemoryStream();
        EtlFileHeader header = new()
        {
            Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 1000, Start),
            ProcessorCount = 2,
            BufferBytes = 4096,
        };
        using (EtlWriter writer = EtlWriter.Create(stream, header, leaveOpen: true))
        {
            for (int i = 0; i < 1000; i++)
            {
                writer.Write(i % 2, EtlEventHeader.PerfInfo(KernelHook.Dpc, 2, 2000 + i), new byte[16]);
            }

            writer.Complete(Start + 10_000);
        }

        return stream.ToArray();
    }

    private struct Times : IEtlEventSink
    {
        public List<long> All;

        public readonly bool OnEvent(scoped in EtlEvent traceEvent)
        {
            All.Add(traceEvent.TimestampTicks);
            return true;
        }
    }
}
