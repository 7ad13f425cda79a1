using System.Buffers;
using System.Globalization;
using System.Text;
using Tracer.Etl;
using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// Prints an event on a line for people: microseconds from the header event, CPU, process/thread, provider/name, fields. Text is put in
/// quotes where it has blanks or none of it, and control characters are escaped, so that a line stays a line.
/// </summary>
internal sealed class DumpText : IDumpFormat, IFieldSink
{
    /// <summary>Text that holds one of these is put in quotes.</summary>
    private static readonly SearchValues<char> Separators = SearchValues.Create(" \"=[]{}");

    private readonly DumpOutput _output;
    private readonly TraceClock _clock;
    private readonly EventDecoder _decoder;
    private readonly StringBuilder _line = new();
    private readonly AddressLabels? _labels;

    /// <summary>Prints to an output.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="clock">Of the trace.</param>
    /// <param name="decoder">Knows the fields of events.</param>
    /// <param name="labels">Names addresses of code; null where they are printed as they are.</param>
    public DumpText(DumpOutput output, TraceClock clock, EventDecoder decoder, AddressLabels? labels)
    {
        _labels = labels;
        _output = output;
        _clock = clock;
        _decoder = decoder;
    }

    /// <inheritdoc/>
    public void Write(scoped in EtlEvent traceEvent, in DumpedEvent dumped, scoped in EventStack stack)
    {
        _labels?.Turn(in traceEvent);
        _line.Clear();
        decimal microseconds = _clock.NanosecondsFromHeader(traceEvent.TimestampTicks) / 1000m;
        _line.Append(CultureInfo.InvariantCulture, $"{microseconds,16:F3} {traceEvent.Cpu,3} ");
        string process = traceEvent.ProcessId == EtlEvent.NotInHeader ? "-" : $"{traceEvent.ProcessId}/{traceEvent.ThreadId}";
        _line.Append(CultureInfo.InvariantCulture, $"{process,11} ");
        if (dumped.Group.Length > 0)
        {
            _line.Append(dumped.Group);
        }
        else if (dumped.ProviderName is not null)
        {
            _line.Append(dumped.ProviderName);
        }
        else
        {
            _line.Append(CultureInfo.InvariantCulture, $"{dumped.Provider}");
        }

        _line.Append('/').Append(dumped.Name);
        int left = dumped.WriteFields(in traceEvent, _decoder, this);
        if (left > 0)
        {
            _line.Append(" raw=").Append(Convert.ToHexStringLower(traceEvent.Payload[^left..]));
        }

        if (stack.FrameCount > 0)
        {
            _line.Append(" stack=[");
            for (int i = 0; i < stack.FrameCount; i++)
            {
                if (_labels?.OfFrame(stack[i], i) is { } label)
                {
                    _line.Append(' ');
                    AppendText(label);
                }
                else
                {
                    _line.Append(CultureInfo.InvariantCulture, $" 0x{stack[i]:x}");
                }
            }

            _line.Append(" ]");
        }

        foreach (ReadOnlyMemory<char> chunk in _line.GetChunks())
        {
            Encoding.UTF8.GetBytes(chunk.Span, _output.Bytes);
        }

        _output.EndLine();
    }

    /// <inheritdoc/>
    public void Field(string name, in FieldValue value)
    {
        AppendName(name);
        switch (value.Kind)
        {
            case FieldKind.Ticks:
                _line.Append(CultureInfo.InvariantCulture, $"{_clock.NanosecondsFromHeader(value.SignedBits) / 1000m:F3}");
                break;
            case FieldKind.Utf16Text or FieldKind.Text8 or FieldKind.String or FieldKind.Named:
                AppendText(value.ToString());
                break;
            default:
                _line.Append(value.ToString());
                break;
        }

        if (value.Kind == FieldKind.CodePointer && _labels?.Of(value.Bits) is { } label)
        {
            _line.Append(' ').Append('(');
            AppendText(label);
            _line.Append(')');
        }
    }

    /// <inheritdoc/>
    public void BeginStruct(string name)
    {
        AppendName(name);
        _line.Append('{');
    }

    /// <inheritdoc/>
    public void EndStruct() => _line.Append(" }");

    /// <inheritdoc/>
    public void BeginArray(string name)
    {
        AppendName(name);
        _line.Append('[');
    }

    /// <inheritdoc/>
    public void EndArray() => _line.Append(" ]");

    private void AppendName(string name)
    {
        _line.Append(' ');
        if (name.Length > 0)
        {
            _line.Append(name).Append('=');
        }
    }

    private void AppendText(string text)
    {
        if (text.Length > 0 && text.AsSpan().IndexOfAny(Separators) < 0 && !text.Any(IsUnprintable))
        {
            _line.Append(text);
            return;
        }

        _line.Append('"');
        foreach (char one in text)
        {
            switch (one)
            {
                case '"':
                    _line.Append("\\\"");
                    break;
                case '\n':
                    _line.Append("\\n");
                    break;
                case '\r':
                    _line.Append("\\r");
                    break;
                case '\t':
                    _line.Append("\\t");
                    break;
                default:
                    if (IsUnprintable(one))
                    {
                        _line.Append(CultureInfo.InvariantCulture, $"\\u{(int)one:x4}");
                    }
                    else
                    {
                        _line.Append(one);
                    }

                    break;
            }
        }

        _line.Append('"');
    }

    /// <summary>Control characters would let a trace steer the user's terminal; lone surrogates are no text.</summary>
    private static bool IsUnprintable(char one) => char.IsControl(one) || char.IsSurrogate(one) || one is '\u2028' or '\u2029';
}
