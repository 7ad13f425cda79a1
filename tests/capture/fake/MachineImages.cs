using System.Text;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Tests;

/// <summary>What is known of an image's file.</summary>
internal sealed record MachineImage(string Path, ulong Bytes, uint Checksum, uint TimeDateStamp)
{
    public Guid PdbId { get; init; }

    public uint PdbAge { get; init; }

    public string PdbName { get; init; } = "";

    /// <summary>The texts of the version resource, in the order of the file version record; empty where it has none.</summary>
    public IReadOnlyList<string> Version { get; init; } = [];
}

/// <summary>The image files of a machine, as its merged trace tells of them.</summary>
internal sealed class MachineImages
{
    private const byte PdbOpcode = 36;
    private const byte VersionOpcode = 64;
    private const int VersionTexts = 10;

    private readonly Dictionary<(ulong Base, uint Process), string> _pathAt = [];
    private readonly Dictionary<string, MachineImage> _images = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>An image by its NT path; null where there is none.</summary>
    public MachineImage? Find(string path) => _images.GetValueOrDefault(path);

    /// <summary>Takes what an event tells of images.</summary>
    public void Learn(in EtlEvent traceEvent)
    {
        if (traceEvent.IsKernelHook)
        {
            bool isImage = traceEvent.HookId is KernelHook.ImageLoad or KernelHook.ImageDCStart or KernelHook.ImageLoadOfImageGroup;
            if (isImage && ImageRecord.TryRead(traceEvent, out ImageRecord image))
            {
                string path = Encoding.Unicode.GetString(image.FileName);
                _pathAt[(image.ImageBase, image.ProcessId ?? 0)] = path;
                _images.TryAdd(path, new MachineImage(path, image.ImageSize, image.ImageChecksum ?? 0, image.TimeDateStamp ?? 0));
            }
        }
        else if (traceEvent.Opcode == PdbOpcode && ImageIdPdbRecord.TryRead(traceEvent, out ImageIdPdbRecord pdb)
            && _pathAt.TryGetValue((pdb.ImageBase, pdb.ProcessId), out string? path))
        {
            _images[path] = _images[path] with
            {
                PdbId = pdb.PdbGuid,
                PdbAge = pdb.Age,
                PdbName = Encoding.UTF8.GetString(pdb.PdbFileName),
            };
        }
        else if (traceEvent.Opcode == VersionOpcode && ImageFileVersionRecord.TryRead(traceEvent, out ImageFileVersionRecord version))
        {
            uint stamp = version.TimeDateStamp;
            ulong bytes = version.ImageSize;
            string[] texts = Encoding.Unicode.GetString(traceEvent.Payload[8..]).Split('\0')[..VersionTexts];
            foreach (MachineImage image in _images.Values.Where(one => one.TimeDateStamp == stamp && one.Bytes == bytes).ToArray())
            {
                _images[image.Path] = image with { Version = texts };
            }
        }
    }
}
