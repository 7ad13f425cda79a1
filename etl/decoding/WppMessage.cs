using System.Collections.Immutable;
using System.Text;

namespace Tracer.Etl.Decoding;

/// <summary>One WPP message as a trace message format file describes it.</summary>
public sealed class WppMessage
{
    /// <summary>What stands in a text for an argument that the payload does not hold or that cannot be decoded.</summary>
    public const string MissingArgument = "<?>";

    /// <summary>
    /// A text is cut behind the piece that makes it longer than this and as much as its arguments' bytes allow; only a format that repeats
    /// its arguments without end can.
    /// </summary>
    public const int MaximumCharacters = 1 << 14;

    private const int ComponentArgument = 1;
    private const int NameArgument = 2;
    private const int ThreadArgument = 3;
    private const int ProcessArgument = 8;

    private readonly WppFormat _format;

    /// <summary>Places in <see cref="Arguments"/> by number; of two with the same number the first counts.</summary>
    private readonly Dictionary<int, int> _placeOfArgument = [];

    internal WppMessage(
        Guid id,
        ushort number,
        string component,
        string name,
        string text,
        WppFormat format,
        ImmutableArray<WppArgument> arguments,
        IReadOnlyDictionary<string, string> properties)
    {
        Id = id;
        Number = number;
        Text = text;
        Arguments = arguments;
        Level = properties.GetValueOrDefault("LEVEL");
        Flags = properties.GetValueOrDefault("FLAGS");
        Function = properties.GetValueOrDefault("FUNC");
        SourceFile = properties.GetValueOrDefault("FILE");
        _format = format;
        for (int i = 0; i < arguments.Length; i++)
        {
            _placeOfArgument.TryAdd(arguments[i].Index, i);
        }

        Schema = new EventSchema
        {
            ProviderName = component,
            EventName = name.Length > 0 ? name : string.Create(CultureInfo.InvariantCulture, $"MESSAGE {number}"),
            Source = EventSchemaSource.Wpp,
            Fields = [.. arguments.Select(argument => argument.Field)],
        };
    }

    /// <summary>The message GUID, which stands for a source file.</summary>
    public Guid Id { get; }

    /// <summary>Its number in the source file.</summary>
    public ushort Number { get; }

    /// <summary>The text as the file has it, "%0" and "%10!d!" included.</summary>
    public string Text { get; }

    /// <summary>The level it was logged at, as the source names it; null where the file does not say.</summary>
    public string? Level { get; }

    /// <summary>The flags it was logged with, as the source names them; null where the file does not say.</summary>
    public string? Flags { get; }

    /// <summary>The function that logs it; null where the file does not say.</summary>
    public string? Function { get; }

    /// <summary>The source file that logs it; null where the file does not say.</summary>
    public string? SourceFile { get; }

    /// <summary>Its arguments, in the order of the payload.</summary>
    public ImmutableArray<WppArgument> Arguments { get; }

    /// <summary>Component, name and fields.</summary>
    public EventSchema Schema { get; }

    /// <summary>Makes the message's text.</summary>
    /// <param name="traceEvent">The message's event.</param>
    public string Format(in EtlEvent traceEvent)
    {
        var values = new Values();
        PayloadDecoder.Decode(Schema, traceEvent.Payload, traceEvent.PointerBytes, values);
        return Format(in traceEvent, values);
    }

    /// <summary>Gives the message's text as the field "Message", then its arguments.</summary>
    internal PayloadResult WriteFields(in EtlEvent traceEvent, IFieldSink fields)
    {
        fields.Field("Message", FieldValue.String(Format(in traceEvent)));
        return PayloadDecoder.Decode(Schema, traceEvent.Payload, traceEvent.PointerBytes, fields);
    }

    private string Format(in EtlEvent traceEvent, Values values)
    {
        var text = new StringBuilder();
        int most = MaximumCharacters + (PayloadDecoder.CharactersOfAByte * traceEvent.Payload.Length);
        foreach (WppFormat.Piece piece in _format.Pieces)
        {
            text.Append(piece.Literal ?? Argument(piece.Argument, piece.Conversion, in traceEvent, values));
            if (text.Length > most)
            {
                break;
            }
        }

        return text.ToString();
    }

    private string Argument(int number, WppConversion conversion, in EtlEvent traceEvent, Values values)
    {
        if (_placeOfArgument.TryGetValue(number, out int place))
        {
            return place < values.Taken.Count
                ? ArgumentText(Arguments[place], conversion, traceEvent.PointerBytes, values.Taken[place])
                : MissingArgument;
        }

        // Arguments below 10 are the reader's own.
        return number switch
        {
            ComponentArgument => conversion.Text(Schema.ProviderName),
            NameArgument => conversion.Text(Schema.EventName),
            ThreadArgument => conversion.Integer(traceEvent.ThreadId, bytes: 4),
            ProcessArgument => conversion.Integer(traceEvent.ProcessId, bytes: 4),
            _ => MissingArgument,
        };
    }

    private static string ArgumentText(WppArgument argument, WppConversion conversion, int pointerBytes, in Value value)
    {
        bool isText = conversion.Conversion is 's' or 'S' or 'c' or 'C';
        if (value.Kind == FieldKind.Double)
        {
            return conversion.Double(BitConverter.UInt64BitsToDouble(value.Bits));
        }

        if (value.IsNumber && !isText)
        {
            return conversion.Integer(value.Bits, PayloadValue.NaturalBytes(argument.Field.InType, pointerBytes));
        }

        return conversion.Text(argument.TextForm switch
        {
            WppTextForm.Seconds => ((long)value.Bits / 10_000_000m).ToString("0.000####", CultureInfo.InvariantCulture) + "s",
            WppTextForm.MacAddress => string.Join(':', value.Text.Chunk(2).Select(pair => new string(pair))),
            WppTextForm.OneLine => value.Text.Replace('\r', ' ').Replace('\n', ' ').Replace('\t', ' ').TrimEnd(),
            _ when value.IsNumber && conversion.Conversion is 'c' or 'C' => ((char)value.Bits).ToString(),
            _ => value.Text,
        });
    }

    private readonly record struct Value(FieldKind Kind, ulong Bits, string Text)
    {
        public bool IsNumber => Kind is FieldKind.Unsigned or FieldKind.Signed or FieldKind.Hexadecimal or FieldKind.Pointer
            or FieldKind.CodePointer or FieldKind.Boolean or FieldKind.Named or FieldKind.Port;
    }

    /// <summary>Keeps the arguments until the text is made: it may use them in any order.</summary>
    private sealed class Values : IFieldSink
    {
        public List<Value> Taken { get; } = [];

        public void Field(string name, in FieldValue value) => Taken.Add(new Value(value.Kind, value.Bits, value.ToString()));

        public void BeginStruct(string name)
        {
        }

        public void EndStruct()
        {
        }

        public void BeginArray(string name)
        {
        }

        public void EndArray()
        {
        }
    }
}
