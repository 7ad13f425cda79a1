using System.Buffers.Binary;
using System.Collections.Immutable;
using System.Text;

namespace Tracer.Etl.Decoding;

/// <summary>
/// Reads the schema that a TraceLogging event carries in its extended items (TraceLoggingProvider.h). All lengths are checked; a schema
/// that does not hold together gives none.
/// </summary>
public static class TraceLoggingSchema
{
    private const int InTypeMask = 0x1F;
    private const int CountMask = 0x60;
    private const int FixedCount = 0x20;
    private const int VariableCount = 0x40;
    private const byte MoreFollows = 0x80;
    private const byte GroupTrait = 1;
    private const int BinaryInType = 14;
    private const int StructInType = 24;

    /// <summary>Reads a schema.</summary>
    /// <param name="schema">Data of the extended item <see cref="EtlExtendedItemKind.TraceLoggingSchema"/>.</param>
    /// <param name="traits">Data of the extended item <see cref="EtlExtendedItemKind.ProviderTraits"/>; empty where there is none.</param>
    /// <param name="opcode">The event's opcode, which a standard one adds to the name.</param>
    /// <returns>Null when the schema is damaged.</returns>
    public static EventSchema? Parse(ReadOnlySpan<byte> schema, ReadOnlySpan<byte> traits, byte opcode = 0) =>
        Parse(schema, traits, opcode, new DescriptionLimits());

    /// <summary>Reads a schema, as far as limits allow; otherwise as above.</summary>
    internal static EventSchema? Parse(ReadOnlySpan<byte> schema, ReadOnlySpan<byte> traits, byte opcode, DescriptionLimits limits)
    {
        if (!TryParseTraits(traits, out string providerName, out Guid group) || !TryTakeSized(schema, out ReadOnlySpan<byte> rest)
            || !TryTakeTag(ref rest) || !TryTakeName(ref rest, out string eventName))
        {
            return null;
        }

        ImmutableArray<FieldDefinition>.Builder fields = ImmutableArray.CreateBuilder<FieldDefinition>();
        while (!rest.IsEmpty)
        {
            if (!TryTakeField(ref rest, depth: 0, limits, out FieldDefinition? field))
            {
                return null;
            }

            fields.Add(field);
        }

        return new EventSchema
        {
            ProviderName = limits.NameOf(providerName),
            ProviderGroup = group,
            EventName = limits.NameOf(EventSchema.NameOf(eventName, EventSchema.StandardOpcode(opcode), opcode, id: 0)),
            Source = EventSchemaSource.TraceLogging,
            Fields = fields.DrainToImmutable(),
        };
    }

    /// <summary>Reads a provider's traits: its name and its group.</summary>
    /// <param name="traits">The data; without any, the name is empty.</param>
    /// <param name="providerName">The name.</param>
    /// <param name="group">The group; empty where the provider is in none.</param>
    /// <returns>False when the traits are damaged.</returns>
    public static bool TryParseTraits(ReadOnlySpan<byte> traits, out string providerName, out Guid group)
    {
        providerName = "";
        group = Guid.Empty;
        if (traits.IsEmpty)
        {
            return true;
        }

        if (!TryTakeSized(traits, out ReadOnlySpan<byte> rest) || !TryTakeName(ref rest, out providerName))
        {
            return false;
        }

        // Each trait: u16 size with these three bytes, u8 type, data.
        while (rest.Length >= 3)
        {
            int size = BinaryPrimitives.ReadUInt16LittleEndian(rest);
            if (size < 3 || size > rest.Length)
            {
                return false;
            }

            if (rest[2] == GroupTrait && size >= 3 + 16)
            {
                group = new Guid(rest.Slice(3, 16));
            }

            rest = rest[size..];
        }

        return true;
    }

    private static bool TryTakeField(ref ReadOnlySpan<byte> rest, int depth, DescriptionLimits limits, out FieldDefinition field)
    {
        field = null!;
        if (depth > PayloadDecoder.MaximumDepth || !TryTakeName(ref rest, out string name) || rest.IsEmpty)
        {
            return false;
        }

        byte inByte = rest[0];
        byte outByte = 0;
        rest = rest[1..];
        if ((inByte & MoreFollows) != 0)
        {
            if (rest.IsEmpty)
            {
                return false;
            }

            outByte = rest[0];
            rest = rest[1..];
            if ((outByte & MoreFollows) != 0 && !TryTakeTag(ref rest))
            {
                return false;
            }
        }

        if (!TryTakeCount(ref rest, inByte & CountMask, out FieldSize count))
        {
            return false;
        }

        int inType = inByte & InTypeMask;
        ImmutableArray<FieldDefinition> members = [];
        if (inType == StructInType && !TryTakeMembers(ref rest, outByte & ~MoreFollows, depth, limits, out members))
        {
            return false;
        }

        field = new FieldDefinition
        {
            Name = limits.NameOf(name),
            InType = inType == BinaryInType ? FieldInType.ManifestCountedBinary : (FieldInType)inType,
            OutType = inType == StructInType ? FieldOutType.Default : OutType(outByte & ~MoreFollows),
            Count = count,
            Members = members,
        };
        return true;
    }

    private static bool TryTakeMembers(
        ref ReadOnlySpan<byte> rest, int count, int depth, DescriptionLimits limits, out ImmutableArray<FieldDefinition> members)
    {
        ImmutableArray<FieldDefinition>.Builder found = ImmutableArray.CreateBuilder<FieldDefinition>(count);
        members = [];
        for (int i = 0; i < count; i++)
        {
            if (!TryTakeField(ref rest, depth + 1, limits, out FieldDefinition member))
            {
                return false;
            }

            found.Add(member);
        }

        members = found.DrainToImmutable();
        return true;
    }

    private static bool TryTakeCount(ref ReadOnlySpan<byte> rest, int kind, out FieldSize count)
    {
        count = FieldSize.Natural;
        if (kind == 0)
        {
            return true;
        }

        count = FieldSize.Prefixed;
        if (kind == VariableCount)
        {
            return true;
        }

        // A fixed array's count, or the length of a custom field's type information.
        if (rest.Length < 2)
        {
            return false;
        }

        int number = BinaryPrimitives.ReadUInt16LittleEndian(rest);
        rest = rest[2..];
        if (kind == FixedCount)
        {
            count = FieldSize.Fixed(number);
            return true;
        }

        bool fits = number <= rest.Length;
        rest = fits ? rest[number..] : rest;
        return fits;
    }

    private static FieldOutType OutType(int outType) => (TraceLoggingOutType)outType switch
    {
        TraceLoggingOutType.NoPrint => FieldOutType.NoPrint,
        TraceLoggingOutType.String => FieldOutType.String,
        TraceLoggingOutType.Boolean => FieldOutType.Boolean,
        TraceLoggingOutType.Hex => FieldOutType.HexInt64,
        TraceLoggingOutType.Pid => FieldOutType.Pid,
        TraceLoggingOutType.Tid => FieldOutType.Tid,
        TraceLoggingOutType.Port => FieldOutType.Port,
        TraceLoggingOutType.IPv4 => FieldOutType.IPv4,
        TraceLoggingOutType.IPv6 => FieldOutType.IPv6,
        TraceLoggingOutType.SocketAddress => FieldOutType.SocketAddress,
        TraceLoggingOutType.Xml => FieldOutType.Xml,
        TraceLoggingOutType.Json => FieldOutType.Json,
        TraceLoggingOutType.Win32Error => FieldOutType.Win32Error,
        TraceLoggingOutType.NtStatus => FieldOutType.NtStatus,
        TraceLoggingOutType.HResult => FieldOutType.HResult,
        TraceLoggingOutType.FileTime => FieldOutType.DateTime,
        TraceLoggingOutType.Signed => FieldOutType.Int64,
        TraceLoggingOutType.Unsigned => FieldOutType.UInt64,
        TraceLoggingOutType.Utf8 => FieldOutType.Utf8,
        TraceLoggingOutType.Pkcs7 => FieldOutType.Pkcs7,
        TraceLoggingOutType.CodePointer => FieldOutType.CodePointer,
        TraceLoggingOutType.DateTimeUtc => FieldOutType.DateTimeUtc,
        _ => FieldOutType.Default,
    };

    /// <summary>What stands behind a u16 that counts itself too.</summary>
    private static bool TryTakeSized(ReadOnlySpan<byte> bytes, out ReadOnlySpan<byte> rest)
    {
        rest = default;
        int size = bytes.Length >= 2 ? BinaryPrimitives.ReadUInt16LittleEndian(bytes) : 0;
        if (size < 2 || size > bytes.Length)
        {
            return false;
        }

        rest = bytes[2..size];
        return true;
    }

    /// <summary>A tag is bytes of seven bits; all but the last have their high bit set. It means nothing to a reader.</summary>
    private static bool TryTakeTag(ref ReadOnlySpan<byte> rest)
    {
        for (int i = 0; i < rest.Length; i++)
        {
            if ((rest[i] & MoreFollows) == 0)
            {
                rest = rest[(i + 1)..];
                return true;
            }
        }

        return false;
    }

    private static bool TryTakeName(ref ReadOnlySpan<byte> rest, out string name)
    {
        int length = rest.IndexOf((byte)0);
        name = length < 0 ? "" : Encoding.UTF8.GetString(rest[..length]);
        rest = length < 0 ? rest : rest[(length + 1)..];
        return length >= 0;
    }
}
