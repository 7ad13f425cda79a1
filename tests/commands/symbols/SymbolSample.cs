using System.Buffers.Binary;
using System.Text;
using Tracer.Symbols;
using Tracer.Symbols.Pdb;

namespace Tracer.Commands.Tests.Symbols;

/// <summary>
/// Makes samples/with-symbols/nic.etl: a trace whose modules are the images and PDBs beside it. One CPU for a second; each 100 ms the
/// driver's DPC runs for 3 ms, and once a player's thread of higher priority keeps the audio thread waiting.
/// </summary>
internal sealed class SymbolSample
{
    private const long Second = 10_000_000;
    private const long Microsecond = Second / 1_000_000;
    private const long Start = 7_000_000_000;
    private const long StartFileTime = 134_000_000_000_000_000;
    private const ulong KernelBase = 0xFFFFF800_10000000;
    private const ulong NicBase = 0xFFFFF800_30000000;
    private const ulong PlayerBase = 0x7FF6_40000000;
    private const uint AudioProcess = 4200;
    private const uint AudioThread = 4204;
    private const uint PlayerProcess = 5000;
    private const uint PlayerThread = 5004;

    private readonly SortedDictionary<(long Ticks, int Order), Action<EtlWriter>> _events = [];
    private readonly byte[] _payload = new byte[1024];
    private readonly PdbFile _nic = Pdb("nic.pdb");
    private readonly PdbFile _player = Pdb("player.pdb");
    private uint _random = 4711;

    public static string Folder => Path.Combine(RepositoryFiles.Root, "samples", "with-symbols");

    public static void Write(Stream stream)
    {
        var sample = new SymbolSample();
        sample.AddMachine();
        for (int i = 1; i < 10; i++)
        {
            sample.AddLongDpc(Start + (i * Second / 10));
        }

        sample.AddHog(Start + (Second * 55 / 100));
        var header = new EtlFileHeader
        {
            Clock = new TraceClock(TraceClockKind.Qpc, Second, Start, StartFileTime),
            ProcessorCount = 1,
            OsBuild = 26100,
            CpuMhz = 3600,
            BootFileTime = StartFileTime - 6_000_000_000,
            SessionName = "nic",
            FileName = "nic.etl",
        };
        using EtlWriter writer = EtlWriter.Create(stream, header, new EtlWriterOptions { Compress = true }, leaveOpen: true);
        foreach (Action<EtlWriter> write in sample._events.Values)
        {
            write(writer);
        }

        writer.Complete(StartFileTime + Second);
    }

    private static PdbFile Pdb(string name) =>
        PdbFile.Open(SymbolBytes.Of(File.ReadAllBytes(Path.Combine(Folder, name))), out _)!;

    private static PeImage Image(string name)
    {
        Assert.True(PeImage.TryRead(SymbolBytes.Of(File.ReadAllBytes(Path.Combine(Folder, name))), out PeImage? image, out _));
        return image;
    }

    private static ulong In(PdbFile pdb, string function) => pdb.Procedures().Single(procedure => procedure.Name == function).Rva;

    private void AddMachine()
    {
        AddProcess(Start + 1, AudioProcess, AudioThread, "audiodg.exe");
        AddProcess(Start + 2, PlayerProcess, PlayerThread, "player.exe");
        PeImage nic = Image("nic.sys");
        PeImage player = Image("player.exe");
        AddImage(Start + 10, new KernelImage(KernelBase, 0x1000000, 0, 0x66000000, @"\SystemRoot\System32\ntoskrnl.exe"),
            new PdbId(new Guid("0badc0de-0000-1111-2222-333344445555"), 1), "ntkrnlmp.pdb");
        AddImage(Start + 20, new KernelImage(NicBase, nic.Id.SizeOfImage, 0, nic.Id.TimeDateStamp, @"\SystemRoot\System32\drivers\nic.sys"),
            _nic.Id, "nic.pdb");
        AddImage(
            Start + 30,
            new KernelImage(
                PlayerBase, player.Id.SizeOfImage, PlayerProcess, player.Id.TimeDateStamp, @"\Device\HarddiskVolume3\player.exe"),
            _player.Id,
            @"C:\build\player.pdb");
        byte[] interval = new byte[12];
        BinaryPrimitives.WriteUInt32LittleEndian(interval.AsSpan(4), 10_000);
        BinaryPrimitives.WriteUInt32LittleEndian(interval.AsSpan(8), 10_000);
        Add(Start + 100, EtlEventHeader.System(KernelHook.CollectionStart, 2, Start + 100, 4, 8), interval);
    }

    private void AddImage(long at, in KernelImage image, PdbId pdb, string name)
    {
        int bytes = KernelPayloadWriter.WriteImage(_payload, image);
        Add(at, EtlEventHeader.PerfInfo(KernelHook.ImageDCStart, 3, at), _payload[..bytes]);
        bytes = KernelPayloadWriter.WriteImageIdRsds(_payload, image.Base, image.ProcessId, pdb.Guid, pdb.Age, name);
        var id = EtlEventHeader.Full(KernelRecordCatalog.ImageIdClass, KernelPayloadWriter.ImageIdRsdsOpcode, 2, at, 0, 8);
        Add(at, id, _payload[..bytes]);
    }

    private void AddProcess(long at, uint process, uint thread, string name)
    {
        byte[] payload = new byte[40 + name.Length + 1 + 6];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, 0xFFFFA000_12345080 + process);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(8), process);
        Encoding.ASCII.GetBytes(name, payload.AsSpan(40));
        Add(at, EtlEventHeader.System(0x0303, 4, at, 4, 8), payload);
        payload = new byte[74];
        BinaryPrimitives.WriteUInt32LittleEndian(payload, process);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(4), thread);
        BinaryPrimitives.WriteUInt64LittleEndian(payload.AsSpan(40), 1);
        payload[68] = 16;
        Add(at, EtlEventHeader.System(0x0503, 3, at, 4, 8), payload);
    }

    /// <summary>
    /// An interrupt, a DPC of 3 ms right behind it with samples and their stacks, and the audio thread that waits meanwhile.
    /// </summary>
    private void AddLongDpc(long at)
    {
        long dpcStart = at + (5 * Microsecond);
        long dpcEnd = dpcStart + (3_000 * Microsecond);
        AddRoutine(KernelHook.Isr, at, at + (4 * Microsecond), NicBase + In(_nic, "NicIsr"));
        AddReady(dpcStart + (10 * Microsecond));
        for (long sample = dpcStart + (400 * Microsecond); sample < dpcEnd; sample += 1_000 * Microsecond)
        {
            ulong hit = NicBase + In(_nic, "nic::Ring<unsigned int>::drain") + Random(60);
            AddSample(sample, hit, 0);
            int bytes = KernelPayloadWriter.WriteStack(
                _payload, sample, 0, 0, [hit, NicBase + In(_nic, "NicDpc") + 0x30, KernelBase + 0x123456]);
            Add(sample + 20, EtlEventHeader.PerfInfo(KernelHook.Stack, 2, sample + 20), _payload[..bytes]);
        }

        AddRoutine(KernelHook.Dpc, dpcStart, dpcEnd, NicBase + In(_nic, "NicDpc"));
        AddSwitch(dpcEnd + (3 * Microsecond), AudioThread, 0, 22, 0);
        AddSwitch(dpcEnd + (90 * Microsecond), 0, AudioThread, 0, 22);
    }

    /// <summary>A thread of higher priority than the audio thread's.</summary>
    private void AddHog(long at)
    {
        AddSwitch(at, PlayerThread, 0, 26, 0);
        AddReady(at + (50 * Microsecond));
        for (long sample = at + (400 * Microsecond); sample < at + (4_000 * Microsecond); sample += 1_000 * Microsecond)
        {
            AddSample(sample, PlayerBase + In(_player, "player::mix") + Random(80), PlayerThread);
        }

        AddSwitch(at + (4_000 * Microsecond), AudioThread, PlayerThread, 22, 26);
        AddSwitch(at + (4_200 * Microsecond), 0, AudioThread, 0, 22);
    }

    private void AddRoutine(ushort hook, long start, long end, ulong routine)
    {
        byte[] payload = new byte[hook == KernelHook.Isr ? 20 : 16];
        BinaryPrimitives.WriteInt64LittleEndian(payload, start);
        BinaryPrimitives.WriteUInt64LittleEndian(payload.AsSpan(8), routine);
        if (hook == KernelHook.Isr)
        {
            payload[16] = 1;
            payload[17] = 0x61;
        }

        Add(end, EtlEventHeader.PerfInfo(hook, 2, end), payload);
    }

    private void AddReady(long at)
    {
        byte[] payload = new byte[8];
        BinaryPrimitives.WriteUInt32LittleEndian(payload, AudioThread);
        Add(at, EtlEventHeader.PerfInfo(KernelHook.ReadyThread, 2, at), payload);
    }

    private void AddSwitch(long at, uint toThread, uint fromThread, sbyte toPriority, sbyte fromPriority)
    {
        byte[] payload = new byte[24];
        BinaryPrimitives.WriteUInt32LittleEndian(payload, toThread);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(4), fromThread);
        payload[8] = (byte)toPriority;
        payload[9] = (byte)fromPriority;
        payload[12] = 15;
        payload[14] = (byte)(fromThread == 0 ? 2 : 5);
        Add(at, EtlEventHeader.PerfInfo(KernelHook.ContextSwitch, 4, at), payload);
    }

    private void AddSample(long at, ulong instruction, uint thread)
    {
        byte[] payload = new byte[16];
        BinaryPrimitives.WriteUInt64LittleEndian(payload, instruction);
        BinaryPrimitives.WriteUInt32LittleEndian(payload.AsSpan(8), thread);
        payload[12] = 1;
        payload[14] = 0x80;
        Add(at, EtlEventHeader.PerfInfo(KernelHook.SampledProfile, 2, at), payload);
    }

    private void Add(long ticks, EtlEventHeader header, byte[] payload)
    {
        byte[] kept = [.. payload];
        _events.Add((ticks, _events.Count), writer => writer.Write(0, header, kept));
    }

    private uint Random(uint below)
    {
        _random = (_random * 1_664_525) + 1_013_904_223;
        return (uint)(((ulong)_random * below) >> 32);
    }
}
