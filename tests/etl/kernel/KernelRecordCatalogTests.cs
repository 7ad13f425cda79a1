namespace Tracer.Etl.Tests.Kernel;

public class KernelRecordCatalogTests
{
    [Theory]
    [InlineData("0F2E", "PerfInfo", "SampledProfile")]
    [InlineData("0F42", "PerfInfo", "ThreadedDpc")]
    [InlineData("0F44", "PerfInfo", "Dpc")]
    [InlineData("0F45", "PerfInfo", "TimerDpc")]
    [InlineData("0F43", "PerfInfo", "Isr")]
    [InlineData("0F32", "PerfInfo", "IsrMsi")]
    [InlineData("0524", "Thread", "CSwitch")]
    [InlineData("0532", "Thread", "ReadyThread")]
    [InlineData("030A", "Image", "Load")]
    [InlineData("140A", "Image", "Load")]
    [InlineData("1402", "Image", "Unload")]
    [InlineData("0301", "Process", "Start")]
    [InlineData("1820", "StackWalk", "Stack")]
    [InlineData("0B13", "SystemConfig", "Unnamed19")]
    [InlineData("ImageId:36", "ImageId", "DbgIdRsds")]
    [InlineData("SystemConfigEx:35", "SystemConfigEx", "VolumeMapping")]
    [InlineData("EventMetadata:32", "EventMetadata", "EventInfo")]
    [InlineData("WinSat:33", "WinSat", "WinSpr")]
    [InlineData("Lost:33", "Lost", "Buffers")]
    public void Events_have_names(string name, string group, string recordName)
    {
        Assert.True(EtlEvent.TryRead(KnownRecords.Record(name, 2, 8, []), 0, 0, out EtlEvent traceEvent));
        KernelRecordClass? recordClass = KernelRecordCatalog.Find(in traceEvent, out string foundGroup, out string foundName);
        Assert.NotNull(recordClass);
        Assert.Equal((group, recordName), (recordClass.Group, recordClass.Name));
        Assert.Equal((group, recordName), (foundGroup, foundName));
    }

    [Theory]
    [InlineData("0FFE", "PerfInfo", "Opcode 0xfe")]
    [InlineData("1601", "CacheManager", "Opcode 0x01")]
    [InlineData("F344", "Group 0xf3", "Opcode 0x44")]
    [InlineData("FF44", "Group 0xff", "Opcode 0x44")]
    [InlineData("WinSat:34", "WinSat", "Opcode 0x22")]
    public void An_unknown_event_of_the_kernel_is_named_by_its_numbers(string name, string group, string recordName)
    {
        Assert.True(EtlEvent.TryRead(KnownRecords.Record(name, 2, 8, []), 0, 0, out EtlEvent traceEvent));
        Assert.Null(KernelRecordCatalog.Find(in traceEvent, out string foundGroup, out string foundName));
        Assert.Equal((group, recordName), (foundGroup, foundName));
    }

    [Fact]
    public void An_event_of_another_provider_is_not_the_kernels()
    {
        byte[] record = RecordLayout.Classic(new Guid("754cdd7a-fc63-5673-dad5-1a2bf23c1aa7"), 36, 2, 8, []);
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent traceEvent));
        Assert.Null(KernelRecordCatalog.Find(in traceEvent, out string group, out string name));
        Assert.Equal(("", ""), (group, name));
    }

    [Fact]
    public void A_classic_header_means_the_same_event_as_a_hook_id()
    {
        foreach ((ushort hook, KernelRecordClass recordClass) in
            from entry in KnownRecords.Catalog
            where !entry.Event.Contains(':')
            select (Convert.ToUInt16(entry.Event, 16), entry.Class))
        {
            Guid classId = ((KernelGroup)(hook >> 8)).ClassId();
            Assert.Same(recordClass, KernelRecordCatalog.FindClassic(in classId, (byte)hook));
        }
    }

    [Fact]
    public void A_classic_record_of_a_32_bit_program_is_read()
    {
        // MOF Image_V1_Load: version 1 with 4-byte pointers: ImageBase, ImageSize, ProcessId, FileName.
        byte[] payload = Convert.FromHexString("000040000010000005000000" + "61002E00640000000000");
        byte[] record = RecordLayout.Classic(KernelGroup.Image.ClassId(), 10, 1, 4, payload);
        Assert.True(EtlEvent.TryRead(record, 0, 0, out EtlEvent traceEvent));
        Assert.True(ImageRecord.TryRead(in traceEvent, out ImageRecord image));
        Assert.Equal((0x400000UL, 0x1000UL, 5u), (image.ImageBase, image.ImageSize, image.ProcessId));
        Assert.Equal("61002E006400", Convert.ToHexString(image.FileName));
        Assert.Equal((null, null), (image.TimeDateStamp, image.DefaultBase));
    }

    [Fact]
    public void An_event_without_a_known_layout_has_no_fields()
    {
        Assert.Equal("", KnownRecords.Fields("0B13", 2, 8, [1, 2, 3]));
        Assert.Equal("", KnownRecords.Fields("0008", 2, 8, []));
    }

    [Theory]
    [InlineData("0F2E", 2, 8, true)] // Seen in real files.
    [InlineData("0F2E", 2, 4, false)] // No layout with 4-byte pointers was seen but for two.
    [InlineData("0F2E", 1, 8, false)]
    [InlineData("0F2E", 3, 8, false)] // Not seen yet.
    [InlineData("0F44", 2, 8, true)]
    [InlineData("0F44", 1, 8, false)]
    [InlineData("0F44", 2, 4, false)]
    [InlineData("0F46", 2, 8, false)] // Read in sources only.
    [InlineData("0F43", 2, 8, true)]
    [InlineData("0F5F", 2, 8, false)]
    [InlineData("0524", 5, 8, true)]
    [InlineData("0524", 4, 8, true)] // Seen in the unit tests of snail-server.
    [InlineData("0524", 3, 8, false)]
    [InlineData("0524", 2, 8, true)]
    [InlineData("0501", 3, 8, true)]
    [InlineData("0501", 2, 8, false)]
    [InlineData("0301", 4, 8, true)]
    [InlineData("0301", 3, 8, true)]
    [InlineData("0301", 2, 8, false)]
    [InlineData("030A", 3, 8, true)]
    [InlineData("030A", 1, 8, false)]
    [InlineData("0F49", 3, 8, true)]
    [InlineData("0F49", 2, 8, true)]
    [InlineData("0F49", 1, 8, false)]
    [InlineData("0000", 2, 4, true)] // Both forms are in real files.
    [InlineData("0B17", 2, 4, true)]
    [InlineData("0B16", 5, 8, true)]
    [InlineData("1823", 2, 8, true)]
    [InlineData("1822", 2, 8, false)]
    [InlineData("060F", 2, 8, true)]
    [InlineData("060C", 2, 8, false)]
    [InlineData("0B13", 2, 8, false)]
    [InlineData("ImageId:36", 2, 8, true)]
    [InlineData("ImageId:34", 2, 8, false)]
    public void Only_layouts_seen_on_real_bytes_are_confirmed(string name, int version, int pointerBytes, bool confirmed)
    {
        KernelRecordClass recordClass = KnownRecords.Catalog.Single(entry => entry.Event == name).Class;
        Assert.Equal(confirmed, recordClass.IsConfirmed(version, pointerBytes));
    }
}
