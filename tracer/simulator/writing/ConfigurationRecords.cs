using Tracer.Etl.Kernel;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>Records about the machine's configuration, which a session writes when it is stopped.</summary>
internal sealed class ConfigurationRecords(MachineInventory machine, SessionController controller)
{
    private const ushort InterruptLine = 0x0B15;
    private const ushort Device = 0x0B16;
    private const uint DeviceStarted = 0x0180_200A;

    private static readonly Guid MoreConfiguration = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0");

    public IEnumerable<MachineRecord> All() => [.. Machine(), .. Topology(), .. Disks(), .. Adapters(), .. Devices()];

    /// <summary>What whoever merges files adds: build and folders.</summary>
    public IEnumerable<MachineRecord> Merged()
    {
        WindowsBuild build = machine.Build;
        int volume = (int)new RandomSequence(machine.Seed, "volume").Between(1, 4);
        yield return controller.Full(MoreConfiguration, 32, MachineLayouts.SystemBuild, (ref p) =>
        {
            p.Put("InstallDate", 132_000_000_000_000_000);
            p.Put("BuildLab", $"{build.Number}.1.{(machine.IsArm64 ? "arm64" : build.PointerBytes == 8 ? "amd64" : "x86")}fre.release");
            p.Put("ProductName", build.Name);
        });
        yield return controller.Full(MoreConfiguration, 33, MachineLayouts.SystemPaths, (ref p) =>
        {
            p.Put("SystemDirectory", @"C:\Windows\system32");
            p.Put("SystemWindowsDirectory", @"C:\Windows");
        });
        (string Nt, string Dos)[] mappings =
            [(@"\SystemRoot\", @"C:\Windows\"), ($@"\Device\HarddiskVolume{volume}\", @"C:\"), (@"\??\", "")];
        foreach ((string nt, string dos) in mappings)
        {
            yield return controller.Full(MoreConfiguration, 35, 0, 0, sharesTime: false, (ref p) =>
            {
                p.Utf16(nt);
                p.Utf16(dos);
            });
        }
    }

    private IEnumerable<MachineRecord> Machine()
    {
        MachineHardware hardware = machine.Hardware;
        byte version = (byte)(machine.Build.IsModern ? 3 : 2);
        yield return controller.System(KernelHook.SystemConfigCpu, version, (ref p) =>
        {
            p.UInt32(hardware.Mhz);
            p.UInt32((uint)machine.CpuCount);
            p.UInt32(hardware.MemoryMb);
            p.UInt32(4096);
            p.UInt32(65_536);
            p.FixedUtf16(hardware.ComputerName, 256);
            p.FixedUtf16("WORKGROUP", 134);
            p.Pointer(0);
            if (version >= 3)
            {
                p.Pointer(machine.Build.PointerBytes == 8 ? 0x7FFF_FFFE_FFFFUL : 0x7FFE_FFFFUL);
                p.UInt16((ushort)ArchitectureOf(machine));
                p.UInt16((ushort)(machine.IsArm64 ? 8 : 6));
                p.UInt16((ushort)(machine.IsArm64 ? 0x0201 : 0x9E0A));
                p.UInt8(1);
                p.UInt8(1);
                p.UInt32(3200);
            }
        });
        yield return controller.System(0x0B10, 2, MachineLayouts.PowerCapability, (ref p) =>
        {
            p.Put("S1", 0);
            p.Put("S2", 0);
            p.Put("S3", machine.HasModernStandby ? 0u : 1);
            p.Put("S4", 1);
            p.Put("S5", 1);
            p.Put("AoAc", machine.HasModernStandby ? 1u : 0);
        });
        yield return controller.PerfInfo(0x0B11, 2, MachineLayouts.NetworkParameters, (ref p) =>
        {
            p.Put("TcbTablePartitions", 4);
            p.Put("MaxHashTableSize", 512);
            p.Put("MaxUserPort", 65_534);
            p.Put("TcpTimedWaitDelay", 120);
        });
        yield return controller.System(0x0B19, 2, MachineLayouts.Platform, (ref p) =>
        {
            p.Put("Manufacturer", hardware.Manufacturer);
            p.Put("Product", hardware.Product);
            p.Put("BiosDate", "03/14/2022");
            p.Put("BiosVersion", hardware.FirmwareVersion);
        });
    }

    private IEnumerable<MachineRecord> Topology()
    {
        int groups = ProcessorGroups.Count(machine.CpuCount);
        yield return controller.PerfInfo(0x0B18, 2, MachineLayouts.NumaNode, (ref p) =>
        {
            p.BeginList("Nodes", groups);
            for (int group = 0; group < groups; group++)
            {
                p.Put("Mask", Mask(group));
                p.Put("Group", (ulong)group);
            }
        });
        if (machine.Build.Number < 7600)
        {
            yield break;
        }

        yield return controller.PerfInfo(0x0B1A, 2, MachineLayouts.ProcessorGroup, (ref p) =>
        {
            p.BeginList("Affinities", groups);
            for (int group = 0; group < groups; group++)
            {
                p.Put("", Mask(group));
            }
        });
        yield return controller.PerfInfo(0x0B1B, 2, (ref p) =>
        {
            p.UInt32((uint)machine.CpuCount);
            for (int cpu = 0; cpu < machine.CpuCount; cpu++)
            {
                p.UInt16((ushort)ProcessorGroups.Of(cpu));
                p.UInt8((byte)ProcessorGroups.NumberOf(cpu));
                p.UInt8(0);
            }
        });
        for (int cpu = 0; machine.Build.IsModern && cpu < machine.CpuCount; cpu++)
        {
            uint index = (uint)cpu;
            yield return controller.System(KernelHook.SystemConfigProcessor, 2, (ref p) =>
            {
                p.UInt32(index);
                p.UInt32(0xA18B_FFFF);
                p.UInt32(machine.Hardware.Mhz);
                p.FixedUtf16(machine.Hardware.ProcessorName, 64);
                p.FixedUtf16(machine.Hardware.ProcessorIdentifier, 128);
                p.FixedUtf16(machine.Hardware.ProcessorVendor, 16);
            });
        }
    }

    private IEnumerable<MachineRecord> Disks()
    {
        MachineHardware hardware = machine.Hardware;
        const uint BytesPerSector = 512;
        const uint Sectors = 63;
        const uint Tracks = 255;
        yield return controller.System(KernelHook.SystemConfigPhysicalDisk, 2, (ref p) =>
        {
            p.UInt32(0);
            p.UInt32(BytesPerSector);
            p.UInt32(Sectors);
            p.UInt32(Tracks);
            p.Int64(hardware.DiskBytes / (BytesPerSector * Sectors * Tracks));
            p.Zeros(16);
            p.FixedUtf16(hardware.DiskModel, 256);
            p.UInt32(3);
            p.UInt8(1);
            p.UInt8(0);
            p.FixedUtf16("C:", 3);
            p.Zeros(4);
        });
        const uint BytesPerCluster = 4096;
        yield return controller.System(0x0B0C, 2, MachineLayouts.LogicalDisk, (ref p) =>
        {
            ulong bytes = (ulong)hardware.DiskBytes;
            p.Put("StartOffset", 1024 * 1024);
            p.Put("PartitionSize", bytes);
            p.Put("DiskNumber", 0);
            p.Put("Size", bytes / (1024 * 1024));
            p.Put("DriveType", 3);
            p.Put("DriveLetter", "C:");
            p.Put("PartitionNumber", 2);
            p.Put("SectorsPerCluster", BytesPerCluster / BytesPerSector);
            p.Put("BytesPerSector", BytesPerSector);
            p.Put("FreeClusters", bytes / BytesPerCluster / 3);
            p.Put("TotalClusters", bytes / BytesPerCluster);
            p.Put("FileSystem", "NTFS");
            p.Put("VolumeExt", 0);
        });
    }

    private IEnumerable<MachineRecord> Adapters()
    {
        MachineHardware hardware = machine.Hardware;
        yield return controller.System(KernelHook.SystemConfigNetworkAdapter, 2, (ref p) =>
        {
            p.UInt64(hardware.NetworkAddress);
            p.UInt32(6);
            p.UInt32(4);
            p.UInt32(4);
            p.Utf16(machine.DeviceOf(ImageRole.NetworkMiniport)?.Description ?? "");
            p.Utf16("192.168.1.20;fe80::1c5f:2ab:9d10:44aa;");
            p.Utf16("192.168.1.1;");
        });
        yield return controller.System(KernelHook.SystemConfigVideoAdapter, 2, (ref p) =>
        {
            p.UInt32(hardware.VideoMemoryBytes);
            p.UInt32(1920);
            p.UInt32(1080);
            p.UInt32(32);
            p.UInt32(60);
            p.FixedUtf16(hardware.VideoChip, 256);
            p.FixedUtf16("Internal DAC", 256);
            p.FixedUtf16(machine.DeviceOf(ImageRole.DisplayMiniport)?.Description ?? "", 256);
            p.FixedUtf16("", 256);
            p.FixedUtf16(machine.DeviceOf(ImageRole.DisplayMiniport)?.InstanceId ?? "", 256);
            p.UInt32(1);
        });
    }

    private IEnumerable<MachineRecord> Devices()
    {
        foreach (InventoryDevice device in machine.Devices)
        {
            if (device.InterruptLine is int line)
            {
                yield return controller.System(InterruptLine, 3, MachineLayouts.InterruptLine, (ref p) =>
                {
                    p.Put("IRQAffinity", Mask(0));
                    p.Put("IRQGroup", 0);
                    p.Put("IRQNum", (ulong)line);
                    p.Put("DescriptionLen", (ulong)device.InstanceId.Length + 1);
                    p.Put("Description", device.InstanceId);
                });
            }

            byte version = (byte)(machine.Build.IsModern ? 5 : 4);
            yield return controller.System(Device, version, (ref p) =>
            {
                p.Guid(device.ClassId);
                p.UInt32((uint)device.UpperFilters.Count);
                p.UInt32(0);
                if (version >= 5)
                {
                    p.UInt32(DeviceStarted);
                    p.UInt32(0);
                }

                p.Utf16(device.InstanceId);
                p.Utf16(device.Description);
                p.Utf16(device.FriendlyName);
                p.Utf16(device.ObjectName);
                p.Utf16(device.Driver.ServiceName);
                foreach (string filter in device.UpperFilters)
                {
                    p.Utf16(filter);
                }
            });
        }
    }

    private static ProcessorArchitecture ArchitectureOf(MachineInventory machine) =>
        machine.IsArm64 ? ProcessorArchitecture.Arm64
        : machine.Build.PointerBytes == 8 ? ProcessorArchitecture.X64 : ProcessorArchitecture.X86;

    private ulong Mask(int group) => ProcessorGroups.MaskOf(machine.CpuCount, group);
}
