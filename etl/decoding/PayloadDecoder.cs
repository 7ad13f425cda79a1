using System.Buffers.Binary;
using System.Collections.Immutable;

namespace Tracer.Etl.Decoding;

/// <summary>
/// Walks a payload by a schema. Whatever both say, it ends: depth, the number of values and the length of their names are limited, and it
/// neither throws nor allocates by what it reads.
/// </summary>
public static class PayloadDecoder
{
    /// <summary>Structs within structs.</summary>
    public const int MaximumDepth = 16;

    /// <summary>
    /// Values of one event. A payload has at most 65,535 bytes, so only elements without bytes can come near it.
    /// </summary>
    public const int MaximumValues = 1 << 17;

    /// <summary>
    /// Characters of names that one event may give, and more for each byte of its payload; each value counts a few beside its name. So
    /// what is printed of a trace is linear in its bytes, whatever its descriptions repeat.
    /// </summary>
    internal const int FreeCharacters = 4096;
    internal const int CharactersOfAByte = 128;
    private const int CharactersOfAValue = 8;

    /// <summary>Gives the fields of a payload.</summary>
    /// <param name="schema">What the payload looks like.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="pointerBytes">Width of its pointers: 4 or 8.</param>
    /// <param name="fields">Takes the fields; what it is told to begin it is always told to end.</param>
    /// <returns>Whether schema and payload agree.</returns>
    public static PayloadResult Decode(EventSchema schema, ReadOnlySpan<byte> payload, int pointerBytes, IFieldSink fields)
    {
        ArgumentNullException.ThrowIfNull(schema);
        ArgumentNullException.ThrowIfNull(fields);
        Span<long> numbers = stackalloc long[EventSchema.MaximumReferences];
        numbers.Fill(-1);
        var walk = new Walk(payload, pointerBytes == 8 ? 8 : 4, fields, numbers);
        walk.Fields(schema.Fields, depth: 0);
        return walk.Result();
    }

    private ref struct Walk
    {
        private readonly ReadOnlySpan<byte> _payload;
        private readonly int _pointerBytes;
        private readonly Span<long> _numbers;
        private IFieldSink _fields;
        private int _at;
        private int _values;
        private long _charactersLeft;
        private PayloadOutcome _outcome;

        public Walk(ReadOnlySpan<byte> payload, int pointerBytes, IFieldSink fields, Span<long> numbers)
        {
            _payload = payload;
            _pointerBytes = pointerBytes;
            _fields = fields;
            _numbers = numbers;
            _outcome = PayloadOutcome.Complete;
            _charactersLeft = FreeCharacters + ((long)CharactersOfAByte * payload.Length);
        }

        private readonly int Left => _payload.Length - _at;

        public readonly PayloadResult Result() => new(
            _outcome == PayloadOutcome.Complete && Left > 0 ? PayloadOutcome.BytesLeft : _outcome, _at, Left);

        /// <returns>False when the walk cannot go on; the outcome tells why.</returns>
        public bool Fields(ImmutableArray<FieldDefinition> definitions, int depth)
        {
            foreach (FieldDefinition definition in definitions)
            {
                IFieldSink shown = _fields;
                _fields = definition.OutType == FieldOutType.NoPrint ? SilentSink.Instance : shown;
                bool goOn = definition.Count.Kind == FieldSizeKind.Natural
                    ? Element(definition, definition.Name, depth)
                    : Array(definition, depth);
                _fields = shown;
                if (!goOn)
                {
                    return false;
                }
            }

            return true;
        }

        private bool Array(FieldDefinition definition, int depth)
        {
            if (!TryResolve(definition.Count, out long count))
            {
                return false;
            }

            if (!Spend(definition.Name))
            {
                return false;
            }

            if (PayloadValue.CharacterBytes(definition) is > 0 and int characterBytes)
            {
                return count > Left / characterBytes ? Stop(PayloadOutcome.Short) : Characters(definition, (int)count, characterBytes);
            }

            _fields.BeginArray(definition.Name);
            bool goOn = true;
            for (long i = 0; i < count && goOn; i++)
            {
                goOn = Element(definition, "", depth);
            }

            _fields.EndArray();
            return goOn;
        }

        private bool Characters(FieldDefinition definition, int count, int characterBytes)
        {
            ReadOnlySpan<byte> text = PayloadValue.ToNul(_payload.Slice(_at, count * characterBytes), characterBytes);
            _at += count * characterBytes;
            _fields.Field(definition.Name, characterBytes == 2 ? FieldValue.Utf16Text(text) : FieldValue.Text8(text));
            return true;
        }

        private bool Element(FieldDefinition definition, string name, int depth)
        {
            if (++_values > MaximumValues)
            {
                return Stop(PayloadOutcome.Excessive);
            }

            if (!Spend(name))
            {
                return false;
            }

            if (definition.InType == FieldInType.Struct)
            {
                if (depth >= MaximumDepth)
                {
                    return Stop(PayloadOutcome.Undecodable);
                }

                _fields.BeginStruct(name);
                bool goOn = Fields(definition.Members, depth + 1);
                _fields.EndStruct();
                return goOn;
            }

            if (!TryTake(definition, out ReadOnlySpan<byte> bytes))
            {
                return false;
            }

            if ((uint)definition.Number < (uint)_numbers.Length && PayloadValue.TryInteger(definition, bytes, out ulong number))
            {
                _numbers[definition.Number] = (long)number;
            }

            FieldValue value = PayloadValue.Of(definition, bytes);
            if (value.Kind == FieldKind.Named && !Spend(value.Text!))
            {
                return false;
            }

            _fields.Field(name, value);
            return true;
        }

        private bool Spend(string name)
        {
            _charactersLeft -= name.Length + CharactersOfAValue;
            return _charactersLeft >= 0 || Stop(PayloadOutcome.Excessive);
        }

        private bool TryResolve(FieldSize size, out long value)
        {
            value = size.Kind switch
            {
                FieldSizeKind.Fixed => size.Value,
                FieldSizeKind.FromField when (uint)size.Value < (uint)_numbers.Length => _numbers[size.Value],
                FieldSizeKind.Prefixed => Left >= 2 ? BinaryPrimitives.ReadUInt16LittleEndian(_payload[_at..]) : long.MinValue,
                _ => -1,
            };
            if (value == long.MinValue)
            {
                return Stop(PayloadOutcome.Short);
            }

            _at += size.Kind == FieldSizeKind.Prefixed ? 2 : 0;
            return value >= 0 || Stop(PayloadOutcome.Undecodable);
        }

        /// <summary>The bytes of one element, without its own length or NUL.</summary>
        private bool TryTake(FieldDefinition definition, out ReadOnlySpan<byte> bytes)
        {
            bytes = default;
            switch (definition.InType)
            {
                case FieldInType.UnicodeString:
                    return definition.Length.Kind == FieldSizeKind.Natural ? Terminated(2, out bytes) : Sized(definition, 2, out bytes);
                case FieldInType.AnsiString:
                    return definition.Length.Kind == FieldSizeKind.Natural ? Terminated(1, out bytes) : Sized(definition, 1, out bytes);
                case FieldInType.NonNullTerminatedString:
                    return definition.Length.Kind == FieldSizeKind.Natural ? Take(Left & ~1, out bytes) : Sized(definition, 2, out bytes);
                case FieldInType.NonNullTerminatedAnsiString:
                    return definition.Length.Kind == FieldSizeKind.Natural ? Take(Left, out bytes) : Sized(definition, 1, out bytes);
                case FieldInType.Binary when definition.Length.Kind == FieldSizeKind.Natural:
                    return Take(definition.OutType == FieldOutType.IPv6 ? 16 : Left, out bytes);
                case FieldInType.Binary:
                    return Sized(definition, 1, out bytes);
                case FieldInType.ManifestCountedString or FieldInType.ManifestCountedAnsiString or FieldInType.ManifestCountedBinary
                    or FieldInType.CountedString or FieldInType.CountedAnsiString:
                    return Take(2, out bytes) && Take(BinaryPrimitives.ReadUInt16LittleEndian(bytes), out bytes);
                case FieldInType.ReversedCountedString or FieldInType.ReversedCountedAnsiString:
                    return Take(2, out bytes) && Take(BinaryPrimitives.ReadUInt16BigEndian(bytes), out bytes);
                case FieldInType.HexDump:
                    return Take(4, out bytes) && Take(BinaryPrimitives.ReadUInt32LittleEndian(bytes), out bytes);
                case FieldInType.Sid:
                    return Sid(out bytes);
                case FieldInType.WbemSid when Left >= 4 && BinaryPrimitives.ReadUInt32LittleEndian(_payload[_at..]) == 0:
                    return Take(4, out _);
                case FieldInType.WbemSid:
                    return Take(2 * _pointerBytes, out _) && Sid(out bytes);
                default:
                    int natural = PayloadValue.NaturalBytes(definition.InType, _pointerBytes);
                    return natural < 0 ? Stop(PayloadOutcome.Undecodable) : Take(natural, out bytes);
            }
        }

        private bool Take(long length, out ReadOnlySpan<byte> bytes)
        {
            bytes = default;
            if (length > Left)
            {
                return Stop(PayloadOutcome.Short);
            }

            bytes = _payload.Slice(_at, (int)length);
            _at += (int)length;
            return true;
        }

        private bool Sized(FieldDefinition definition, int unitBytes, out ReadOnlySpan<byte> bytes)
        {
            bytes = default;
            return TryResolve(definition.Length, out long length) && Take(length > Left ? long.MaxValue : length * unitBytes, out bytes);
        }

        private bool Sid(out ReadOnlySpan<byte> bytes)
        {
            bytes = default;
            return Left < 2 ? Stop(PayloadOutcome.Short) : Take(8 + (4 * _payload[_at + 1]), out bytes);
        }

        /// <summary>Text to a NUL; a last string may lack it, but not be absent altogether.</summary>
        private bool Terminated(int unitBytes, out ReadOnlySpan<byte> bytes)
        {
            bytes = default;
            ReadOnlySpan<byte> rest = _payload[_at..];
            if (rest.Length < unitBytes)
            {
                return Stop(PayloadOutcome.Short);
            }

            bytes = PayloadValue.ToNul(rest, unitBytes);
            _at += Math.Min(bytes.Length + unitBytes, rest.Length - (rest.Length % unitBytes));
            return true;
        }

        private bool Stop(PayloadOutcome outcome)
        {
            _outcome = outcome;
            return false;
        }
    }

    /// <summary>Takes what is not to be shown.</summary>
    private sealed class SilentSink : IFieldSink
    {
        public static readonly SilentSink Instance = new();

        public void Field(string name, in FieldValue value)
        {
        }

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
