using System.Buffers.Binary;
using Tracer.Simulator.Scenarios;

namespace Tracer.Commands.Tests.Emptiness;

/// <summary>A trace of which something is taken away.</summary>
/// <param name="What">What is missing, as the table of docs/generated/emptiness.md says it.</param>
/// <param name="Options">What is asked besides, where not the whole trace.</param>
internal sealed record EmptyTrace(string What, byte[] File, params string[] Options);

/// <summary>
/// A simulated machine on which nothing is late, and one on which a driver is, with what others do to traces: cut, lost, blank and
/// overwritten buffers, kinds of records that nobody recorded, threads, CPUs and a clock that are not there.
/// </summary>
internal static class EmptyTraces
{
    private const int BufferHeaderBytes = 72;
    private const int SequenceNumber = 24;
    private const int Cpu = 40;
    private const int UsedBytes = 48;
    private const int HeaderPayload = BufferHeaderBytes + 32;
    private const int LogFileMode = HeaderPayload + 0x20;
    private const int BuffersWritten = HeaderPayload + 0x24;
    private const int BuffersLost = HeaderPayload + 0x114;

    /// <summary>The id of a record that no reader knows.</summary>
    private const ushort Unknown = 0x0FEE;

    private static readonly ushort[] Dpcs = [KernelHook.Dpc, KernelHook.TimerDpc, KernelHook.IoTimerDpc];
    private static readonly ushort[] Isrs = [KernelHook.Isr, KernelHook.IsrMessageSignalled];

    private static readonly ushort[] AllThatRan =
    [
        .. Dpcs, .. Isrs, KernelHook.ContextSwitch, KernelHook.ReadyThread, KernelHook.SampledProfile, KernelHook.Stack,
        KernelHook.DpcEnqueue, KernelHook.DpcExecution,
    ];

    /// <summary>The machine on which nothing is late, with nothing missing.</summary>
    public static byte[] Whole { get; } = Simulated("clean", 400);

    /// <summary>Another recording of the same machine.</summary>
    public static byte[] Other { get; } = Simulated("clean", 450, chance: 2);

    /// <summary>The twelve kinds, what nothing counts, and a hole where the victims ran.</summary>
    public static IReadOnlyList<EmptyTrace> All { get; } =
    [
        new("the file is cut after its first buffers", Whole[..(3 * BufferBytes)]),
        new("most buffers lost", Lost()),
        new("most buffers blank", Blank()),
        new("the ring wrapped", Wrapped()),
        new("no ReadyThread", Without(KernelHook.ReadyThread)),
        new("no DPC, no ISR", Without([.. Dpcs, .. Isrs])),
        new("no CSwitch", Without(KernelHook.ContextSwitch)),
        new("no thread at the priority, none on a beat", WithoutPriority()),
        new("a window without records", Whole, "--from", "200ms", "--to", "200.001ms"),
        new("a CPU without records", WithoutCpu(1)),
        new("a coarse clock", Simulated("coarse-clock", 400)),
        new("only a rundown", Without(AllThatRan)),
        new("the first records, as if there had been none", Uncounted((index, count) => index == 0 || index > count * 2 / 3)),
        new("buffers in the middle, which nothing counts", Uncounted((index, count) => index < count / 3 || index > count * 2 / 3)),
        new("the culprit's buffers lost where the victim ran", WithoutCulprit()),
    ];

    private static int BufferBytes => BinaryPrimitives.ReadInt32LittleEndian(Whole);

    private static byte[] Simulated(string scenario, long milliseconds, ulong? chance = null)
    {
        string path = Path.Combine(Directory.CreateTempSubdirectory("tracer-empty-").FullName, "trace.etl");
        _ = new ScenarioRun(ScenarioCatalog.Find(scenario)!, 3)
        {
            Cpus = 2,
            Chance = chance,
            Duration = Duration.FromMilliseconds(milliseconds),
            HasFewPrograms = true,
        }.WriteTo(path);
        byte[] file = File.ReadAllBytes(path);
        Directory.Delete(Path.GetDirectoryName(path)!, recursive: true);
        return file;
    }

    /// <summary>Only the first buffers and the last are in the file, and the header counts what the session lost.</summary>
    private static byte[] Lost()
    {
        byte[] file = Kept(Whole, (index, count) => index < 3 || index == count - 1);
        BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(BuffersLost), (Whole.Length - file.Length) / BufferBytes);
        BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(BuffersWritten), file.Length / BufferBytes);
        return file;
    }

    private static byte[] Blank()
    {
        byte[] file = [.. Whole];
        file.AsSpan((3 * BufferBytes)..^BufferBytes).Clear();
        return file;
    }

    private static byte[] Wrapped()
    {
        byte[] file = Kept(Whole, (index, count) => index == 0 || index > count / 2);
        file[LogFileMode] = (byte)((file[LogFileMode] & ~(byte)EtlLogFileMode.Sequential) | (byte)EtlLogFileMode.Circular);
        return file;
    }

    private static byte[] Without(params ushort[] hooks)
    {
        byte[] file = [.. Whole];
        ForEachRecord(file, (record, hook) =>
        {
            if (hooks.Contains(hook))
            {
                BinaryPrimitives.WriteUInt16LittleEndian(file.AsSpan(record + 6), Unknown);
            }
        });
        return file;
    }

    /// <summary>All threads are of priority 8, and of their wake-ups only some are left, which keep no beat.</summary>
    private static byte[] WithoutPriority()
    {
        byte[] file = [.. Whole];
        var random = new Random(1);
        ForEachRecord(file, (record, hook) =>
        {
            if (hook == KernelHook.ContextSwitch)
            {
                file[record + 16 + 8] = file[record + 16 + 9] = 8;
            }
            else if (hook == KernelHook.ReadyThread && random.Next(5) > 0)
            {
                BinaryPrimitives.WriteUInt16LittleEndian(file.AsSpan(record + 6), Unknown);
            }
        });
        return file;
    }

    /// <summary>As if the CPU had never logged anything: nothing counts its buffers.</summary>
    private static byte[] WithoutCpu(int cpu) => Uncounted((index, _) => index == 0 || Whole[(index * BufferBytes) + Cpu] != cpu);

    /// <summary>Buffers are missing, and neither the header nor the numbers of the others tell.</summary>
    private static byte[] Uncounted(Func<int, int, bool> isKept)
    {
        byte[] file = Kept(Whole, isKept);
        for (int at = 0; at < file.Length; at += BufferBytes)
        {
            BinaryPrimitives.WriteInt64LittleEndian(file.AsSpan(at + SequenceNumber), at / BufferBytes);
        }

        BinaryPrimitives.WriteInt32LittleEndian(file.AsSpan(BuffersWritten), file.Length / BufferBytes);
        return file;
    }

    /// <summary>Of a trace with a culprit the buffers are lost in which its long DPCs are.</summary>
    private static byte[] WithoutCulprit()
    {
        byte[] whole = Simulated("nic-autosense", 2000);
        var guilty = new HashSet<int>();
        ForEachRecord(whole, (record, hook) =>
        {
            // A DPC's record is stamped at its end, and says when it began.
            if (Dpcs.Contains(hook) && BinaryPrimitives.ReadInt64LittleEndian(whole.AsSpan(record + 8))
                - BinaryPrimitives.ReadInt64LittleEndian(whole.AsSpan(record + 16)) >= 5_000)
            {
                _ = guilty.Add(record / BufferBytes);
            }
        });
        Assert.NotEmpty(guilty);
        return Kept(whole, (index, _) => !guilty.Contains(index));
    }

    private static byte[] Kept(byte[] file, Func<int, int, bool> isKept)
    {
        int count = file.Length / BufferBytes;
        return [.. Enumerable.Range(0, count).Where(index => isKept(index, count))
            .SelectMany(index => file.AsSpan(index * BufferBytes, BufferBytes).ToArray())];
    }

    /// <summary>Finds the records of the kernel's short form: where they stand in the file, and their ids.</summary>
    private static void ForEachRecord(byte[] file, Action<int, ushort> act)
    {
        for (int buffer = 0; buffer < file.Length; buffer += BufferBytes)
        {
            int end = buffer + BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(buffer + UsedBytes));
            for (int at = buffer + BufferHeaderBytes, bytes; at + 16 <= end; at += (bytes + 7) & ~7)
            {
                bool isKernel = file[at + 2] is >= 1 and <= 4 or 0x10 or 0x11;
                bytes = BinaryPrimitives.ReadUInt16LittleEndian(file.AsSpan(isKernel ? at + 4 : at));
                if (file[at + 2] is 0x10 or 0x11)
                {
                    act(at, BinaryPrimitives.ReadUInt16LittleEndian(file.AsSpan(at + 6)));
                }

                if (bytes < 8)
                {
                    break;
                }
            }
        }
    }
}
