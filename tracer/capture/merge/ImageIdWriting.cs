using System.Buffers.Binary;
using System.Text;
using Tracer.Analysis.Slicing;
using Tracer.Etl.Kernel;
using Tracer.Symbols;

namespace Tracer.Capture.Merge;

/// <summary>
/// Writes behind image records what identifies the image: ImageID records made from the files on disk, as Windows' own merge does.
/// Each has the process and time stamp of its image record. An image whose file is not what was loaded gets none.
/// </summary>
/// <param name="cache">What was read from them before.</param>
public sealed class ImageIdWriting(IImageFiles files, ImageIdentityCache cache) : ICopyFollower
{
    private const byte ImageIdVersion = 2;
    private const byte WithoutDebugOpcode = 32;
    private const byte FileVersionOpcode = 64;

    /// <summary>Names and texts of images are shown, not used: longer ones are cut.</summary>
    private const int LongestText = 260;
    private const int LongestPayload = 8192;

    private readonly byte[] _payload = new byte[LongestPayload];
    private readonly HashSet<(ulong Base, uint Process)> _told = [];
    private readonly HashSet<ImageId> _versionsTold = [];

    public int Identified { get; private set; }

    /// <summary>Image records without an identity.</summary>
    public UnidentifiedImages Unidentified { get; private set; }

    public void Copied(EtlWriter writer, in EtlEvent traceEvent, int cpu)
    {
        if (traceEvent.HookId is KernelHook.ImageDCEnd or KernelHook.ImageDCStart
            or KernelHook.ImageLoad or KernelHook.ImageLoadOfImageGroup)
        {
            Write(writer, in traceEvent, cpu);
        }
    }

    /// <summary>Writes the identity of an image, once for each address space.</summary>
    /// <param name="imageEvent">The image record, which was written just before.</param>
    public void Write(EtlWriter writer, in EtlEvent imageEvent, int cpu)
    {
        ArgumentNullException.ThrowIfNull(writer);
        if (!ImageRecord.TryRead(in imageEvent, out ImageRecord image))
        {
            return;
        }

        uint process = image.ProcessId ?? 0;
        if (!_told.Add((image.ImageBase, process)))
        {
            return;
        }

        string name = Encoding.Unicode.GetString(image.FileName);
        uint stamp = image.TimeDateStamp ?? 0;
        ImageIdentity? identity = cache.Of(name, files);
        if (identity is null)
        {
            Unidentified = files.StampOf(name) is null
                ? Unidentified with { Missing = Unidentified.Missing + 1 }
                : Unidentified with { Unreadable = Unidentified.Unreadable + 1 };
            return;
        }

        if (!identity.Id.IsMappedAs(image.ImageSize) || (stamp != 0 && stamp != identity.Id.TimeDateStamp))
        {
            Unidentified = Unidentified with { Replaced = Unidentified.Replaced + 1 };
            return;
        }

        Identified++;
        WriteIdentity(writer, cpu, imageEvent.TimestampTicks, imageEvent.PointerBytes, image.ImageBase, process, identity);
    }

    private void WriteIdentity(
        EtlWriter writer, int cpu, long ticks, int pointerBytes, ulong imageBase, uint process, ImageIdentity identity)
    {
        var info = new KernelImage(
            imageBase, identity.Id.SizeOfImage, process, identity.Id.TimeDateStamp, Cut(identity.Version?.OriginalFileName ?? ""));
        EtlEventHeader Header(byte opcode, ushort version) =>
            EtlEventHeader.Full(KernelRecordCatalog.ImageIdClass, opcode, version, ticks, process, uint.MaxValue, pointerBytes);

        int bytes = KernelPayloadWriter.WriteImageIdInfo(_payload, info, pointerBytes);
        writer.Write(cpu, Header(KernelPayloadWriter.ImageIdInfoOpcode, ImageIdVersion), _payload.AsSpan(0, bytes));
        if (identity.Pdb is { } pdb)
        {
            bytes = KernelPayloadWriter.WriteImageIdRsds(
                _payload, imageBase, process, pdb.Guid, pdb.Age, Cut(identity.PdbName), pointerBytes);
            writer.Write(cpu, Header(KernelPayloadWriter.ImageIdRsdsOpcode, ImageIdVersion), _payload.AsSpan(0, bytes));
        }
        else
        {
            bytes = WriteBase(imageBase, process, pointerBytes);
            writer.Write(cpu, Header(WithoutDebugOpcode, ImageIdVersion), _payload.AsSpan(0, bytes));
        }

        if (identity.Version is { } texts && _versionsTold.Add(identity.Id))
        {
            bytes = WriteVersion(identity.Id, texts);
            writer.Write(cpu, Header(FileVersionOpcode, 0), _payload.AsSpan(0, bytes));
        }
    }

    private static string Cut(string text)
    {
        int end = text.IndexOf('\0', StringComparison.Ordinal);
        text = end < 0 ? text : text[..end];
        return text.Length <= LongestText ? text : text[..LongestText];
    }

    private int WriteBase(ulong imageBase, uint process, int pointerBytes)
    {
        if (pointerBytes == sizeof(ulong))
        {
            BinaryPrimitives.WriteUInt64LittleEndian(_payload, imageBase);
        }
        else
        {
            BinaryPrimitives.WriteUInt32LittleEndian(_payload, (uint)imageBase);
        }

        BinaryPrimitives.WriteUInt32LittleEndian(_payload.AsSpan(pointerBytes), process);
        return pointerBytes + sizeof(uint);
    }

    private int WriteVersion(ImageId id, ImageVersionTexts texts)
    {
        var payload = new TraceLoggingPayload(_payload);
        payload.UInt32(id.SizeOfImage);
        payload.UInt32(id.TimeDateStamp);
        payload.UnicodeString(Cut(texts.OriginalFileName));
        payload.UnicodeString(Cut(texts.Description));
        payload.UnicodeString(Cut(texts.FileVersion));
        payload.UnicodeString(Cut(texts.NumberVersion));
        payload.UnicodeString(""); // Language of the resource.
        payload.UnicodeString(Cut(texts.Product));
        payload.UnicodeString(Cut(texts.Company));
        payload.UnicodeString(Cut(texts.ProductVersion));
        payload.UnicodeString(""); // FileId and ProgramId: ids of Windows' inventory.
        payload.UnicodeString("");
        return payload.Bytes.Length;
    }
}

/// <summary>Image records that got no identity, by why.</summary>
/// <param name="Missing">There is no such file.</param>
/// <param name="Unreadable">There is one; another program has locked it, it may not be read, or it is no image.</param>
/// <param name="Replaced">The file is not the one that was loaded.</param>
public readonly record struct UnidentifiedImages(int Missing, int Unreadable, int Replaced)
{
    /// <summary>How many, and why; null where all have one.</summary>
    public string? Told()
    {
        (int Count, string Why)[] reasons =
        [
            (Missing, "not found"),
            (Unreadable, "could not be read (locked, denied, or no image)"),
            (Replaced, "replaced since they were loaded"),
        ];
        string why = string.Join(", ", reasons.Where(static one => one.Count > 0).Select(static one => $"{one.Count} {one.Why}"));
        return why.Length == 0 ? null : $"images without an id in the trace: {why}; they have their names, not their symbols";
    }
}
