using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Tests;

/// <summary>What holds for the parts of every machine.</summary>
public class MachineInventoryTests
{
    public static TheoryData<ulong, int> Machines
    {
        get
        {
            var data = new TheoryData<ulong, int>();
            for (ulong seed = 1; seed <= 12; seed++)
            {
                data.Add(seed, 1 + (int)(seed % 4));
            }

            data.Add(1, 128);
            return data;
        }
    }

    [Fact]
    public void The_same_seed_gives_the_same_machine_and_another_one_another()
    {
        Assert.Equal(Describe(new MachineInventory(5)), Describe(new MachineInventory(5)));
        Assert.NotEqual(Describe(new MachineInventory(5)), Describe(new MachineInventory(6)));
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Modules_lie_on_pages_of_kernel_space_and_never_over_each_other(ulong seed, int cpus)
    {
        var machine = new MachineInventory(seed, new InventoryOptions { Cpus = cpus });
        ulong end = 0;
        foreach (SimulatedImage module in machine.Modules.OrderBy(module => module.Base))
        {
            Assert.Equal(0UL, module.Base % 4096);
            Assert.True(module.Base >= end);
            Assert.NotEqual(0UL, module.Base >> ((8 * machine.Build.PointerBytes) - 1));
            end = module.Base + module.Bytes;
        }

        Assert.True(machine.Build.PointerBytes == 8 || end <= uint.MaxValue);
        Assert.Equal("ntoskrnl.exe", machine.Modules[0].FileName);
        Assert.Equal(machine.Modules.Count, machine.Modules.Select(module => module.FileName.ToUpperInvariant()).Distinct().Count());
    }

    /// <summary>Before Windows 11 a program's threads are in one group; the mask of each is of the group that it is in.</summary>
    [Theory]
    [InlineData("Windows 10 22H2", false)]
    [InlineData("Windows 11 22H2", true)]
    public void Programs_use_one_group_of_processors_or_all(string build, bool isAcross)
    {
        var machine = new MachineInventory(
            3, new InventoryOptions { Cpus = 96, Build = WindowsBuild.All.Single(one => one.Name == build) });
        UInt128[] all = [.. machine.Processes.Where(process => process.Images.Count > 0).Select(machine.CpusOf).Distinct()];
        UInt128 first = ulong.MaxValue;
        UInt128[] expected = isAcross ? [UInt128.MaxValue] : [first, first << 64];
        Assert.Equal(expected, all.Order());
        Assert.Equal(UInt128.MaxValue, machine.CpusOf(machine.SystemProcess));
        Assert.Equal(
            [0xFFFF_FFFFUL, ulong.MaxValue],
            machine.Processes.SelectMany(process => process.Threads).Select(thread => thread.Affinity).Distinct().Order());
        InventoryThread bound = machine.AddThread(machine.Process("cmd.exe"), 9, affinity: UInt128.One << 70);
        Assert.Equal(1UL << 6, bound.Affinity);
    }

    [Theory]
    [InlineData(4)]
    [InlineData(9)]
    public void ARM64_has_instructions_of_four_bytes_and_its_own_drivers(ulong seed)
    {
        var machine = new MachineInventory(
            seed, new InventoryOptions { Cpus = 12, Build = WindowsBuild.All[^1], Profile = MachineProfile.Arm64, IsInUse = true });
        var random = new RandomSequence(seed, "test");
        Every.Item(machine.Modules, module =>
        {
            Assert.Equal(0UL, module.ReturnInto("Routine") % 4);
            Assert.Equal(0UL, module.Anywhere(random) % 4);
            Assert.InRange(module.Inside("Routine", random) - module.Routine("Routine"), 4UL, SimulatedImage.RoutineBytes - 4UL);
        });
        Assert.Equal("qcwlanhmt8380.sys", machine[ImageRole.NetworkMiniport].FileName);
        string[] names = [.. machine.Modules.Select(module => module.FileName)];
        Assert.DoesNotContain("intelppm.sys", names);
        Assert.DoesNotContain("i8042prt.sys", names);
        Assert.Equal(names.Length, names.Distinct(StringComparer.OrdinalIgnoreCase).Count());
        Assert.StartsWith("ARMv8", machine.Hardware.ProcessorIdentifier, StringComparison.Ordinal);
        Assert.All(new StackBuilder(machine, random).Idle(), frame => Assert.Equal(0UL, frame % 4));
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Ids_are_multiples_of_four_below_64k_and_used_once(ulong seed, int cpus)
    {
        var machine = new MachineInventory(seed, new InventoryOptions { Cpus = cpus });
        uint[] ids =
        [
            .. machine.Processes.Skip(1).Select(process => process.Id),
            .. machine.Processes.Skip(1).SelectMany(process => process.Threads).Select(thread => thread.Id),
        ];
        Every.Item(ids, id => Assert.True(id % 4 == 0 && id is > 0 and < 65_536));
        Assert.Equal(ids.Length, ids.Distinct().Count());
        Assert.Equal(cpus, machine.IdleProcess.Threads.Count);
        Assert.Equal(4u, machine.SystemProcess.Id);
        InventoryThread thread = machine.Process("explorer.exe").Threads[0];
        Assert.Equal(machine.Process("explorer.exe").Id, machine.ProcessIdOf(thread.Id));
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Routines_stay_where_they_are_and_apart(ulong seed, int cpus)
    {
        var machine = new MachineInventory(seed, new InventoryOptions { Cpus = cpus });
        SimulatedImage driver = machine[ImageRole.PlainDriver];
        var random = new RandomSequence(seed);
        ulong first = driver.Routine("First");
        ulong[] routines = [.. Enumerable.Range(0, 30).Select(i => driver.Routine($"Routine{i}"))];
        Assert.Equal(first, driver.Routine("First"));
        Assert.Equal(routines[7], machine.Routine(ImageRole.PlainDriver, "Routine7"));
        ulong[] sorted = [.. routines.Append(first).Order()];
        Every.Item(sorted.Zip(sorted.Skip(1)), pair => Assert.True(pair.First + SimulatedImage.RoutineBytes <= pair.Second));
        Every.Item(routines, routine => Assert.True(driver.Contains(routine)));
        ulong inside = machine.Inside(ImageRole.PlainDriver, "First", random);
        Assert.InRange(inside, first + 1, first + SimulatedImage.RoutineBytes - 1);
        Assert.Equal(driver.ReturnInto("First"), driver.ReturnInto("First"));
        Assert.Equal($"{driver.FileName}+0x{first - driver.Base:x}", driver.Describe(first));
    }

    [Fact]
    public void A_driver_that_is_added_is_loaded_once_at_a_place_of_its_own()
    {
        var machine = new MachineInventory(9);
        SimulatedImage driver = machine.AddDriver();
        Assert.False(driver.IsLoaded);
        machine.Load(driver);
        Assert.DoesNotContain(machine.Modules, other => other != driver && other.Base == driver.Base);
        Assert.Throws<InvalidOperationException>(() => machine.Load(driver));
    }

    [Fact]
    public void Seeds_choose_all_releases_of_windows_and_a_scenario_may_ask_for_newer_ones()
    {
        WindowsBuild[] builds = [.. Enumerable.Range(0, 200).Select(seed => new MachineInventory((ulong)seed).Build)];
        Assert.Equal(WindowsBuild.All.Count, builds.Distinct().Count());
        var modern = new InventoryOptions { MustBeModern = true };
        Every.Item(Enumerable.Range(0, 30), seed => Assert.True(new MachineInventory((ulong)seed, modern).Build.IsModern));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => new MachineInventory(1, new InventoryOptions { Cpus = 33, Build = WindowsBuild.All[0] }));
    }

    [Fact]
    public void Stacks_end_where_windows_lets_them_end()
    {
        var machine = new MachineInventory(3);
        var stacks = new StackBuilder(machine, new RandomSequence(1));
        SimulatedImage kernel = machine[ImageRole.Kernel];
        ulong[] dpc = stacks.Dpc(
            stacks.At(ImageRole.NetworkMiniport, "Handle"), stacks.At(ImageRole.NetworkFramework, "ndisInterruptDpc"));
        Assert.True(machine[ImageRole.NetworkMiniport].Contains(dpc[0]));
        Assert.Equal(machine[ImageRole.NetworkFramework].ReturnInto("ndisInterruptDpc"), dpc[1]);
        Assert.Equal([kernel.ReturnInto("KiExecuteAllDpcs"), kernel.ReturnInto("KiRetireDpcList")], dpc[2..]);
        InventoryProcess process = machine.Process("cmd.exe");
        ulong[] call = stacks.SystemCall(process, "NtReadFile", stacks.At(ImageRole.FileSystem, "NtfsFsdRead"));
        int user = Array.FindIndex(call, address => !kernel.Contains(address) && !machine[ImageRole.FileSystem].Contains(address));
        Assert.Equal(3, user);
        Every.Item(call[user..], address => Assert.Contains(process.Images, image => image.Contains(address)));
        Every.Item(stacks.Isr(stacks.At("Handler")), address => Assert.True(kernel.Contains(address)));
    }

    private static string Describe(MachineInventory machine) => string.Join(
        '\n',
        [
            machine.Build.Name,
            machine.Hardware.ToString(),
            .. machine.Modules.Select(module => $"{module.Path} {module.Base:x} {module.PdbId} {module.Routine("Any"):x}"),
            .. machine.Devices.Select(device => device.InstanceId + device.Vector),
            .. machine.Processes.Select(process => $"{process.Id} {process.Name} {process.Threads.Count}"),
        ]);
}
