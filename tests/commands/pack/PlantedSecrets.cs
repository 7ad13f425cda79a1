using System.Buffers.Binary;
using System.Text;
using Tracer.Etl.Decoding;

namespace Tracer.Commands.Tests.Pack;

/// <summary>
/// Copies a trace and plants secrets in it: in every record that can hold text, in all versions, in UTF-16, UTF-8 and 8-bit text, behind
/// numbers that are known, in records that nobody knows, in headers, counters, extended items and schemas. Every secret holds
/// <see cref="Mark"/> in some case, or <see cref="Foreign"/>.
/// </summary>
internal sealed class PlantedSecrets
{
    /// <summary>What no trace, page or program holds by itself, in small letters.</summary>
    public const string Mark = "zq7x";

    /// <summary>The same in letters that are no ASCII.</summary>
    public const string Foreign = "Жщъ";

    /// <summary>Numbers that are secrets: an address of hardware, one of the network, a user, a machine.</summary>
    public static readonly byte[][] Numbers =
    [
        [0x5A, 0xC7, 0x91, 0xE3, 0x7B, 0xD9], [10, 77, 203, 158], [0xFD, 0x37, 0xA1, 0x95, 0x2B, 0xE8, 0x44, 0xC9],
        [0x15, 0xB3, 0x8D, 0x4F, 0x6A, 0x72, 0xC1, 0xE9], [0x9D, 0x31, 0x7E, 0xAC, 0x58, 0x4B, 0xF2, 0x60],
    ];

    private readonly List<Action<EtlWriter, long>> _plants = [];
    private readonly EtlFileHeader _base;

    private PlantedSecrets(EtlFileHeader header) => _base = header;

    /// <summary>How many were planted.</summary>
    public int Count { get; private set; }

    /// <param name="source">The trace that has none.</param>
    /// <param name="output">Takes the trace that has.</param>
    /// <returns>How many it has.</returns>
    public static int Write(EtlReader source, Stream output)
    {
        var secrets = new PlantedSecrets(source.Header);
        secrets.PlantAll();
        EtlFileHeader header = source.Header with
        {
            SessionName = secrets.Next(),
            FileName = $@"C:\Users\{secrets.Next()}\{secrets.Next()}.etl",
            TimeZone = new EtlTimeZone(-60, secrets.Next(), default, 0, secrets.Next()),
            Mode = EtlLogFileMode.Sequential,
        };
        using var writer = EtlWriter.Create(output, header, leaveOpen: true);
        long start = writer.Header.Clock.HeaderTicks;
        writer.WriteToHeaderBuffer(EtlEventHeader.System(0x0040, 2, start, 4, 8), [.. new byte[20], .. secrets.Narrow()]);
        writer.WriteToHeaderBuffer(EtlEventHeader.System(0x0042, 2, start, 4, 8), secrets.Narrow());
        writer.WriteToHeaderBuffer(EtlEventHeader.System(0x0043, 2, start, 4, 8), [.. new byte[4], .. secrets.Wide()]);
        writer.WriteToHeaderBuffer(EtlEventHeader.System(0x0052, 2, start, 4, 8), [1, 0, 0, 0, .. secrets.Wide()]);
        var sink = new Copy(secrets, writer);
        source.Read(EtlOrder.Time, ref sink);
        Assert.Equal(secrets._plants.Count, sink.Planted);
        writer.Complete(header.EndFileTime);
        return secrets.Count;
    }

    private string Next()
    {
        int number = Count++;
        return (number % 4) switch
        {
            0 => $"Zq7x{number:000}Kw",
            1 => $"ZQ7X{number:000}KW",
            2 => $"zq7x{number:000}-ä",
            _ => $"{Foreign}{number:000}",
        };
    }

    private byte[] Wide() => [.. Encoding.Unicode.GetBytes(Next()), 0, 0];

    private byte[] Narrow() => [.. Encoding.UTF8.GetBytes(Next()), 0];

    private static byte[] Wide(string text) => [.. Encoding.Unicode.GetBytes(text), 0, 0];

    private static byte[] Narrow(string text) => [.. Encoding.UTF8.GetBytes(text), 0];

    private static byte[] Fixed(string text, int characters)
    {
        byte[] field = new byte[2 * characters];
        Encoding.Unicode.GetBytes(text).CopyTo(field, 0);
        return field;
    }

    private static byte[] Number(params ReadOnlySpan<ulong> values)
    {
        byte[] bytes = new byte[8 * values.Length];
        for (int i = 0; i < values.Length; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(8 * i), values[i]);
        }

        return bytes;
    }

    private void Hook(int hook, int version, params byte[][] parts) => _plants.Add((writer, ticks) => writer.Write(
        0, EtlEventHeader.System((ushort)hook, (byte)version, ticks, 77, 78), [.. parts.SelectMany(part => part)]));

    private void Class(Guid id, int opcode, int version, params byte[][] parts) => _plants.Add((writer, ticks) => writer.Write(
        0, EtlEventHeader.Full(id, (byte)opcode, (ushort)version, ticks, 77, 78), [.. parts.SelectMany(part => part)]));

    private void PlantAll()
    {
        PlantProcesses();
        PlantImages();
        PlantIdentities();
        PlantFiles();
        PlantMachine();
        PlantBehindNumbers();
        PlantUnknown();
        PlantProviders();
    }

    private void PlantProcesses()
    {
        byte[] user = [1, 5, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0, .. Numbers[3], .. Numbers[4][..4], 0xE9, 3, 0, 0];
        foreach (int hook in new[] { 0x0301, 0x0302, 0x0303, 0x0304, 0x0327 })
        {
            for (int version = 1; version <= 5; version++)
            {
                uint process = (uint)(70_000 + (hook << 3) + version);
                byte[] ids = [.. Number(0xFFFF_8000_1234_5000, process | (4UL << 32)), .. new byte[8]];
                byte[] numbers = [.. ids, .. version >= 3 ? Number(0x1AB000) : [], .. version >= 4 ? new byte[4] : []];
                byte[] token = version % 2 == 0 ? [.. Number(1, 0), .. user] : new byte[4];
                Hook(
                    hook,
                    version,
                    numbers,
                    token,
                    Narrow(Next() + ".exe"),
                    version >= 2 ? Wide($"\"C:\\Users\\{Next()}\\{Next()}.exe\" --key {Next()} \\\\{Next()}\\share") : [],
                    version >= 4 ? Wide(Next() + "_8wekyb3d8bbwe") : [],
                    version >= 4 ? Wide(Next() + "!App") : [],
                    version >= 5 ? Number(133_000_000_000_000_000) : [],
                    Wide());
            }
        }

        byte[] thread = [.. Number(4 | (91_000UL << 32), 0, 0, 0, 0, 0, 0, 0), .. Number(8UL << 32)];
        for (int hook = 0x0501; hook <= 0x0504; hook++)
        {
            Hook(hook, 3, thread, Wide());
            Hook(hook, 4, thread, Wide());
        }

        Hook(0x0548, 2, Number(4 | (91_000UL << 32)), Wide());
    }

    private void PlantImages()
    {
        ulong address = 0x7FF6_1000_0000;
        ulong kernel = 0xFFFF_F8F1_0000_0000;
        foreach (int hook in new[] { 0x030A, 0x1402, 0x1403, 0x1404, 0x140A })
        {
            foreach (string path in new[]
            {
                $@"\Device\HarddiskVolume3\Users\{Next()}\AppData\Local\{Next()}\{Next()}.dll",
                $@"\Device\HarddiskVolume3\USERS\{Next().ToUpperInvariant()}\{Next()}.EXE",
                $@"\Device\HarddiskVolume3\Program Files\{Next()}\{Next()}.dll",
                $@"\Device\HarddiskVolume3\Windows\System32\{Next()}.exe",
                $@"\Device\HarddiskVolume3\Windows\Temp\{Next()}.dll",
                $@"\Device\HarddiskVolume3\Windows\System32\{Next()}.dll",
                $@"\Device\HarddiskVolume3\Windows\assembly\GAC_MSIL\{Next()}.dll",
                $@"\Device\HarddiskVolume3\backup\Windows\System32\{Next()}.dll",
                $@"\Device\Mup\{Next()}\{Next()}$\{Next()}.dll",
                $@"C:\DOCUME~1\{Next()}~1\LOCALS~1\{Next()}.dll",
                $@"\Device\HarddiskVolume3\Documents and Settings\{Next()}\x.dll",
                Next(),
            })
            {
                Image(hook, 3, address += 0x100_0000, 4242, path);
            }

            Image(hook, 0, address += 0x100_0000, 4242, $@"C:\Users\{Next()}\{Next()}.dll");
            Image(hook, 1, address += 0x100_0000, 4242, $@"C:\Users\{Next()}\{Next()}.dll");
            Image(hook, 2, address += 0x100_0000, 4242, $@"C:\Users\{Next()}\{Next()}.dll");
            Image(hook, 3, kernel += 0x100_0000, 0, $@"\Device\HarddiskVolume3\Users\{Next()}\src\{Next()}\{Next()}.sys");
            Image(hook, 3, kernel += 0x100_0000, 4242, $@"\Device\HarddiskVolume3\Windows\System32\{Next()}.dll"); // A program's, so high.
            const string Store = @"\SystemRoot\System32\DriverStore\FileRepository\";
            Image(hook, 3, kernel += 0x100_0000, 0, $@"{Store}{Next()}.inf_amd64_0123456789abcdef\x.sys");
        }

        // A driver whose own name holds that of a person.
        string person = Next();
        Image(0x1403, 3, kernel += 0x100_0000, 0, $@"\??\C:\Users\{person}\{person}drv.sys");
    }

    private void Image(int hook, int version, ulong address, uint process, string path)
    {
        byte[] numbers = version switch
        {
            0 => [.. Number(address), .. Number(0x8000)[..4]],
            1 => [.. Number(address, 0x8000), .. Number(process)[..4]],
            _ => [.. Number(address, 0x8000), .. Number(process | (0x1234UL << 32), 0x5C00_1234), .. Number(address), .. new byte[16]],
        };
        Hook(hook, version, numbers, Wide(path), Wide());
    }

    private void PlantIdentities()
    {
        Guid id = KernelRecordCatalog.ImageIdClass;
        byte[] ofUser = [.. Number(0x7FF6_1100_0000), .. Number(4242)[..4]];
        byte[] ofKernel = [.. Number(0xFFFF_F8F1_0100_0000), .. new byte[4]];
        foreach (byte[] image in new[] { ofUser, ofKernel })
        {
            Class(id, 36, 2, image, new byte[20], Narrow($@"C:\Users\{Next()}\source\{Next()}\x64\Release\pofu.pdb"));
            Class(id, 37, 2, image, new byte[20], Narrow($@"D:\{Next()}\{Next()}.pdb"));
            Class(id, 36, 2, image, new byte[20], Narrow($@"D:\{Next()}.pdb"));
            Class(id, 34, 2, image, new byte[12], Wide());
            Class(id, 38, 2, image, new byte[8], Wide());
            Class(id, 39, 2, image, new byte[24], Wide());
            Class(id, 40, 1, image, Wide());
            Class(id, 41, 1, Wide());
            Class(id, 32, 2, image, Wide());
        }

        Class(id, 0, 2, Number(0x7FF6_1100_0000, 0x8000), Number(4242 | (0x77UL << 32)), Wide(Next() + ".dll"));
        byte[][] texts = [.. Enumerable.Range(0, 10).Select(_ => Wide())];
        Class(id, 64, 0, [Number(0x8000 | (0x77UL << 32)), .. texts]);
        Class(id, 99, 0, Wide(), Narrow());
    }

    private void PlantFiles()
    {
        foreach (int hook in new[] { 0x0400, 0x0420, 0x0423, 0x0424 })
        {
            Hook(hook, 2, Number(0xFFFF_A000_1000_0000), Wide($@"\Device\HarddiskVolume3\Users\{Next()}\Documents\{Next()}.docx"));
            Hook(hook, 2, Number(0xFFFF_A000_1000_1000), Wide($@"\Device\HarddiskVolume3\{Next()}\{Next()}.dat"), Wide());
            Hook(hook, 2, Number(0xFFFF_A000_1000_2000), Wide($@"C:\Windows\Prefetch\{Next()}.EXE-1A2B3C4D.pf"));
            Hook(hook, 2, Number(0xFFFF_A000_1000_3000), Wide($@"C:\Windows\System32\config\{Next()}.dat"));
            Hook(hook, 2, Number(0xFFFF_A000_1000_4000), Wide($@"C:\Windows\{Next()}.log"));
        }

        Hook(0x0440, 3, new byte[36], Wide($@"C:\{Next()}\{Next()}"));
        Hook(0x0440, 2, new byte[36], Wide($@"\\{Next()}\{Next()}\x"));
        for (int hook = 0x090A; hook <= 0x091B; hook++)
        {
            Hook(hook, 2, new byte[24], Wide($@"\REGISTRY\USER\S-1-5-21-{Next()}\Software\{Next()}"));
        }

        foreach (int hook in new[] { 0x060A, 0x060B, 0x060C, 0x060D, 0x060F, 0x080A, 0x080B })
        {
            Hook(hook, 2, Number(4242 | (100UL << 32)), Numbers[1], Numbers[1], new byte[32]);
        }

        foreach (int hook in new[] { 0x061A, 0x061B, 0x081A, 0x081B })
        {
            Hook(hook, 2, Number(4242 | (100UL << 32)), Numbers[2], Numbers[2], new byte[44]);
        }
    }

    private void PlantMachine()
    {
        for (int version = 2; version <= 3; version++)
        {
            Hook(0x0B0A, version, new byte[20], Fixed(Next(), 256), Fixed(Next(), 134), new byte[version == 2 ? 8 : 28], Wide());
        }

        Hook(0x0B0B, 2, new byte[40], Fixed("Samsung SSD " + Next(), 256), new byte[16], Wide());
        Hook(0x0B0C, 2, new byte[28], Fixed(Next()[..3] + "7", 4), Wide(), new byte[120]);
        byte[][] addresses = [Wide("Intel(R) " + Next()), Wide(), Wide($"{Next()}; 10.77.203.158")];
        Hook(0x0B0D, 2, [Numbers[0], new byte[2], Number(6), new byte[4], .. addresses]);
        byte[][] video = [.. Enumerable.Range(0, 5).Select(_ => Fixed(Next(), 256))];
        Hook(0x0B0E, 2, [new byte[20], .. video, new byte[4], Wide()]);
        Hook(0x0B0F, 3, new byte[12], Wide(), Wide(), Wide(), Wide(), Wide());
        Hook(0x0B12, 2, new byte[64], Wide(), Wide(), Narrow(), Narrow());
        Hook(0x0B15, 3, new byte[20], Wide($@"PCI\VEN_8086&DEV_15BC\{Next()}"));
        for (int version = 3; version <= 5; version++)
        {
            byte[] filters = [.. new byte[16], 1, 0, 0, 0, 1, 0, 0, 0];
            byte[] numbers = version switch { 3 => new byte[12], 4 => filters, _ => [.. filters, .. new byte[8]] };
            Hook(
                0x0B16,
                version,
                numbers,
                Wide($@"USB\VID_046D&PID_C52B\{Next()}"),
                Wide($"{Next()} Audio Device"),
                Wide($"Headset of {Next()}"),
                Wide($@"\Device\{Next()}"),
                Wide(),
                Wide(),
                Wide(),
                Wide());
        }

        Hook(0x0B17, 2, Number(0, 0), Wide());
        Hook(0x0B19, 2, Wide(), Wide(), Wide(), Wide());
        Hook(0x0B1E, 2, Numbers[4], Numbers[4], Wide());
        Hook(0x0B22, 2, Wide(), Wide());
        Hook(0x0B23, 2, new byte[12], Fixed(Next(), 64), Fixed(Next(), 128), Fixed(Next(), 16), Wide());
        for (int hook = 0x0B10; hook <= 0x0B30; hook++)
        {
            Hook(hook, 9, new byte[48], Wide(), Narrow());
        }

        Guid more = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
        Class(more, 32, 0, new byte[8], Wide(), Wide());
        Class(more, 33, 0, Wide($@"C:\{Next()}\system32"), Wide($@"C:\{Next()}"));
        Class(more, 34, 0, Wide($@"\Device\{Next()}"));
        Class(more, 35, 0, Wide($@"\Device\{Next()}\"), Wide($@"C:\{Next()}\"));
        Class(more, 36, 0, new byte[24], Wide(), Wide());
        Class(more, 37, 0, Wide(), Narrow());
        Class(new("bbccf6c1-6cd1-48c4-80ff-839482e37671"), 32, 0, new byte[100], Wide(), Wide());
        Class(new("bbccf6c1-6cd1-48c4-80ff-839482e37671"), 33, 0, new byte[40], Wide());
        Class(new("ed54dff8-c409-4cf6-bf83-05e1e61a09c4"), 33, 0, Narrow());
    }

    /// <summary>Text behind the numbers of records that are all numbers, as a later version or a mistake may leave it there.</summary>
    private void PlantBehindNumbers()
    {
        int[] hooks =
        [
            0x0F47, 0x0F2F, 0x0F32, 0x0F43, 0x0F5F, 0x0F42, 0x0F44, 0x0F45, 0x0F46, 0x0F60, 0x0F61, 0x0F62, 0x0F67, 0x0F64, 0x0F65,
            0x0532, 0x0529, 0x1233, 0x123C, 0x0220, 0x1825, 0x1826, 0x1820, 0x1822, 0x1823, 0x1824, 0x1422, 0x0F4F, 0x0F37, 0x0F30,
            0x0F31, 0x0525, 0x0530, 0x0539, 0x010A, 0x010E, 0x0122, 0x0262, 0x0443, 0x044C, 0x0460, 0x030B, 0x0320, 0x0F33, 0x0F50,
            0x0F51, 0x0F57, 0x0F5A, 0x0F66,
        ];
        foreach (int hook in hooks)
        {
            Hook(hook, 2, new byte[64], Wide());
            Hook(hook, 2, new byte[64], Narrow());
        }

        Hook(0x0F49, 3, Number(7), new byte[4], Wide());
        Hook(0x0F22, 0, Narrow());
        Hook(0x0F22, 0, Narrow("phase of " + Next()));

        // A counter before the payload.
        _plants.Add((writer, ticks) => writer.Write(
            0,
            EtlEventHeader.PerfInfo(0x0F47, 2, ticks) with { CounterCount = 2, HasPebsIndex = true },
            [.. Fixed(Next(), 12), .. new byte[16]]));
    }

    private void PlantUnknown()
    {
        for (int group = 0; group < 24; group++)
        {
            int hook = ((0x02 + group) << 8) | 0xE7;
            Hook(hook, 0, Wide(), Narrow());
            Class(new Guid($"aa0000{group:x2}-1111-2222-3333-444455556666"), group, 1, Narrow(), Wide());
        }

        Guid provider = new("77777777-1111-2222-3333-444455556666");
        foreach (EtlEventHeader header in new[]
        {
            EtlEventHeader.Instance(provider, 1, 1, 0, 77, 78) with { ParentClassId = new Guid([.. Numbers[4], .. Numbers[3]]) },
            EtlEventHeader.Message(provider, 10, 0, 77, 78),
            EtlEventHeader.Message(provider, 11, 0, 77, 78) with { MessageFields = 0 },
            EtlEventHeader.Full(provider, 1, 1, 0, 77, 78, pointerBytes: 4),
            EtlEventHeader.Compact(0x03E9, 1, 0, 77, 78),
            EtlEventHeader.PerfInfo(0x0FE9, 1, 0),
            EtlEventHeader.System(0x0301, 3, 0, 77, 78, pointerBytes: 4),
            EtlEventHeader.System(0x1403, 2, 0, 77, 78, pointerBytes: 4),
        })
        {
            byte[] text = [.. new byte[48], .. Wide(), .. Narrow()];
            _plants.Add((writer, ticks) => writer.Write(0, header with { TimestampTicks = ticks }, text));
        }
    }

    private void PlantProviders()
    {
        Guid[] providers =
        [
            new("12345678-aaaa-bbbb-cccc-1234567890ab"), ClrEvents.ProviderId, new("0f67e49f-fe51-4e9f-b490-6f2948cc6027"),
            new("331c3b3a-2005-44c2-ac5e-77220c37d6b4"), new("c514638f-7723-485b-bcfc-96565d735d4a"),
            new("22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716"), TracerProvider.Id,
        ];
        foreach (Guid provider in providers)
        {
            foreach (ushort id in new ushort[] { 0, 1, 3, 7, 9, 10, 14, 15, 65, 300, 506, 507 })
            {
                byte[] payload = [.. new byte[24], .. Wide(), .. Narrow()];
                _plants.Add((writer, ticks) => writer.Write(0, EtlEventHeader.Event(provider, id, 1, ticks, 77, 78), payload));
            }
        }

        // A method of the firmware whose name is none.
        byte[] method = Encoding.Unicode.GetBytes(Next());
        byte[] acpi = [(byte)(method.Length / 2), 0, .. method, .. new byte[10], .. Wide()];
        _plants.Add((writer, ticks) => writer.Write(
            0, EtlEventHeader.Event(new("c514638f-7723-485b-bcfc-96565d735d4a"), 7, 0, ticks, 77, 78), acpi));

        // Events that describe themselves: names of provider, event and fields, and texts in them.
        for (int i = 0; i < 10; i++)
        {
            var schema = new TraceLoggingEventSchema(
                new TraceLoggingProvider(Next(), new Guid(i, 1, 2, [3, 4, 5, 6, 7, 8, 9, 10])),
                Next(),
                [new TraceLoggingField(Next(), TraceLoggingInType.UnicodeString, TraceLoggingOutType.Default)]);
            byte[] payload = Wide();
            _plants.Add((writer, ticks) => writer.Write(0, schema.Header(ticks, 77, 78), payload, schema.Items));
        }

        // Our own event with more behind it.
        TraceLoggingEventSchema own = TracerProvider.RundownLoss.Schema();
        byte[] loss = [.. new byte[8], .. Wide()];
        EtlExtendedItem[] extended =
        [
            .. own.Items,
            new(EtlExtendedItemKind.Sid, Numbers[3]),
            new(EtlExtendedItemKind.PsmKey, Wide()),
            new(EtlExtendedItemKind.ContainerId, Narrow()),
            new(EtlExtendedItemKind.StackTrace64, (byte[])[.. new byte[8], .. Wide(), .. Wide()]),
        ];
        _plants.Add((writer, ticks) => writer.Write(0, own.Header(ticks, 77, 78), loss, extended));

        // A manifest, as .NET's event sources log theirs.
        byte[] manifest = [1, 1, 0, 0x5B, 1, 0, 0, 0, .. Encoding.UTF8.GetBytes($"<instrumentationManifest><provider name=\"{Next()}\"/>")];
        _plants.Add((writer, ticks) => writer.Write(
            0, EtlEventHeader.Event(providers[0], 0xFFFE, 1, ticks, 77, 78) with { Opcode = 0xFE, Task = 0xFFFE }, manifest));
        (Guid other, Guid activity) = (new Guid([.. Numbers[4], .. Numbers[3]]), new Guid([.. Numbers[3], .. Numbers[4]]));
        _plants.Add((writer, ticks) => writer.Write(
            0, EtlEventHeader.Event(other, 5, 1, ticks, 77, 78) with { ActivityId = activity }, []));
    }

    private struct Copy(PlantedSecrets secrets, EtlWriter writer) : IEtlEventSink
    {
        private const int Every = 7;

        private long _events;

        public int Planted { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (KernelHook.Of(in traceEvent) is { } hook && hook >> 8 == 0)
            {
                return true;
            }

            writer.WriteRecord(traceEvent.Cpu, traceEvent.Record);
            if (++_events % Every == 0 && Planted < secrets._plants.Count)
            {
                secrets._plants[Planted++](writer, traceEvent.TimestampTicks);
            }

            return true;
        }
    }
}
