using System.Text.Encodings.Web;
using System.Text.Json;
using Tracer.AnalyzerShared.Options;
using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>
/// Prints an event as one JSON object on a line. Times are microseconds from the header event, also those in payloads; addresses, masks
/// and integers that a double cannot hold are strings; fields that are text stay text whatever they hold. Each key of an object is there
/// once (<see cref="ObjectKeys"/>); half of a surrogate pair, which no JSON can hold, is U+FFFD.
/// </summary>
internal sealed class DumpJson : IDumpFormat, IFieldSink, IDisposable
{
    /// <summary>The largest integer up to which a double holds every one.</summary>
    private const ulong LargestExact = 1UL << 53;

    private readonly DumpOutput _output;
    private readonly TraceClock? _clock;
    private readonly EventDecoder _decoder;
    private readonly Utf8JsonWriter _json;
    private readonly AddressLabels _labels;
    private readonly List<(string Field, string? Label, string?[] Labels)> _labelled = [];
    private readonly List<string?> _labelsOfArray = [];
    private readonly ObjectKeys _keys = new();
    private readonly DumpAllowance _allowance = new();

    /// <summary>Key of the array of addresses that is being printed; null outside of one, and inside of those of other things.</summary>
    private string? _array;

    /// <param name="clock">Of the trace; null where it is not known: then times are null, and ticks are given.</param>
    public DumpJson(DumpOutput output, TraceClock? clock, EventDecoder decoder, AddressLabels labels)
    {
        _labels = labels;
        _output = output;
        _clock = clock;
        _decoder = decoder;
        _json = new Utf8JsonWriter(output.Bytes, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
    }

    public long EventsCut => _allowance.EventsCut;

    private long Length => _json.BytesPending + _json.BytesCommitted;

    public void Write(scoped in EtlEvent traceEvent, in DumpedEvent dumped, scoped in EventStack stack)
    {
        _labels.Turn(in traceEvent);
        _allowance.Begin(in traceEvent);
        bool hasId = traceEvent.IsEventHeader || traceEvent.Kind == EtlHeaderKind.Message;
        _json.WriteStartObject();
        if (_clock is { } clock)
        {
            _json.WriteNumber("timeUs", clock.NanosecondsFromHeader(traceEvent.TimestampTicks) / 1000m);
        }
        else
        {
            _json.WriteNull("timeUs");
            _json.WriteString("ticks", traceEvent.TimestampTicks.ToString(CultureInfo.InvariantCulture));
        }

        _json.WriteNumber("cpu", traceEvent.Cpu);
        WriteNumberOrNull("pid", traceEvent.ProcessId, traceEvent.ProcessId != EtlEvent.NotInHeader);
        WriteNumberOrNull("tid", traceEvent.ThreadId, traceEvent.ThreadId != EtlEvent.NotInHeader);
        _json.WriteString("provider", dumped.Provider);
        if (dumped.Group.Length > 0)
        {
            _json.WriteString("group", dumped.Group);
        }
        else if (dumped.ProviderName is not null)
        {
            _json.WriteString("providerName", DumpAllowance.Cut(dumped.ProviderName));
        }

        _json.WriteString("name", DumpAllowance.Cut(dumped.Name));
        WriteNumberOrNull("opcode", traceEvent.Opcode, traceEvent.Kind != EtlHeaderKind.Message);
        WriteNumberOrNull("id", traceEvent.Id, hasId);
        _json.WriteNumber("version", traceEvent.Version);
        _json.WriteNumber("level", traceEvent.Level);
        _json.WriteStartObject("fields");
        _keys.Begin(isArray: false);
        int left = dumped.WriteFields(in traceEvent, _decoder, this);
        _keys.End();
        _json.WriteEndObject();
        if (_allowance.LeftOut > 0)
        {
            _json.WriteNumber("fieldsLeftOut", _allowance.LeftOut);
        }

        _allowance.End();
        WriteLabels();
        if (stack.FrameCount > 0)
        {
            _json.WriteStartArray("stack");
            for (int i = 0; i < stack.FrameCount; i++)
            {
                _json.WriteStringValue(
                    _labels.OfFrame(stack[i], i) ?? string.Create(CultureInfo.InvariantCulture, $"0x{stack[i]:x}"));
            }

            _json.WriteEndArray();
        }

        if (left > 0)
        {
            _json.WriteString("raw", Convert.ToHexStringLower(traceEvent.Payload[^left..]));
        }

        _json.WriteEndObject();
        _json.Flush();
        _json.Reset();
        _output.EndLine();
    }

    public void Field(string name, in FieldValue value)
    {
        if (!_allowance.TakesField(Length))
        {
            return;
        }

        if (!_keys.IsInArray)
        {
            string key = _keys.Of(DumpAllowance.Cut(name));
            _json.WritePropertyName(key);
            if (value.Kind == FieldKind.CodePointer && _labels.Of(value.Bits) is { } label)
            {
                _labelled.Add((key, label, []));
            }
        }
        else if (_array is not null && value.Kind == FieldKind.CodePointer)
        {
            _labelsOfArray.Add(_labels.Of(value.Bits));
        }

        switch (value.Kind)
        {
            case FieldKind.Null:
                _json.WriteNullValue();
                break;
            case FieldKind.Unsigned or FieldKind.Port when value.Bits <= LargestExact:
                _json.WriteNumberValue(value.Bits);
                break;
            case FieldKind.Signed when value.SignedBits is >= -(long)LargestExact and <= (long)LargestExact:
                _json.WriteNumberValue(value.SignedBits);
                break;
            case FieldKind.Boolean:
                _json.WriteBooleanValue(value.Bits != 0);
                break;
            case FieldKind.Double when double.IsFinite(value.DoubleBits):
                _json.WriteNumberValue(value.DoubleBits);
                break;
            case FieldKind.Ticks when _clock is { } clock:
                _json.WriteNumberValue(clock.NanosecondsFromHeader(value.SignedBits) / 1000m);
                break;
            case FieldKind.Ticks:
                _json.WriteStringValue(value.SignedBits.ToString(CultureInfo.InvariantCulture));
                break;
            default:
                _json.WriteStringValue(_allowance.Fitting(value.ToString(), Length));
                break;
        }
    }

    public void BeginStruct(string name)
    {
        if (Begin(name, isArray: false))
        {
            _json.WriteStartObject();
        }
    }

    public void EndStruct()
    {
        if (_allowance.TakesEnd())
        {
            _keys.End();
            _json.WriteEndObject();
        }
    }

    public void BeginArray(string name)
    {
        if (Begin(name, isArray: true))
        {
            _json.WriteStartArray();
        }
    }

    public void EndArray()
    {
        if (!_allowance.TakesEnd())
        {
            return;
        }

        _keys.End();
        _json.WriteEndArray();
        if (_array is { } key && _labelsOfArray.Exists(label => label is not null))
        {
            _labelled.Add((key, null, [.. _labelsOfArray]));
        }

        _array = null;
    }

    public void Dispose() => _json.Dispose();

    private bool Begin(string name, bool isArray)
    {
        if (!_allowance.TakesGroup(Length))
        {
            return false;
        }

        _array = null;
        if (!_keys.IsInArray)
        {
            string key = _keys.Of(DumpAllowance.Cut(name));
            _json.WritePropertyName(key);
            _array = isArray ? key : null;
            _labelsOfArray.Clear();
        }

        _keys.Begin(isArray);
        return true;
    }

    /// <summary>What the addresses among the fields are called, beside the fields: those stay numbers.</summary>
    private void WriteLabels()
    {
        if (_labelled.Count == 0)
        {
            return;
        }

        _json.WriteStartObject("symbols");
        _keys.Begin(isArray: false);
        foreach ((string field, string? label, string?[] labels) in _labelled)
        {
            if (label is not null)
            {
                _json.WriteString(_keys.Of(field), label);
                continue;
            }

            _json.WriteStartArray(_keys.Of(field));
            Array.ForEach(labels, one => _json.WriteStringValue(one));
            _json.WriteEndArray();
        }

        _keys.End();
        _json.WriteEndObject();
        _labelled.Clear();
    }

    private void WriteNumberOrNull(string name, uint value, bool isKnown)
    {
        if (isKnown)
        {
            _json.WriteNumber(name, value);
        }
        else
        {
            _json.WriteNull(name);
        }
    }
}
