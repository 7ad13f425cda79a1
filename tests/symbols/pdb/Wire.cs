using System.Text;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>Bytes of records, field by field.</summary>
internal sealed class Wire
{
    private readonly List<byte> _bytes = [];

    public int Length => _bytes.Count;

    public Wire U8(int value) => Add([(byte)value]);

    public Wire U16(int value) => Add(BitConverter.GetBytes((ushort)value));

    public Wire U32(long value) => Add(BitConverter.GetBytes((uint)value));

    public Wire Text(string value) => Add([.. Encoding.UTF8.GetBytes(value), 0]);

    public Wire Add(byte[] value)
    {
        _bytes.AddRange(value);
        return this;
    }

    /// <summary>Zeros up to a multiple of 4.</summary>
    public Wire Pad()
    {
        while (_bytes.Count % sizeof(uint) != 0)
        {
            _bytes.Add(0);
        }

        return this;
    }

    public byte[] ToArray() => [.. _bytes];

    /// <summary>A symbol or type record: length, kind, fields, to a multiple of 4.</summary>
    public static byte[] Record(int kind, Action<Wire> fields)
    {
        var body = new Wire().U16(0).U16(kind);
        fields(body);
        byte[] bytes = body.Pad().ToArray();
        BitConverter.GetBytes((ushort)(bytes.Length - sizeof(ushort))).CopyTo(bytes, 0);
        return bytes;
    }

    /// <summary>A part of C13 lines: kind, length, fields, to a multiple of 4.</summary>
    public static byte[] Part(uint kind, Action<Wire> fields)
    {
        var body = new Wire();
        fields(body);
        return new Wire().U32(kind).U32(body.Length).Add(body.ToArray()).Pad().ToArray();
    }
}
