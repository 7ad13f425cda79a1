namespace Tracer.Etl.Tests.Reading;

/// <summary>Nothing is allocated per event, and what is held does not grow with the file.</summary>
[Collection(Alone.Name)]
[Trait("Speed", "slow")]
public class AllocationTests
{
    /// <summary>
    /// What one reading may allocate however many events there are: blocks for a buffer and its events for each CPU, a window, tables.
    /// </summary>
    private const long OneReading = 4 * 1024 * 1024;

    /// <summary>By CPU and time an index is made once: 24 bytes for a buffer, in lists that double.</summary>
    private const long IndexedBuffer = 64;

    private static readonly EtlOrder[] Orders = Enum.GetValues<EtlOrder>();

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public void Reading_allocates_nothing_per_event(bool compress, bool inversions)
    {
        var shape = new TraceShape { Cpus = 4, BufferBytes = 65_536, Compress = compress, Inversions = inversions };
        using var few = new MemoryStream(WrittenTrace.Of(shape with { Events = 50_000 }));
        using var many = new MemoryStream(WrittenTrace.Of(shape with { Events = 300_000 }));
        using EtlReader fewReader = EtlReader.Open(few);
        using EtlReader manyReader = EtlReader.Open(many);
        foreach (EtlOrder order in Orders)
        {
            long ofFew = Allocated(fewReader, order, 50_001);
            long ofMany = Allocated(manyReader, order, 300_001);
            Assert.InRange(ofFew, 0, OneReading);
            Assert.InRange(ofMany, 0, OneReading);

            // By now blocks are as large as they get and the index is there: only objects of the reading itself are left,
            // and the blocks of the buffers that are open, which by time are a few more or less.
            long again = Allocated(manyReader, order, 300_001);
            long againFew = Allocated(fewReader, order, 50_001);
            Assert.True(
                again <= againFew + (1024 * 1024), $"{order}: {again} bytes for 300,000 events, {againFew} bytes for 50,000");
            Assert.InRange(ofMany - ofFew, long.MinValue, (many.Length / shape.BufferBytes * IndexedBuffer) + (1024 * 1024));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_is_held_does_not_grow_with_the_file(bool compress)
    {
        string path = Path.GetTempFileName();
        try
        {
            long heldOfSmall = Held(path, compress, 8);
            long heldOfLarge = Held(path, compress, 32);
            Assert.InRange(heldOfSmall, 0, OneReading);
            Assert.InRange(heldOfLarge, 0, OneReading);
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static long Allocated(EtlReader reader, EtlOrder order, long events)
    {
        var sink = new TypedSink();
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.True(reader.Read(order, ref sink));
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.Equal(events, sink.Events);
        Assert.InRange(sink.Records, events / 2, events);
        return allocated;
    }

    /// <summary>The most that the heap grows while a file of so many MiB of events is read, in orders of the file and of time.</summary>
    private static long Held(string path, bool compress, int megabytes)
    {
        using (FileStream stream = File.Create(path))
        {
            WrittenTrace.Write(stream, new TraceShape
            {
                Cpus = 8,
                BufferBytes = 65_536,
                Compress = compress,
                Events = megabytes * 25_000,
            });
        }

        long most = 0;
        foreach (EtlOrder order in (EtlOrder[])[EtlOrder.File, EtlOrder.Time])
        {
            long before = GC.GetTotalMemory(forceFullCollection: true);
            using EtlReader reader = EtlReader.Open(path);
            var sink = new WatchingSink { Before = before };
            Assert.True(reader.Read(order, ref sink));
            most = Math.Max(most, sink.Most);
        }

        return most;
    }

    private struct TypedSink : IEtlEventSink
    {
        public long Events { get; private set; }

        public long Records { get; private set; }

        public ulong Sum { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            if (DpcRecord.TryRead(traceEvent, out DpcRecord dpc))
            {
                Records++;
                Sum += dpc.Routine;
            }
            else if (ContextSwitchRecord.TryRead(traceEvent, out ContextSwitchRecord contextSwitch))
            {
                Records++;
                Sum += contextSwitch.NewThreadId;
            }

            return true;
        }
    }

    /// <summary>Looks at the heap at times, after a collection.</summary>
    private struct WatchingSink : IEtlEventSink
    {
        private int _events;

        public long Before { get; init; }

        public long Most { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (++_events % 200_000 == 0)
            {
                Most = Math.Max(Most, GC.GetTotalMemory(forceFullCollection: true) - Before);
            }

            return true;
        }
    }
}
