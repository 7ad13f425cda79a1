using System.Buffers;
using System.Text;
using Tracer.AnalyzerShared.Options;
using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>
/// Prints an event on a line for people: seconds from the header event, CPU, process/thread, provider/name, fields. Text and names of
/// fields are put in quotes where they have blanks or text is empty, and what is not printable is escaped, so that a line stays a line.
/// </summary>
internal sealed class DumpText : IDumpFormat, IFieldSink
{
    /// <summary>Text that holds one of these is put in quotes.</summary>
    private static readonly SearchValues<char> Separators = SearchValues.Create(" \"=[]{}");

    private const int TimeColumns = 16;

    private readonly DumpOutput _output;
    private readonly TraceClock? _clock;
    private readonly bool _isInMicroseconds;
    private readonly EventDecoder _decoder;
    private readonly StringBuilder _line = new();
    private readonly AddressLabels _labels;
    private readonly DumpAllowance _allowance = new();
    private readonly PrintableText.PieceAction _write;
    private char[] _letters = new char[1024];

    /// <param name="clock">Of the trace; null where it is not known: then time stamps are printed as they are, in ticks.</param>
    /// <param name="inMicroseconds">Whether times are microseconds, and no line above the events names the columns.</param>
    public DumpText(DumpOutput output, TraceClock? clock, EventDecoder decoder, AddressLabels labels, bool inMicroseconds)
    {
        _labels = labels;
        _output = output;
        _write = letters => Encoding.UTF8.GetBytes(letters, output.Bytes);
        _clock = clock;
        _decoder = decoder;
        _isInMicroseconds = inMicroseconds;
        if (!inMicroseconds)
        {
            _write($"{(clock is null ? "ticks" : "seconds"),TimeColumns} {"CPU",3} {"pid/tid",11} provider/event fields");
            output.EndLine();
        }
    }

    public long EventsCut => _allowance.EventsCut;

    public void Write(scoped in EtlEvent traceEvent, in DumpedEvent dumped, scoped in EventStack stack)
    {
        _labels.Turn(in traceEvent);
        _allowance.Begin(in traceEvent);
        _line.Clear();
        AppendTime(traceEvent.TimestampTicks, isColumn: true);
        _line.Append(CultureInfo.InvariantCulture, $" {traceEvent.Cpu,3} ");
        string process = traceEvent.ProcessId == EtlEvent.NotInHeader ? "-" : $"{traceEvent.ProcessId}/{traceEvent.ThreadId}";
        _line.Append(CultureInfo.InvariantCulture, $"{process,11} ");
        if (dumped.Group.Length > 0)
        {
            _line.Append(dumped.Group);
        }
        else if (dumped.ProviderName is not null)
        {
            _line.Append(DumpAllowance.Cut(dumped.ProviderName));
        }
        else
        {
            _line.Append(CultureInfo.InvariantCulture, $"{dumped.Provider}");
        }

        _line.Append('/').Append(DumpAllowance.Cut(dumped.Name));
        int left = dumped.WriteFields(in traceEvent, _decoder, this);
        if (_allowance.LeftOut > 0)
        {
            _line.Append(CultureInfo.InvariantCulture, $" ... fields left out: {_allowance.LeftOut}");
        }

        _allowance.End();
        if (left > 0)
        {
            _line.Append(" raw=").Append(Convert.ToHexStringLower(traceEvent.Payload[^left..]));
        }

        if (stack.FrameCount > 0)
        {
            _line.Append(" stack=[");
            for (int i = 0; i < stack.FrameCount; i++)
            {
                if (_labels.OfFrame(stack[i], i) is { } label)
                {
                    _line.Append(' ');
                    AppendQuoted(label);
                }
                else
                {
                    _line.Append(CultureInfo.InvariantCulture, $" 0x{stack[i]:x}");
                }
            }

            _line.Append(" ]");
        }

        if (_letters.Length < _line.Length)
        {
            _letters = new char[2 * _line.Length];
        }

        _line.CopyTo(0, _letters, _line.Length);
        PrintableText.Append(_letters.AsSpan(0, _line.Length), _write);
        _output.EndLine();
    }

    public void Field(string name, in FieldValue value)
    {
        if (!_allowance.TakesField(_line.Length))
        {
            return;
        }

        AppendName(name);
        switch (value.Kind)
        {
            case FieldKind.Ticks:
                AppendTime(value.SignedBits, isColumn: false);
                break;
            case FieldKind.Utf16Text or FieldKind.Text8 or FieldKind.String or FieldKind.Named:
                AppendQuoted(_allowance.Fitting(value.ToString(), _line.Length));
                break;
            default:
                _line.Append(_allowance.Fitting(value.ToString(), _line.Length));
                break;
        }

        if (value.Kind == FieldKind.CodePointer && _labels.Of(value.Bits) is { } label)
        {
            _line.Append(' ').Append('(');
            AppendQuoted(label);
            _line.Append(')');
        }
    }

    public void BeginStruct(string name)
    {
        if (_allowance.TakesGroup(_line.Length))
        {
            AppendName(name);
            _line.Append('{');
        }
    }

    public void EndStruct()
    {
        if (_allowance.TakesEnd())
        {
            _line.Append(" }");
        }
    }

    public void BeginArray(string name)
    {
        if (_allowance.TakesGroup(_line.Length))
        {
            AppendName(name);
            _line.Append('[');
        }
    }

    public void EndArray()
    {
        if (_allowance.TakesEnd())
        {
            _line.Append(" ]");
        }
    }

    /// <summary>The time from the header event; without a clock the ticks, marked as such.</summary>
    private void AppendTime(long ticks, bool isColumn)
    {
        int start = _line.Length;
        _ = (_clock, _isInMicroseconds) switch
        {
            (null, _) => _line.Append(CultureInfo.InvariantCulture, $"{ticks}t"),
            ({ } clock, true) => _line.Append(CultureInfo.InvariantCulture, $"{clock.NanosecondsFromHeader(ticks) / 1000m:F3}"),
            ({ } clock, false) => _line.Append(CultureInfo.InvariantCulture, $"{clock.NanosecondsFromHeader(ticks) / 1_000_000_000m:F9}"),
        };
        if (isColumn && _line.Length - start < TimeColumns)
        {
            _line.Insert(start, " ", TimeColumns - (_line.Length - start));
        }
    }

    private void AppendName(string name)
    {
        _line.Append(' ');
        if (name.Length > 0)
        {
            AppendQuoted(DumpAllowance.Cut(name));
            _line.Append('=');
        }
    }

    private void AppendQuoted(string text)
    {
        if (text.Length > 0 && text.AsSpan().IndexOfAny(Separators) < 0 && PrintableText.Next(text, 0) == text.Length)
        {
            _line.Append(text);
            return;
        }

        _line.Append('"');
        foreach (char one in text)
        {
            // What else is not printable is escaped with the whole line.
            _ = one switch
            {
                '"' => _line.Append("\\\""),
                '\n' => _line.Append("\\n"),
                '\r' => _line.Append("\\r"),
                '\t' => _line.Append("\\t"),
                _ => _line.Append(one),
            };
        }

        _line.Append('"');
    }
}
