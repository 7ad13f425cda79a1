using System.IO.Compression;
using System.Text;
using Tracer.Capture.Merge;
using Tracer.Etl.Kernel;
using Tracer.Symbols;

namespace Tracer.Capture.Tests;

/// <summary>
/// The identities that our merge writes are those that Windows' own merge wrote, for every image of a real trace: its ImageID records say
/// what the headers of the files on that machine were, and its image records what the kernel told.
/// </summary>
public sealed class RealImagesTests
{
    private const string Real = "randomascii-slowppt.etl.gz";

    /// <summary>Mapped for its data in one page, whatever its header says; it has no code that could be blamed.</summary>
    private const string MappedOtherwise = "apisetschema.dll";

    private const byte InfoOpcode = 0;
    private const byte PdbOpcode = 36;

    [Fact]
    public void EveryImageGetsTheIdentityThatWindowsGaveIt()
    {
        var windows = new Identities();
        using EtlReader real = EtlReader.Open(Decompressed(Path.Combine(RepositoryFiles.Corpus(), Real)), Real);
        real.Read(EtlOrder.Time, ref windows);
        using var stream = new MemoryStream();
        ImageIdWriting writing = new(windows, new ImageIdentityCache());
        using (EtlWriter writer = EtlWriter.Create(stream, real.Header, leaveOpen: true))
        {
            var sink = new Writing(writing, writer);
            using EtlReader again = EtlReader.Open(Decompressed(Path.Combine(RepositoryFiles.Corpus(), Real)), Real);
            again.Read(EtlOrder.Time, ref sink);
            writer.Complete(real.Header.EndFileTime);
        }

        stream.Position = 0;
        var ours = new Identities();
        using EtlReader written = EtlReader.Open(stream, "ours.etl");
        written.Read(EtlOrder.Time, ref ours);
        (ulong Base, uint Process)[] expected = [.. windows.Paths.Where(one => windows.Ids.ContainsKey(one.Key)
            && !one.Value.EndsWith(MappedOtherwise, StringComparison.OrdinalIgnoreCase)).Select(one => one.Key)];
        Assert.True(expected.Length > 4_000);
        Assert.Equal(14, expected.Count(one => one.Process == 0 && windows.Ids[one].SizeOfImage % 4096 != 0));
        Assert.Empty(expected.Where(one => !ours.Ids.ContainsKey(one)).Select(one => windows.Paths[one]).Distinct());
        Every.Item(expected, one => Assert.Equal(
            (windows.Ids[one], windows.Pdbs.GetValueOrDefault(one)), (ours.Ids[one], ours.Pdbs.GetValueOrDefault(one))));
        Assert.Equal(expected.Length, writing.Identified);
    }

    private static MemoryStream Decompressed(string path)
    {
        var bytes = new MemoryStream();
        using (var zip = new GZipStream(File.OpenRead(path), CompressionMode.Decompress))
        {
            zip.CopyTo(bytes);
        }

        bytes.Position = 0;
        return bytes;
    }

    private readonly struct Writing(ImageIdWriting identities, EtlWriter writer) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            identities.Copied(writer, in traceEvent, 0);
            return true;
        }
    }

    /// <summary>What a trace says of its images; and the files of the machine that follow from it.</summary>
    private sealed class Identities : IEtlEventSink, IImageFiles
    {
        private readonly Dictionary<string, (ulong Base, uint Process)> _byPath = new(StringComparer.OrdinalIgnoreCase);

        public Dictionary<(ulong Base, uint Process), string> Paths { get; } = [];

        public Dictionary<(ulong Base, uint Process), ImageId> Ids { get; } = [];

        public Dictionary<(ulong Base, uint Process), PdbId> Pdbs { get; } = [];

        public IReadOnlyList<VolumeName> Volumes => [];

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.IsKernelHook)
            {
                if (traceEvent.HookId is KernelHook.ImageDCEnd or KernelHook.ImageDCStart or KernelHook.ImageLoad
                        or KernelHook.ImageLoadOfImageGroup
                    && ImageRecord.TryRead(in traceEvent, out ImageRecord image))
                {
                    string path = Encoding.Unicode.GetString(image.FileName);
                    Paths.TryAdd((image.ImageBase, image.ProcessId ?? 0), path);
                    _byPath.TryAdd(path, (image.ImageBase, image.ProcessId ?? 0));
                }
            }
            else if (traceEvent.ProviderId == KernelRecordCatalog.ImageIdClass)
            {
                if (traceEvent.Opcode == InfoOpcode && ImageIdInfoRecord.TryRead(in traceEvent, out ImageIdInfoRecord info))
                {
                    Ids.TryAdd((info.ImageBase, info.ProcessId), new ImageId(info.TimeDateStamp, (uint)info.ImageSize));
                }
                else if (traceEvent.Opcode == PdbOpcode && ImageIdPdbRecord.TryRead(in traceEvent, out ImageIdPdbRecord pdb))
                {
                    Pdbs.TryAdd((pdb.ImageBase, pdb.ProcessId), new PdbId(pdb.PdbGuid, pdb.Age));
                }
            }

            return true;
        }

        public ImageIdentity? Read(string traceName) =>
            _byPath.TryGetValue(traceName, out (ulong Base, uint Process) first) && Ids.TryGetValue(first, out ImageId id)
                ? new ImageIdentity(id, Pdbs.TryGetValue(first, out PdbId pdb) ? pdb : null, "a.pdb", null)
                : null;
    }
}
