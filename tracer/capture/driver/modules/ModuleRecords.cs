using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Tracer.Capture.Merge;
using Tracer.Symbols;

namespace Tracer.Capture.Driver.Modules;

/// <summary>Makes the records that tell a recording's reader which images lie where and which PDBs they have.</summary>
public static class ModuleRecords
{
    /// <summary>
    /// Makes a record for each module. Its time stamp, checksum and PDB come from the file on disk, and stay empty where that can't be read
    /// or is not the image that is loaded.
    /// </summary>
    public static IReadOnlyList<ModuleRecord> Of(IEnumerable<KernelModule> modules)
    {
        var records = new List<ModuleRecord>();
        foreach (KernelModule module in modules)
        {
            var record = new ModuleRecord
            {
                Header = new DriverRecordHeader { Type = DriverRecordType.Module, Size = (ushort)Unsafe.SizeOf<ModuleRecord>() },
                Base = module.Base,
                ImageBytes = module.ImageBytes,
            };
            if (Put(ref record.Name, FileName(module.Path)))
            {
                AddIdentity(ref record, module);
                records.Add(record);
            }
        }

        return records;
    }

    private static void AddIdentity(ref ModuleRecord record, in KernelModule module)
    {
        try
        {
            // Read, not mapped: whoever cuts a mapped file short would end this process.
            using FileStream stream = new(module.Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            if (!PeImage.TryRead(new StreamedBytes(stream), out PeImage? image, out _) || !image.Id.IsMappedAs(module.ImageBytes))
            {
                return;
            }

            record.Timestamp = image.Id.TimeDateStamp;
            record.Checksum = image.CheckSum;
            if (image.Pdbs.FirstOrDefault(pdb => pdb.Id is not null && !pdb.IsPortable) is { Id: { } id } named
                && Put(ref record.PdbName, named.FileName))
            {
                record.PdbGuid = id.Guid;
                record.PdbAge = id.Age;
            }
        }
        catch (Exception unreadable) when (unreadable is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            // Then the record says where the module is and what it is called: still enough to name it.
        }
    }

    private static string FileName(string path) => path[(path.AsSpan().LastIndexOfAny('\\', '/') + 1)..];

    /// <summary>Puts a name where it belongs if it fits with its NUL.</summary>
    private static bool Put(ref NameBytes field, string name)
    {
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<NameBytes>(ref field));
        return name.Length > 0 && Encoding.UTF8.TryGetBytes(name, bytes[..^1], out _);
    }
}
