using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Tests;

/// <summary>Records of spin locks and priorities: read as they were logged, and there only where they were asked for.</summary>
public class LockAndPriorityRecordTests
{
    private const long Millisecond = 1_000_000;

    [Fact]
    public void Records_are_read_as_they_were_logged()
    {
        WindowsBuild build = WindowsBuild.All.Last(build => build.IsModern);
        var machine = new MachineInventory(7, new InventoryOptions { Cpus = 2, Build = build });
        ulong caller = machine.Routine(ImageRole.PlainDriver, "Dpc");
        WrittenTrace trace = Write(machine, RecordKinds.SpinLocks | RecordKinds.Priorities, caller);
        Assert.Empty(trace.Oddities);
        long cycles = machine.Hardware.Mhz * 1_000;
        Assert.Equal(
            [
                $"0529 1 3000000 lock {caller + 0x100:x} {caller:x} 2000000 3000000 {cycles} {cycles / 40} 77 2 1 True False",
                "0530 0 4000000 priority 78 9 24 24",
                "053C 0 5000000 lift 79 1 4",
            ],
            trace.Entries.Where(entry => entry.Hook is 0x0529 or 0x0530 or 0x053C)
                .Select(entry => $"{entry.Hook:X4} {entry.Cpu} {entry.TimeNs} {entry.Text}"));
    }

    [Fact]
    public void Nothing_is_recorded_that_was_not_asked_for()
    {
        var machine = new MachineInventory(7, new InventoryOptions { Cpus = 2, Build = WindowsBuild.All[^1] });
        WrittenTrace trace = Write(machine, RecordKinds.Usual, 0x1000);
        Assert.DoesNotContain(trace.Entries, entry => entry.Hook is 0x0529 or 0x0530 or 0x053C);
    }

    [Fact]
    public void Every_second_seed_of_the_spin_lock_scenario_records_the_lock()
    {
        Scenario scenario = ScenarioCatalog.Find("spin-lock")! with { MustBeModern = true };
        bool[] recorded = [.. Enumerable.Range(1, 8).Select(seed =>
        {
            using var stream = new MemoryStream();
            new ScenarioRun(scenario, (ulong)seed) { Cpus = 3, Duration = Contract.Duration.FromSeconds(1) }.WriteTo(stream);
            return WrittenTrace.Count(stream.ToArray(), 0x0529) > 0;
        })];
        Assert.InRange(recorded.Count(isRecorded => isRecorded), 2, 6);
    }

    private static WrittenTrace Write(MachineInventory machine, RecordKinds kinds, ulong caller)
    {
        using var stream = new MemoryStream();
        using (var log = new KernelLogWriter(stream, machine, new KernelLogOptions { Kinds = kinds, TicksPerSecond = 10_000_000 }))
        {
            log.SpinLock(new SimulatedLockUse
            {
                Cpu = 1,
                Lock = caller + 0x100,
                Caller = caller,
                AskedNs = 1 * Millisecond,
                AcquiredNs = 2 * Millisecond,
                ReleasedNs = 3 * Millisecond,
                ThreadId = 77,
                IsInDpc = true,
            });
            log.PrioritySet(4 * Millisecond, 0, 78, 9, 24);
            log.AntiStarvationBoost(5 * Millisecond, 0, 79, 1, 4);
            log.Finish(6 * Millisecond);
        }

        return WrittenTrace.Read(stream.ToArray());
    }
}
