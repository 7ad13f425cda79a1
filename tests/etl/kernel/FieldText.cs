using System.Text;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Kernel;

/// <summary>
/// Puts fields into one line, their kinds told apart: <c>7t</c> ticks, <c>code:0x1</c> and <c>ptr:0x1</c> addresses, <c>Ready(1)</c> a
/// named number, <c>'text'</c>, <c>port:80</c>.
/// </summary>
internal sealed class FieldText : IFieldSink
{
    private readonly StringBuilder _text = new();

    public void Field(string name, in FieldValue value) => Append(name, value.ToString(), in value);

    private void Append(string name, string text, in FieldValue value) => Append(name, value.Kind switch
    {
        FieldKind.Ticks => $"{text}t",
        FieldKind.CodePointer => $"code:{text}",
        FieldKind.Pointer => $"ptr:{text}",
        FieldKind.Named => $"{text}({value.SignedBits})",
        FieldKind.Utf16Text or FieldKind.Text8 => $"'{text}'",
        FieldKind.Port => $"port:{text}",
        FieldKind.Null => "null",
        FieldKind.Binary => $"bytes:{text}",
        _ => text,
    });

    public void BeginStruct(string name) => Append(name, "{");

    public void EndStruct() => Append("", "}");

    public void BeginArray(string name) => Append(name, "[");

    public void EndArray() => Append("", "]");

    public override string ToString() => _text.ToString();

    private void Append(string name, string value)
    {
        _text.Append(_text.Length == 0 ? "" : " ");
        _text.Append(name.Length == 0 ? "" : $"{name}=").Append(value);
    }
}
