using System.Text;
using Tracer.Etl.Decoding;

namespace Tracer.Commands.Tests.Pack;

/// <summary>
/// A secret in every text of every record of the kernel that can be read, in each version, width of pointers and encoding, in the forms
/// that a name may have where Windows keeps its own files: none is in a pack of the trace.
/// </summary>
public sealed class PackFieldsTests : IDisposable
{
    private const int Versions = 6;
    private const int FewestFields = 300;

    /// <summary>Behind so many zeros, in bytes, a text may begin: fields of fixed size, and texts that are empty.</summary>
    private static readonly int[] Offsets = [.. Enumerable.Range(0, 45).Select(i => 2 * i), 148, 532, 552, 788, 800, 1044, 1556, 2068];

    /// <summary>What a secret may look like; % stands for it.</summary>
    private static readonly string[] Forms =
    [
        "%", @"C:\Windows\Prefetch\%.EXE-1A2B3C4D.pf", @"\SystemRoot\System32\config\%.dat", @"C:\Windows\assembly\GAC_MSIL\%.dll",
        @"\Device\HarddiskVolume3\x\Windows\System32\%.log", @"\??\D:\%\drivers\%.sys", "%.exe", "Realtek % Audio", "0171 234 %",
    ];

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-pack-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void No_text_of_any_record_takes_a_secret_into_a_pack()
    {
        List<Place> all = [.. Classes().SelectMany(PlacesOf)];
        List<Place> withText = Readable([.. all.Select(place => place with { Offset = -1 })]);
        List<Place> hit = Readable(
            [.. withText.SelectMany(place => Offsets.SelectMany(offset => new[]
            {
                place with { Offset = offset, IsWide = true }, place with { Offset = offset },
            }))]);
        Assert.InRange(hit.Count, FewestFields, 5000);

        string trace = Path.Combine(_folder, "fields.etl");
        using (FileStream file = File.Create(trace))
        {
            Write(file, hit.SelectMany(place => Forms.Select(form => (place, form))));
        }

        string pack = Path.Combine(_folder, "case.zip");
        (int exitCode, string output, string error) =
            CommandRun.Analyzer("pack", trace, "--from", "0s", "--to", "1s", "--show-redactions", "-o", pack);
        Assert.Equal((ExitCode.Done, ""), (exitCode, error));
        Assert.Empty(SecretSearch.Find(File.ReadAllBytes(pack)));
        int begin = output.IndexOf("\nkept\n", StringComparison.Ordinal);
        string kept = output[begin..output.IndexOf("\nreplaced\n", StringComparison.Ordinal)];
        Assert.DoesNotContain(PlantedSecrets.Mark, kept, StringComparison.OrdinalIgnoreCase);
    }

    private static IEnumerable<(ushort Hook, Guid Class)> Classes()
    {
        for (int hook = 0; hook < 0x2000; hook++)
        {
            // The first group is that of the file's own header.
            if (hook >> 8 != 0 && KernelRecordCatalog.FindHook((ushort)hook) is { HasFields: true })
            {
                yield return ((ushort)hook, Guid.Empty);
            }
        }

        foreach (Guid id in new[] { KernelRecordCatalog.ImageIdClass, new("9b79ee91-b5fd-41c0-a243-4248e266e9d0") })
        {
            for (int opcode = 0; opcode < 256; opcode++)
            {
                if (KernelRecordCatalog.FindClassic(in id, (byte)opcode) is { HasFields: true })
                {
                    yield return ((ushort)opcode, id);
                }
            }
        }
    }

    private static IEnumerable<Place> PlacesOf((ushort Hook, Guid Class) one) => Enumerable.Range(0, Versions)
        .SelectMany(version => new[] { 4, 8 }.Select(width => new Place(one.Hook, one.Class, version, width, 0, IsWide: false)));

    /// <summary>Those whose secret is read as the begin of a text; of those without an offset, those that have a text.</summary>
    private static List<Place> Readable(List<Place> places)
    {
        using var file = new MemoryStream();
        Write(file, places.Select(place => (place, "%")));
        using EtlReader reader = EtlReader.Open(new MemoryStream(file.ToArray()), "fields");
        var sink = new Sink(places, []);
        reader.Read(EtlOrder.File, ref sink);
        return sink.Found;
    }

    private static void Write(Stream output, IEnumerable<(Place Place, string Form)> plants)
    {
        var header = new EtlFileHeader { Clock = new TraceClock(TraceClockKind.Qpc, 10_000_000, 0, 0), ProcessorCount = 1 };
        using var writer = EtlWriter.Create(output, header, leaveOpen: true);
        long ticks = 0;
        foreach ((Place place, string form) in plants)
        {
            EtlEventHeader record = place.Class == Guid.Empty
                ? EtlEventHeader.System(place.Hook, (byte)place.Version, ++ticks, 77, 78, place.Width)
                : EtlEventHeader.Full(place.Class, (byte)place.Hook, (ushort)place.Version, ++ticks, 77, 78, place.Width);
            byte[] payload = new byte[2800];
            if (place.Offset >= 0)
            {
                string secret = form.Replace("%", "Zq7x" + (ticks % 1000), StringComparison.Ordinal);
                (place.IsWide ? Encoding.Unicode : Encoding.UTF8).GetBytes(secret).CopyTo(payload, place.Offset);
            }

            writer.Write(0, record, payload);
        }

        writer.Complete(0);
    }

    private readonly record struct Place(ushort Hook, Guid Class, int Version, int Width, int Offset, bool IsWide);

    private struct Sink(List<Place> places, List<Place> found) : IEtlEventSink
    {
        private int _at;

        public readonly List<Place> Found => found;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (KernelHook.Of(in traceEvent) is { } hook && hook >> 8 == 0)
            {
                return true;
            }

            Place place = places[_at++];
            var fields = new Fields(place);
            if (KernelRecordCatalog.Find(in traceEvent) is { } known && known.WriteFields(in traceEvent, fields) && fields.IsHit)
            {
                found.Add(place);
            }

            return true;
        }
    }

    private sealed class Fields(Place place) : IFieldSink
    {
        private static readonly byte[] Wide = Encoding.Unicode.GetBytes("Zq7x");

        public bool IsHit { get; private set; }

        public void Field(string name, in FieldValue value) => IsHit |= place.Offset < 0
            ? value.Kind is FieldKind.Utf16Text or FieldKind.Text8
            : value.Kind switch
            {
                FieldKind.Utf16Text => place.IsWide && value.Bytes.StartsWith(Wide),
                FieldKind.Text8 => !place.IsWide && value.Bytes.StartsWith("Zq7x"u8),
                _ => false,
            };

        public void BeginStruct(string name)
        {
        }

        public void EndStruct()
        {
        }

        public void BeginArray(string name)
        {
        }

        public void EndArray()
        {
        }
    }
}
