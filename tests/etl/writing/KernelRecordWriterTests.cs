using Tracer.Etl.Decoding;
using RecordLayout = Tracer.Etl.Tests.Kernel.RecordLayout;

namespace Tracer.Etl.Tests.Writing;

/// <summary>Records that are written from the rows that read them, against typed bytes; and rows that make no layout.</summary>
public class KernelRecordWriterTests
{
    private readonly byte[] _room = [.. Enumerable.Repeat((byte)0xEE, 200)];

    private delegate void Filling(ref KernelRecordWriter record);

    [Theory]
    [InlineData(0, "01000000 02000000 03000000 04000000 0500000000000000 <8>")]
    [InlineData(1, "01000000 02000000 03000000 04000000 0500000000000000 <8> 0600000000000000")]
    [InlineData(2, "01000000 02000000 03000000 04000000 0500000000000000 <8> <9> 0600000000000000")]
    [InlineData(3, "01000000 02000000 03000000 04000000 0500000000000000 <8> <9> 0600000000000000 07000000")]
    public void Fields_that_a_version_lacks_are_left_out(int version, string layout) =>
        AssertWritten(IoLayouts.DiskTransfer, version, layout, (ref record) =>
        {
            record.Put("DiskNumber", 1);
            record.Put("IrpFlags", 2);
            record.Put("TransferSize", 3);
            record.Put("ResponseTime", 4);
            record.Put("ByteOffset", 5);
            record.Put("FileObject", 8);
            record.Put("Irp", 9);
            record.Put("HighResResponseTime", 6);
            record.Put("IssuingThreadId", 7);
        });

    [Fact]
    public void Reserved_bytes_and_the_rest_of_texts_are_zero() => AssertWritten(
        MachineLayouts.LogicalDisk,
        2,
        "0100000000000000 0200000000000000 03000000 04000000 05000000 w4:C:\\ z4 06000000 07000000 08000000 z4 0900000000000000 "
            + "0a00000000000000 w16:NTFS 0b000000 z4",
        (ref record) =>
        {
            record.Put("StartOffset", 1);
            record.Put("PartitionSize", 2);
            record.Put("DiskNumber", 3);
            record.Put("Size", 4);
            record.Put("DriveType", 5);
            record.Put("DriveLetter", "C:\\more than fits");
            record.Put("PartitionNumber", 6);
            record.Put("SectorsPerCluster", 7);
            record.Put("BytesPerSector", 8);
            record.Put("FreeClusters", 9);
            record.Put("TotalClusters", 10);
            record.Put("FileSystem", "NTFS");
            record.Put("VolumeExt", 11);
        });

    [Fact]
    public void Texts_end_with_a_nul_and_more_may_be_appended()
    {
        AssertWritten(MachineLayouts.SystemPaths, 0, "w:\u00e4b w: z2", (ref record) =>
        {
            record.Put("SystemDirectory", "\u00e4b");
            record.Put("SystemWindowsDirectory", "");
            record.Append(2);
        });
        AssertWritten(HeaderLayouts.BuildInfo, 2, "a:9200\u00e4", (ref record) => record.Put("BuildLab", "9200\u00e4"));
    }

    [Fact]
    public void A_list_has_its_count_and_its_elements()
    {
        AssertWritten(MachineLayouts.NumaNode, 2, "02000000 0f00000000000000 0000 z6 f000000000000000 0100 z6", (ref record) =>
        {
            record.BeginList("Nodes", 2);
            record.Put("Mask", 0x0F);
            record.Put("Group", 0);
            record.Put("Mask", 0xF0);
            record.Put("Group", 1);
        });
        AssertWritten(MachineLayouts.ProcessorGroup, 2, "01000000 <15>", (ref record) =>
        {
            record.BeginList("Affinities", 1);
            record.Put("", 15);
        });
        AssertWritten(MachineLayouts.ProcessorGroup, 2, "00000000", (ref record) => record.BeginList("Affinities", 0));
        AssertWritten(HeaderLayouts.ProviderBinaryPath, 2, "00000000 w:a", (ref record) =>
        {
            record.BeginList("Guids", 0);
            record.Put("BinaryPath", "a");
        });
    }

    [Fact]
    public void A_record_that_is_not_as_its_layout_says_is_refused()
    {
        AssertRefused(ThreadLayouts.Priority, (ref record) => record.Put("Old", 1));
        AssertRefused(ThreadLayouts.Priority, (ref record) => record.Put("ThreadId", "1"));
        AssertRefused(ThreadLayouts.Priority, (ref record) => record.Put("ThreadId", 1));
        AssertRefused(MachineLayouts.SystemPaths, (ref record) => record.Put("SystemDirectory", 1));
        AssertRefused(MachineLayouts.SystemPaths, (ref record) => record.Put("SystemDirectory", new string('a', 100)));
        AssertRefused(MachineLayouts.ProcessorGroup, (ref record) => record.BeginList("Affinities", 1));
        AssertRefused(HeaderLayouts.KernelBase, (ref record) =>
        {
            record.Put("KernelBase", 1);
            record.Put("KernelBase", 1);
        });
    }

    [Fact]
    public void Fields_stand_where_their_offset_is_known()
    {
        KernelField text = KernelField.Wide("Text");
        KernelField list = KernelField.List("List", KernelField.U8(""));
        Assert.Throws<ArgumentException>(() => new KernelLayout(text, KernelField.U32("Number")));
        Assert.Throws<ArgumentException>(() => new KernelLayout(text, list));
        Assert.Throws<ArgumentException>(() => new KernelLayout(list, list));
        Assert.Equal(3, new KernelLayout(KernelField.U32("Number"), list, text).Fields.Length);
    }

    [Fact]
    public void Writing_a_row_and_reading_it_allocates_nothing()
    {
        byte[] record = RecordLayout.PerfInfo(0x010A, 3, 8, WriteTransfer());
        var sink = new CountingSink();
        WriteAndRead(record, sink, 100); // Compiled before it is measured.

        // What the runtime allocates when it compiles a method anew counts for the thread that runs it, once.
        Assert.Equal(0, Enumerable.Range(0, 3).Min(_ =>
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            WriteAndRead(record, sink, 10_000);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }));
        Assert.Equal(9 * 30_100, sink.Fields);
    }

    private ReadOnlySpan<byte> WriteTransfer()
    {
        var record = new KernelRecordWriter(IoLayouts.DiskTransfer, 3, 8, _room);
        record.Put("DiskNumber", 1);
        record.Put("IrpFlags", 2);
        record.Put("TransferSize", 3);
        record.Put("ResponseTime", 4);
        record.Put("ByteOffset", 5);
        record.Put("FileObject", 6);
        record.Put("Irp", 7);
        record.Put("HighResResponseTime", 8);
        record.Put("IssuingThreadId", 9);
        return record.Written;
    }

    private void WriteAndRead(byte[] record, CountingSink sink, int times)
    {
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent traceEvent));
        for (int i = 0; i < times; i++)
        {
            Assert.True(traceEvent.Payload.Length == WriteTransfer().Length);
            Assert.True(KernelRecordCatalog.Find(in traceEvent)!.WriteFields(in traceEvent, sink));
        }
    }

    private void AssertWritten(KernelLayout layout, int version, string bytes, Filling fill)
    {
        foreach (int pointerBytes in new[] { 8, 4 })
        {
            var record = new KernelRecordWriter(layout, version, pointerBytes, _room);
            fill(ref record);
            Assert.Equal(RecordLayout.Payload(bytes, pointerBytes), record.Written.ToArray());
        }
    }

    private void AssertRefused(KernelLayout layout, Filling fill) => Assert.Throws<ArgumentException>(() =>
    {
        var record = new KernelRecordWriter(layout, 3, 8, _room);
        fill(ref record);
        return record.Written.Length;
    });

    private sealed class CountingSink : IFieldSink
    {
        public int Fields { get; private set; }

        public void Field(string name, in FieldValue value) => Fields++;

        public void BeginStruct(string name) => Fields++;

        public void EndStruct() => Fields++;

        public void BeginArray(string name) => Fields++;

        public void EndArray() => Fields++;
    }
}
