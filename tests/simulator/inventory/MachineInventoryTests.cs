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
