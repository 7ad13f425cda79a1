namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>What the monitor's drivers are sorted by; the largest first, names from A to Z.</summary>
internal enum MonitorSort
{
    /// <summary>Time of ISRs and DPCs together.</summary>
    Total,

    /// <summary>The longest ISR or DPC.</summary>
    Max,

    /// <summary>What 99 of 100 do not exceed.</summary>
    P99,

    /// <summary>How many.</summary>
    Count,

    /// <summary>Time of ISRs.</summary>
    Isr,

    /// <summary>Time of DPCs.</summary>
    Dpc,

    /// <summary>The driver's name.</summary>
    Name,
}

/// <summary>Sorts the monitor's drivers.</summary>
internal static class MonitorSorting
{
    /// <summary>Sorts them; equals by name.</summary>
    public static IReadOnlyList<MonitorDriver> Sorted(IReadOnlyList<MonitorDriver> drivers, MonitorSort sort)
    {
        IEnumerable<MonitorDriver> byName = drivers.OrderBy(static one => one.Name, StringComparer.OrdinalIgnoreCase);
        return sort == MonitorSort.Name ? [.. byName] : [.. byName.OrderByDescending(one => KeyOf(one, sort))];
    }

    /// <summary>The order that a key of the keyboard stands for.</summary>
    /// <returns>Null for other keys.</returns>
    public static MonitorSort? OfKey(ConsoleKey key) => key switch
    {
        ConsoleKey.T => MonitorSort.Total,
        ConsoleKey.M => MonitorSort.Max,
        ConsoleKey.P => MonitorSort.P99,
        ConsoleKey.C => MonitorSort.Count,
        ConsoleKey.I => MonitorSort.Isr,
        ConsoleKey.D => MonitorSort.Dpc,
        ConsoleKey.N => MonitorSort.Name,
        _ => null,
    };

    private static long KeyOf(MonitorDriver driver, MonitorSort sort) => sort switch
    {
        MonitorSort.Max => driver.Max.Nanoseconds,
        MonitorSort.P99 => driver.P99.Nanoseconds,
        MonitorSort.Count => driver.Count,
        MonitorSort.Isr => driver.Isr.Total.Nanoseconds,
        MonitorSort.Dpc => driver.Dpc.Total.Nanoseconds,
        _ => driver.Total.Nanoseconds,
    };
}
