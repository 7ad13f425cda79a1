namespace Tracer.Symbols.Pdb;

/// <summary>
/// S_INLINESITE and S_INLINESITE2: a call whose callee's code stands in the caller (cvinfo.h: INLINESITESYM, INLINESITESYM2). Behind the
/// kind:
/// <code>
///  0 4 scope outside      8 4 id of the callee       12 .. annotations of S_INLINESITE
///  4 4 its end           12 4 how often it was run   16 .. annotations of S_INLINESITE2
/// </code>
/// </summary>
internal readonly ref struct InlineSiteRecord
{
    private const int InlineeAt = 8;
    private const int AnnotationsAt = 12;
    private const int AnnotationsAt2 = 16;

    private InlineSiteRecord(uint inlinee, ReadOnlySpan<byte> annotations)
    {
        Inlinee = inlinee;
        Annotations = annotations;
    }

    public uint Inlinee { get; }

    /// <summary>Its addresses and lines: see <see cref="BinaryAnnotations"/>.</summary>
    public ReadOnlySpan<byte> Annotations { get; }

    public static bool TryRead(ushort kind, ReadOnlySpan<byte> fields, out InlineSiteRecord record)
    {
        int annotations = kind == SymbolKinds.InlineSite2 ? AnnotationsAt2 : AnnotationsAt;
        record = fields.Length < annotations ? default : new(LittleEndian.UInt32(fields, InlineeAt), fields[annotations..]);
        return fields.Length >= annotations;
    }
}
