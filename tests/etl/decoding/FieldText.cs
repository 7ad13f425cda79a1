using System.Text;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>Writes fields as one line: "a=1 b=[2 3] c={d=4}".</summary>
internal sealed class FieldText : IFieldSink
{
    private readonly StringBuilder _text = new();
    private int _open;

    public List<(string Name, string Value)> TopLevel { get; } = [];

    public bool IsBalanced => _open == 0;

    public void Field(string name, in FieldValue value)
    {
        Start(name).Append(value.ToString());
        if (_open == 0)
        {
            TopLevel.Add((name, value.ToString()));
        }
    }

    public void BeginStruct(string name) => Open(name, '{');

    public void EndStruct() => Close('}');

    public void BeginArray(string name) => Open(name, '[');

    public void EndArray() => Close(']');

    public override string ToString() => _text.ToString();

    private void Open(string name, char bracket)
    {
        Start(name).Append(bracket);
        _open++;
    }

    private void Close(char bracket)
    {
        _text.Append(bracket);
        _open--;
    }

    private StringBuilder Start(string name)
    {
        if (_text.Length > 0 && _text[^1] is not ('{' or '['))
        {
            _text.Append(' ');
        }

        return name.Length > 0 ? _text.Append(name).Append('=') : _text;
    }
}
