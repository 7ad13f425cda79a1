using System.Runtime.InteropServices;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Finds which interrupt queued each DPC of a framework on one CPU, where that is not recorded. DPCs run in the order in which they were
/// queued, as soon as the CPU has nothing at a higher level left: an ISR's DPC runs in the same unbroken series of ISRs and DPCs.
/// </summary>
/// <param name="gapTicks">Two routines of a series lie at most this far apart, in ticks.</param>
/// <param name="directTicks">Usually they lie at most this far apart, in ticks: then the ISRs before a longer gap are asked last.</param>
internal sealed class DpcQueuers(Func<LevelSpan, (int Image, ModuleRole Role)> images, long gapTicks, long directTicks)
{
    /// <summary>How many ISRs and DPCs a series is followed back. It bounds the work.</summary>
    public const int LookBack = 64;

    private readonly List<Waiting> _waiting = [];

    /// <summary>Adds an ISR that is already in the CPU's history.</summary>
    public void Interrupted(CpuHistory cpu, long number)
    {
        LevelSpan isr = cpu.Spans[number];
        if (isr.IsProfile)
        {
            return;
        }

        if (_waiting.Count == LookBack)
        {
            _waiting.RemoveAt(0);
        }

        (int image, ModuleRole role) = images(isr);
        if (role != ModuleRole.Kernel)
        {
            _waiting.Add(new Waiting(number, isr.EndTicks, image, role == ModuleRole.Driver, cpu.LineOf(in isr)));
        }
    }

    /// <summary>
    /// The interrupt that most likely queued a DPC: the earliest ISR before it, in its series, of the DPC's own module; for a framework's
    /// DPC otherwise the earliest of a driver, whose own DPC did not run since. Where all lie before a longer gap, the latest: the DPCs of
    /// the others would have run in it. None for the DPCs of drivers and of the kernel.
    /// </summary>
    /// <param name="number">The DPC, already in the CPU's history.</param>
    public QueueLine QueuerOf(CpuHistory cpu, long number)
    {
        LevelSpan dpc = cpu.Spans[number];
        (int image, ModuleRole role) = images(dpc);
        if (_waiting.Count == 0 || role == ModuleRole.Kernel)
        {
            return default;
        }

        if (role == ModuleRole.Driver)
        {
            Remove(image, default, dpc.StartTicks);
            return default;
        }

        (long since, long direct) = SeriesBefore(cpu, number);
        RemoveOld(cpu, since);
        Waiting? own = null;
        Waiting? drivers = null;
        foreach (Waiting isr in _waiting)
        {
            if (isr.EndTicks <= dpc.StartTicks)
            {
                own = isr.Image == image && !(own?.EndTicks >= direct) ? isr : own;
                drivers = isr.IsDrivers && role == ModuleRole.Framework && !(drivers?.EndTicks >= direct) ? isr : drivers;
            }
        }

        if ((own ?? drivers) is not { } queuer)
        {
            return default;
        }

        Remove(-1, queuer.Line, dpc.StartTicks);
        return queuer.Line;
    }

    /// <summary>Removes the ISRs of an image or of a line that ended by a time: their DPC runs.</summary>
    private void Remove(int image, QueueLine line, long untilTicks)
    {
        int kept = 0;
        foreach (Waiting isr in CollectionsMarshal.AsSpan(_waiting))
        {
            if ((isr.Image != image && isr.Line != line) || isr.EndTicks > untilTicks)
            {
                _waiting[kept++] = isr;
            }
        }

        _waiting.RemoveRange(kept, _waiting.Count - kept);
    }

    /// <summary>Removes the ISRs that ended before a time, and those whose interrupt was another device's.</summary>
    private void RemoveOld(CpuHistory cpu, long sinceTicks)
    {
        int kept = 0;
        foreach (Waiting isr in CollectionsMarshal.AsSpan(_waiting))
        {
            if (isr.EndTicks >= sinceTicks && !cpu.IsOthersInterrupt(isr.Number, gapTicks))
            {
                _waiting[kept++] = isr;
            }
        }

        _waiting.RemoveRange(kept, _waiting.Count - kept);
    }

    /// <summary>When the series of ISRs and DPCs in front of a DPC began, and the part of it without a longer gap, in ticks.</summary>
    private (long Since, long Direct) SeriesBefore(CpuHistory cpu, long dpc)
    {
        long startTicks = cpu.Spans[dpc].StartTicks;
        long since = startTicks;
        long direct = long.MinValue;
        for (long number = dpc - 1; number >= Math.Max(cpu.Spans.First, dpc - LookBack); number--)
        {
            LevelSpan before = cpu.Spans[number];
            if (before.EndTicks <= startTicks)
            {
                if (since - before.EndTicks > gapTicks)
                {
                    break;
                }

                direct = direct == long.MinValue && since - before.EndTicks > directTicks ? since : direct;
                since = Math.Min(since, before.StartTicks);
            }
        }

        return (since, direct == long.MinValue ? since : direct);
    }

    /// <summary>An ISR whose DPC may still have to run.</summary>
    private readonly record struct Waiting(long Number, long EndTicks, int Image, bool IsDrivers, QueueLine Line);
}
