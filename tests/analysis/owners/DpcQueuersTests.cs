using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Tests.Owners;

/// <summary>Which ISR queued the DPC of a framework, by what ran before it: routines that lie at most 50 apart, usually 10.</summary>
public class DpcQueuersTests
{
    private const long Gap = 50;
    private const long Direct = 10;

    /// <summary>Routines by start and end, the DPC that is asked about last; "nic" is a driver, "fw" and "fw2" are frameworks.</summary>
    [Theory]
    [InlineData("nic isr 100-110, fw dpc 115-150", 100)]
    [InlineData("nic isr 100-110, fw dpc 160-190", 100)]
    [InlineData("nic isr 100-110, fw dpc 161-190", null)]
    [InlineData("nic isr 100-110, fw dpc 110-150", 100)]

    // Only a framework's DPC is of a driver's ISR; each may be of its own.
    [InlineData("nic isr 100-110, layer dpc 115-150", null)]
    [InlineData("layer isr 100-110, layer dpc 115-150", 100)]
    [InlineData("fw2 isr 100-110, fw dpc 115-150", null)]
    [InlineData("fw isr 100-110, fw dpc 115-150", 100)]
    [InlineData("fw isr 100-110, nic isr 110-120, fw dpc 125-150", 100)]
    [InlineData("nic isr 100-110, fw isr 110-120, fw dpc 125-150", 110)]
    [InlineData("kernel isr 100-110, kernel dpc 115-150", null)]
    [InlineData("nic isr 100-110, kernel dpc 115-150", null)]
    [InlineData("nic isr 100-110, nic dpc 115-150", null)]

    // The first of several, but behind a longer gap the last before it.
    [InlineData("nic isr 100-110, usb isr 115-120, fw dpc 125-150", 100)]
    [InlineData("nic isr 100-110, usb isr 120-130, fw dpc 140-150", 100)]
    [InlineData("nic isr 100-110, usb isr 121-130, fw dpc 140-150", 121)]
    [InlineData("nic isr 100-110, usb isr 120-130, fw dpc 141-150", 120)]

    // Whose own DPC ran since is not pending any more; an ISR within the DPC came later.
    [InlineData("nic isr 100-110, nic dpc 112-114, fw dpc 116-150", null)]
    [InlineData("nic isr 100-110, usb dpc 112-114, fw dpc 116-150", 100)]
    [InlineData("nic isr 100-110, fw dpc 112-114, fw dpc 116-150", null)]
    [InlineData("nic isr 100-110, kernel dpc 112-114, fw dpc 116-150", 100)]
    [InlineData("nic isr 120-130, fw dpc 115-150", null)]
    public void A_dpc_is_of_the_isr_in_its_series(string runs, int? queuedAt)
    {
        string[] names = ["kernel", "nic", "usb", "fw", "fw2", "layer"];
        var cpu = new CpuHistory(0, 64, new SampleClock(0, 0));
        var queuers = new DpcQueuers(span => ((int)span.Routine, Role(names[(int)span.Routine])), Gap, Direct);
        QueueLine line = default;
        foreach (string[] words in runs.Split(", ").Select(run => run.Split(' ', '-')))
        {
            var span = new LevelSpan
            {
                StartTicks = long.Parse(words[2], CultureInfo.InvariantCulture),
                EndTicks = long.Parse(words[3], CultureInfo.InvariantCulture),
                Routine = (ulong)Array.IndexOf(names, words[0]),
                Kind = words[1] == "isr" ? LevelKind.Isr : LevelKind.Dpc,
            };
            span.Vector = span.IsIsr ? (ushort)span.StartTicks : (ushort)0;
            Assert.True(cpu.TryAddSpan(in span, 0));
            if (span.IsIsr)
            {
                queuers.Interrupted(cpu, cpu.Spans.Next - 1);
            }
            else
            {
                line = queuers.QueuerOf(cpu, cpu.Spans.Next - 1);
            }
        }

        Assert.Equal(queuedAt, line.IsKnown ? line.Vector : null);
    }

    private static ModuleRole Role(string name) => name switch
    {
        "kernel" => ModuleRole.Kernel,
        "layer" => ModuleRole.Layer,
        "fw" or "fw2" => ModuleRole.Framework,
        _ => ModuleRole.Driver,
    };
}
