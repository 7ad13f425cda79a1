using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

/// <summary>From a driver's file to the devices it runs.</summary>
public class DriverDevicesTests
{
    private static readonly Guid Net = new("4d36e972-e325-11ce-bfc1-08002be10318");

    [Fact]
    public void The_service_of_a_device_is_the_stem_of_its_driver()
    {
        DriverDevices devices = Devices(
            Device(Net, "Ethernet adapter", "Vendor NIC #2", "nicDrv", ["watch"]),
            Device(Net, "Ethernet adapter", "", "NICDRV", []),
            Device(Net, "Other", "Other NIC", "other", []),
            Device(Guid.NewGuid(), "Nameless", "", "", []),
            MadeEvent.Kernel(0x0B16, 5, 1, new byte[31]));
        Assert.Equal("Ethernet adapter, Vendor NIC #2", devices.DeviceOf("NicDrv.sys"));
        Assert.Equal("Vendor NIC #2", devices.DeviceOf("watch.sys"));
        Assert.Null(devices.DeviceOf("unknown.sys"));
        Assert.Equal(["NICDRV", "other"], devices.ServicesOfClass(Net));
        Assert.Empty(devices.ServicesOfClass(Guid.Empty));
        Assert.Equal(1, devices.Dropped);
    }

    [Fact]
    public void The_index_of_a_processor_is_group_and_number()
    {
        DriverDevices devices = Devices(MadeEvent.Kernel(0x0B1B, 2, 1, MadeEvent.Numbers(2, 0x0005_0001, 0x0006_0001)));
        Assert.Equal(((ushort)1, (byte)5), devices.ProcessorOf(0));
        Assert.Equal(((ushort)1, (byte)6), devices.ProcessorOf(1));
        Assert.Equal(((ushort)1, (byte)1), devices.ProcessorOf(65));
        Assert.Equal((1, -1), (devices.IndexOf(2, 1, 6), devices.IndexOf(2, 0, 6)));
    }

    [Theory]
    [InlineData(64, true)]
    [InlineData(65, false)]
    public void Without_a_record_a_group_has_64_processors(int processors, bool isOne) =>
        Assert.Equal(isOne, new DriverDevices().HasOneGroup(processors));

    /// <summary>A machine of two processors may have two groups: it is told by the record, not by how many there are.</summary>
    [Theory]
    [InlineData(0x0001_0000u, true)]
    [InlineData(0x0000_0001u, false)]
    public void The_record_tells_the_groups(uint second, bool isOne) => Assert.Equal(
        isOne, Devices(MadeEvent.Kernel(0x0B1B, 2, 1, MadeEvent.Numbers(2, 0, second))).HasOneGroup(1));

    [Fact]
    public void A_real_machine_has_a_network_adapter_and_its_driver()
    {
        using EtlReader reader = EtlReader.Open(Path.Combine(RepositoryFiles.Corpus(), "perfview-net.4.5.2.x64.etl"));
        TraceFacts facts = TraceFacts.Read(reader);
        Assert.Contains(facts.Devices.ServicesOfClass(Net), service => facts.Images.TryFindByName($"{service}.sys", out _));
    }

    private static byte[] Device(Guid classId, string description, string friendly, string service, string[] upperFilters) =>
        MadeEvent.Kernel(0x0B16, 5, 1,
        [
            .. classId.ToByteArray(), .. MadeEvent.Numbers((uint)upperFilters.Length, 0, 0, 0),
            .. MadeEvent.Text("ID"), .. MadeEvent.Text(description), .. MadeEvent.Text(friendly), .. MadeEvent.Text("pdo"),
            .. MadeEvent.Text(service), .. upperFilters.SelectMany(MadeEvent.Text),
        ]);

    private static DriverDevices Devices(params byte[][] records)
    {
        var devices = new DriverDevices();
        foreach (byte[] record in records)
        {
            MadeEvent.Give(record, devices.Add);
        }

        devices.Complete();
        return devices;
    }
}
