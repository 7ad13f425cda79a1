using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// Why ACPI's driver is reported as firmware: it only interprets the firmware's own code (AML). Where events of its provider show that such
/// a method ran, the machine's maker is to blame, and the driver stands between; without them the driver keeps its name.
/// </summary>
internal sealed class AcpiFirmware
{
    private readonly List<(long FromTicks, long ToTicks, string Method)> _runs = [];
    private readonly long _longestTicks;

    /// <summary>Pairs begin and end events. One without its counterpart counts as a run of no length.</summary>
    /// <param name="methods">The events, by time.</param>
    public AcpiFirmware(AcpiMethods methods)
    {
        Dictionary<(uint ThreadId, string Method), long> open = [];
        foreach (AcpiMethodEvent change in methods.Events)
        {
            (uint ThreadId, string Method) key = (change.ThreadId, change.Method);
            if (change.IsBegin)
            {
                if (open.TryGetValue(key, out long lost))
                {
                    _runs.Add((lost, lost, change.Method));
                }

                open[key] = change.Ticks;
            }
            else
            {
                _runs.Add((open.Remove(key, out long since) ? since : change.Ticks, change.Ticks, change.Method));
            }
        }

        foreach (((_, string method), long since) in open)
        {
            _runs.Add((since, since, method));
        }

        _runs.Sort();
        _longestTicks = _runs.Count == 0 ? 0 : _runs.Max(run => run.ToTicks - run.FromTicks);
    }

    public static NamedCause Told(NamedCause driver, string method) => driver with
    {
        Kind = CulpritKind.Hardware,
        Name = CulpritName.HardwareOrFirmware,
        Through = [driver.Name!, .. driver.Through],
        Image = null,
        Method = method,
    };

    /// <summary>
    /// The method that ran longest between two times, widened by a tenth of their distance on both sides; null for none, and for modules
    /// that interpret no firmware. In ticks.
    /// </summary>
    public string? MethodIn(ModuleRole role, long fromTicks, long toTicks)
    {
        if (role != ModuleRole.Firmware)
        {
            return null;
        }

        long beside = (toTicks - fromTicks) / 10;
        fromTicks -= beside;
        toTicks += beside;
        int low = SortedSearch.FirstNot(0, _runs.Count, (_runs, toTicks), static (at, i) => at._runs[i].FromTicks <= at.toTicks);

        string? method = null;
        long longest = -1;
        for (int i = low - 1; i >= 0 && _runs[i].FromTicks >= fromTicks - _longestTicks; i--)
        {
            long inside = Math.Min(toTicks, _runs[i].ToTicks) - Math.Max(fromTicks, _runs[i].FromTicks);
            if (inside >= 0 && inside > longest)
            {
                (longest, method) = (inside, _runs[i].Method);
            }
        }

        return method;
    }
}
