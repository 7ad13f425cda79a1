using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Writes a scenario as an .etl and has it analysed.</summary>
internal static class ScenarioFile
{
    private const long StartFileTime = 134_000_000_000_000_000;
    private const ushort GroupMasks = 0x0005;

    public static ScenarioShape ShapeOf(Scenario scenario) => new()
    {
        PointerBytes = scenario.PointerBytes,
        TicksPerSecond = scenario.TicksPerSecond,
        StepNanoseconds = scenario.StepNanoseconds,
        Mhz = scenario.Mhz,
    };

    /// <param name="shape">How to write it; as the scenario asks where left out.</param>
    /// <param name="bufferBytes">Size of a buffer; as the scenario asks where left out.</param>
    public static byte[] Write(Scenario scenario, ScenarioShape? shape = null, int? bufferBytes = null)
    {
        shape ??= ShapeOf(scenario);
        using var file = new MemoryStream();
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(scenario.ClockKind, shape.TicksPerSecond, shape.StartTicks, StartFileTime),
            ProcessorCount = scenario.Cpus,
            CpuMhz = shape.Mhz,
            BufferBytes = bufferBytes ?? scenario.BufferBytes,
            Mode = scenario.Mode,
            PointerBytes = shape.PointerBytes,
            OsBuild = shape.PointerBytes == 8 ? 19045 : 7601,
            SessionName = "scenario",
            FileName = "scenario.etl",
        };
        using (EtlWriter writer = EtlWriter.Create(file, header, leaveOpen: true))
        {
            WriteGroups(writer, scenario, shape);
            var open = new List<ScenarioLoss>(scenario.Losses);
            foreach (ScenarioRecord record in InOrder(scenario))
            {
                Tell(writer, open, loss => loss.Cpu == record.Cpu && record.At > loss.To);
                if (!scenario.Losses.Any(loss => loss.Takes(record)))
                {
                    record.Write(writer, shape);
                }
            }

            Tell(writer, open, _ => true);
            writer.Complete(StartFileTime + 10_000_000);
        }

        return file.ToArray();
    }

    public static BlameReport Report(byte[] file, string name, BlameRequest request)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(file));
        return BlameAnalysis.Analyze(name, reader, request).Report;
    }

    public static string Json(BlameReport report)
    {
        using var json = new MemoryStream();
        ReportJson.Write(json, report, indented: true);
        return System.Text.Encoding.UTF8.GetString(json.ToArray()) + "\n";
    }

    private static IEnumerable<ScenarioRecord> InOrder(Scenario scenario)
    {
        IEnumerable<ScenarioRecord> interval = scenario.IntervalNanoseconds is { } nanoseconds
            ? [ScenarioRecords.Interval(0, 100, nanoseconds)]
            : [];
        return interval.Concat(scenario.Records).OrderBy(record => record.At);
    }

    private static void Tell(EtlWriter writer, List<ScenarioLoss> open, Func<ScenarioLoss, bool> isOver)
    {
        foreach (ScenarioLoss loss in open.Where(isOver).ToList())
        {
            open.Remove(loss);
            if (loss.Events > 0)
            {
                writer.EndBuffer(loss.Cpu);
                writer.AddLostEvents(loss.Cpu, loss.Events);
            }
            else
            {
                writer.AddLostBuffers(loss.Cpu, 1);
            }
        }
    }

    private static void WriteGroups(EtlWriter writer, Scenario scenario, ScenarioShape shape)
    {
        if (scenario.Groups.Count == 0)
        {
            return;
        }

        uint[] words = new uint[9];
        words[8] = 70;
        foreach (uint group in scenario.Groups)
        {
            words[group >> 29] |= group & 0x1FFF_FFFF;
        }

        writer.WriteToHeaderBuffer(
            EtlEventHeader.System(GroupMasks, 2, shape.StartTicks, 4, 8, shape.PointerBytes),
            [.. words.SelectMany(BitConverter.GetBytes)]);
    }
}
