using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Tracer.Etl;
using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// Prints an event as one JSON object on a line. Times are microseconds from the header event, also those in payloads; addresses, masks
/// and integers that a double cannot hold are strings; fields that are text stay text whatever they hold.
/// </summary>
internal sealed class DumpJson : IDumpFormat, IFieldSink, IDisposable
{
    /// <summary>The largest integer up to which a double holds every one.</summary>
    private const ulong LargestExact = 1UL << 53;

    private readonly DumpOutput _output;
    private readonly TraceClock _clock;
    private readonly EventDecoder _decoder;
    private readonly Utf8JsonWriter _json;
    private readonly AddressLabels? _labels;
    private readonly List<(string Field, string Label)> _labelled = [];

    /// <summary>Prints to an output.</summary>
    /// <param name="output">Where to.</param>
    /// <param name="clock">Of the trace.</param>
    /// <param name="decoder">Knows the fields of events.</param>
    /// <param name="labels">Names addresses of code; null where they are printed as they are.</param>
    public DumpJson(DumpOutput output, TraceClock clock, EventDecoder decoder, AddressLabels? labels)
    {
        _labels = labels;
        _output = output;
        _clock = clock;
        _decoder = decoder;
        var options = new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true };
        _json = new Utf8JsonWriter(output.Bytes, options);
    }

    /// <inheritdoc/>
    public void Write(scoped in EtlEvent traceEvent, in DumpedEvent dumped, scoped in EventStack stack)
    {
        _labels?.Turn(in traceEvent);
        bool hasId = traceEvent.IsEventHeader || traceEvent.Kind == EtlHeaderKind.Message;
        _json.WriteStartObject();
        _json.WriteNumber("timeUs", _clock.NanosecondsFromHeader(traceEvent.TimestampTicks) / 1000m);
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
            _json.WriteString("providerName", dumped.ProviderName);
        }

        _json.WriteString("name", dumped.Name);
        WriteNumberOrNull("opcode", traceEvent.Opcode, traceEvent.Kind != EtlHeaderKind.Message);
        WriteNumberOrNull("id", traceEvent.Id, hasId);
        _json.WriteNumber("version", traceEvent.Version);
        _json.WriteNumber("level", traceEvent.Level);
        _json.WriteStartObject("fields");
        int left = dumped.WriteFields(in traceEvent, _decoder, this);
        _json.WriteEndObject();
        WriteLabels();
        if (stack.FrameCount > 0)
        {
            _json.WriteStartArray("stack");
            for (int i = 0; i < stack.FrameCount; i++)
            {
                _json.WriteStringValue(
                    _labels?.OfFrame(stack[i], i) ?? string.Create(CultureInfo.InvariantCulture, $"0x{stack[i]:x}"));
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

    /// <inheritdoc/>
    public void Field(string name, in FieldValue value)
    {
        if (name.Length > 0)
        {
            _json.WritePropertyName(name);
        }

        if (value.Kind == FieldKind.CodePointer && name.Length > 0 && _labels?.Of(value.Bits) is { } label)
        {
            _labelled.Add((name, label));
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
            case FieldKind.Ticks:
                _json.WriteNumberValue(_clock.NanosecondsFromHeader(value.SignedBits) / 1000m);
                break;
            default:
                _json.WriteStringValue(value.ToString());
                break;
        }
    }

    /// <inheritdoc/>
    public void BeginStruct(string name)
    {
        if (name.Length > 0)
        {
            _json.WritePropertyName(name);
        }

        _json.WriteStartObject();
    }

    /// <inheritdoc/>
    public void EndStruct() => _json.WriteEndObject();

    /// <inheritdoc/>
    public void BeginArray(string name)
    {
        if (name.Length > 0)
        {
            _json.WritePropertyName(name);
        }

        _json.WriteStartArray();
    }

    /// <inheritdoc/>
    public void EndArray() => _json.WriteEndArray();

    /// <inheritdoc/>
    public void Dispose() => _json.Dispose();

    /// <summary>What the addresses among the fields are called, beside the fields: those stay numbers.</summary>
    private void WriteLabels()
    {
        if (_labelled.Count == 0)
        {
            return;
        }

        _json.WriteStartObject("symbols");
        foreach ((string field, string label) in _labelled)
        {
            _json.WriteString(field, label);
        }

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
