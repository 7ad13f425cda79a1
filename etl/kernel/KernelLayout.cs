using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// How the payload of a record is laid out, for all its versions and both widths of pointers: fields one behind the other, without gaps.
/// The one interpreter of the records that are only shown or written; those that an analysis reads often have a view of their own
/// (<see cref="IKernelRecord{TSelf}"/>).
/// </summary>
public sealed class KernelLayout
{
    private readonly KernelField[] _fields;
    private readonly int[] _fixedBytesWith8;
    private readonly int[] _fixedBytesWith4;

    /// <summary>Makes a layout: first fields of fixed size, then at most one list, then texts that end themselves.</summary>
    public KernelLayout(params KernelField[] fields)
    {
        int variable = Array.FindIndex(fields, field => field.IsVariable);
        if (variable >= 0 && !Array.TrueForAll(fields[(variable + 1)..], field => field.IsVariable && field.Elements.Length == 0))
        {
            throw new ArgumentException("Behind a list, or a text that ends itself, only such texts may stand.", nameof(fields));
        }

        _fields = fields;
        _fixedBytesWith8 = FixedBytes(8);
        _fixedBytesWith4 = FixedBytes(4);
    }

    /// <summary>The fields of all versions, in order.</summary>
    internal ReadOnlySpan<KernelField> Fields => _fields;

    /// <summary>Whether a payload holds the fields of fixed size that its version has.</summary>
    internal bool Fits(in EtlEvent traceEvent)
    {
        int[] fixedBytes = traceEvent.PointerBytes == 8 ? _fixedBytesWith8 : _fixedBytesWith4;
        return traceEvent.Payload.Length >= fixedBytes[Math.Min(traceEvent.Version, fixedBytes.Length - 1)];
    }

    /// <summary>A text, UTF-16, of a record that holds nothing but texts that end themselves; empty where it is not there.</summary>
    /// <param name="traceEvent">The record.</param>
    /// <param name="name">The field's name.</param>
    /// <exception cref="ArgumentException">There is no such field, or it does not follow texts alone.</exception>
    public ReadOnlySpan<byte> Text(in EtlEvent traceEvent, string name)
    {
        int at = Array.FindIndex(_fields, field => field.Name == name);
        return at >= 0 && Array.TrueForAll(_fields[..(at + 1)], field => field.IsVariable && field.Elements.Length == 0)
            ? new RecordPayload(in traceEvent).Utf16Nth(0, at)
            : throw new ArgumentException("No text behind texts alone has this name.", nameof(name));
    }

    /// <summary>Gives the fields of a record.</summary>
    /// <returns>False when the payload is shorter than the fields of its version; then nothing was given.</returns>
    internal bool WriteFields(in EtlEvent traceEvent, IFieldSink sink)
    {
        if (!Fits(in traceEvent))
        {
            return false;
        }

        var payload = new RecordPayload(in traceEvent);
        int offset = 0;
        foreach (KernelField field in _fields)
        {
            if (field.IsIn(traceEvent.Version))
            {
                offset = field.Give(payload, offset, sink);
            }
        }

        return true;
    }

    /// <summary>By version: the bytes up to the first field whose size is told by its content; a list counts with its count.</summary>
    private int[] FixedBytes(int pointerBytes)
    {
        int[] bytes = new int[_fields.Max(field => field.LastChange) + 1];
        for (int version = 0; version < bytes.Length; version++)
        {
            foreach (KernelField field in _fields)
            {
                bytes[version] += field.IsIn(version) ? field.Bytes(pointerBytes) : 0;
                if (field.IsVariable)
                {
                    break;
                }
            }
        }

        return bytes;
    }
}
