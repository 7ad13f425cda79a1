namespace Tracer.Etl.Tests;

public class NameTests
{
    [Theory]
    [InlineData("MySource", "a61ea624-4944-55fc-c2a8-37838829438d")] // Seen in real files.
    [InlineData("mysource", "a61ea624-4944-55fc-c2a8-37838829438d")]
    [InlineData("Tracer.Latency", "756a3088-fc63-5673-dad5-1a2bf23c1aa7")]
    public void A_provider_name_gives_its_id(string name, string id) => Assert.Equal(new Guid(id), ProviderIdFromName.Compute(name));

    [Theory]
    [InlineData(KernelGroup.Header, 0x00, "68fdd900-4a3e-11d1-84f4-0000f80464e3")]
    [InlineData(KernelGroup.Thread, 0x05, "3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c")]
    [InlineData(KernelGroup.SystemConfig, 0x0B, "01853a65-418f-4f36-aefc-dc0f1d2fd235")]
    [InlineData(KernelGroup.PerfInfo, 0x0F, "ce1dbfb4-137e-4da6-87b0-3f59aa102cbc")]
    [InlineData(KernelGroup.Image, 0x14, "2cb15d1d-5fc1-11d2-abe1-00a0c911f518")]
    [InlineData(KernelGroup.StackWalk, 0x18, "def2fe46-7bd6-4b80-bd94-f57fe20d0ce3")]
    public void A_kernel_group_has_its_number_and_class(KernelGroup group, byte number, string classId)
    {
        Assert.Equal(number, (byte)group);
        Assert.Equal(new Guid(classId), group.ClassId());
        Assert.Equal(group, KernelGroupClass.GroupOf(new Guid(classId)));
    }

    [Fact]
    public void Every_group_has_a_class_of_its_own()
    {
        KernelGroup[] groups = [.. Enum.GetValues<KernelGroup>().Where(group => group != KernelGroup.None)];
        Assert.Equal(0x1F, groups.Length);
        Every.Item(groups, group => Assert.Equal(group, KernelGroupClass.GroupOf(group.ClassId())));
    }

    [Fact]
    public void What_is_not_known_has_no_class_and_no_group()
    {
        Assert.Equal(Guid.Empty, KernelGroup.None.ClassId());
        Assert.Equal(Guid.Empty, ((KernelGroup)0x1F).ClassId());
        Assert.Equal(KernelGroup.None, KernelGroupClass.GroupOf(Guid.Empty));
        Assert.Equal(KernelGroup.None, KernelGroupClass.GroupOf(new Guid("b3e675d7-2554-4f18-830b-2762732560de")));
    }

    [Fact]
    public void A_header_to_write_knows_its_kind_by_its_pointers()
    {
        Assert.Equal(EtlHeaderKind.PerfInfo64, EtlEventHeader.PerfInfo(0x0F44, 2, 1).Kind);
        Assert.Equal(EtlHeaderKind.PerfInfo32, EtlEventHeader.PerfInfo(0x0F44, 2, 1, pointerBytes: 4).Kind);
        Assert.Equal(EtlHeaderKind.System32, EtlEventHeader.System(0x0301, 4, 1, 2, 3, pointerBytes: 4).Kind);
        Assert.Equal(EtlHeaderKind.Full32, EtlEventHeader.Full(Guid.Empty, 36, 2, 1, 2, 3, pointerBytes: 4).Kind);
        EtlEventHeader wakeup = EtlEventHeader.Event(new Guid("756a3088-fc63-5673-dad5-1a2bf23c1aa7"), 3, 0, 1, 2, 3) with { Channel = 11 };
        Assert.Equal((EtlHeaderKind.EventHeader64, 3, 11), (wakeup.Kind, wakeup.Id, wakeup.Channel));
        Assert.Equal((1L, 2u, 3u), (wakeup.TimestampTicks, wakeup.ProcessId, wakeup.ThreadId));
    }
}
