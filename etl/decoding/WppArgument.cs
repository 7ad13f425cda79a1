namespace Tracer.Etl.Decoding;

/// <summary>How a WPP argument becomes text where its value alone does not tell.</summary>
internal enum WppTextForm
{
    Value,

    /// <summary>Units of 100 ns as seconds.</summary>
    Seconds,

    /// <summary>Bytes with colons between them.</summary>
    MacAddress,

    /// <summary>Without line ends and tabs, and without blanks behind.</summary>
    OneLine,
}

/// <summary>One argument of a WPP message: a line "expression, ItemType -- index" of a trace message format file.</summary>
public sealed class WppArgument
{
    private WppArgument(int index, string item, FieldDefinition field, WppTextForm textForm)
    {
        Index = index;
        ItemType = item;
        Field = field;
        TextForm = textForm;
    }

    /// <summary>Its number in the format text; arguments stand in the payload in this order.</summary>
    public int Index { get; }

    /// <summary>The item type as written, such as "ItemListLong(false,true)".</summary>
    public string ItemType { get; }

    /// <summary>How it is stored; named after the expression that was logged.</summary>
    public FieldDefinition Field { get; }

    internal WppTextForm TextForm { get; }

    /// <summary>Makes an argument of an item type; one that nobody knows cannot be walked over.</summary>
    /// <param name="index">Its number in the format text.</param>
    /// <param name="expression">What was logged.</param>
    /// <param name="item">The item type.</param>
    /// <param name="conversion">The printf conversion that the format text uses for it; 's' where it uses none.</param>
    /// <param name="enumerations">The enumerations of the file.</param>
    internal static WppArgument Make(
        int index, string expression, string item, char conversion, IReadOnlyDictionary<string, ValueMap> enumerations)
    {
        int bracket = item.IndexOf('(', StringComparison.Ordinal);
        string name = bracket < 0 ? item : item[..bracket];
        string list = bracket < 0 ? "" : item[(bracket + 1)..].TrimEnd(')', ' ');
        (FieldInType inType, FieldOutType outType, int length, WppTextForm form) = name.ToUpperInvariant() switch
        {
            "ITEMCHAR" => OfInteger(FieldInType.Int8, conversion),
            "ITEMUCHAR" => OfInteger(FieldInType.UInt8, conversion),
            "ITEMSHORT" => OfInteger(FieldInType.Int16, conversion),
            "ITEMUSHORT" => OfInteger(FieldInType.UInt16, conversion),
            "ITEMLONG" => OfInteger(FieldInType.Int32, conversion),
            "ITEMULONG" => OfInteger(FieldInType.UInt32, conversion),
            "ITEMULONGX" => (FieldInType.UInt32, FieldOutType.HexInt32, 0, WppTextForm.Value),
            "ITEMLONGLONG" or "ITEMQUAD" or "ITEMLONGLONGO" => OfInteger(FieldInType.Int64, conversion),
            "ITEMULONGLONG" or "ITEMUQUAD" => OfInteger(FieldInType.UInt64, conversion),
            "ITEMLONGLONGX" or "ITEMLONGLONGXX" => (FieldInType.UInt64, FieldOutType.HexInt64, 0, WppTextForm.Value),
            "ITEMPTR" => (conversion is 'd' or 'i' or 'u' ? FieldInType.SizeT : FieldInType.Pointer,
                FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMFLOAT" => (FieldInType.Float, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMDOUBLE" => (FieldInType.Double, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMCHAR4" => (FieldInType.AnsiString, FieldOutType.Default, 4, WppTextForm.Value),
            "ITEMSTRING" => (FieldInType.AnsiString, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMWSTRING" => (FieldInType.UnicodeString, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMRSTRING" => (FieldInType.AnsiString, FieldOutType.Default, 0, WppTextForm.OneLine),
            "ITEMRWSTRING" => (FieldInType.UnicodeString, FieldOutType.Default, 0, WppTextForm.OneLine),
            "ITEMPSTRING" => (FieldInType.ManifestCountedAnsiString, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMPWSTRING" => (FieldInType.ManifestCountedString, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMGUID" or "ITEMCLSID" or "ITEMIID" or "ITEMLIBID" => (FieldInType.Guid, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMHRESULT" => (FieldInType.UInt32, FieldOutType.HResult, 0, WppTextForm.Value),
            "ITEMNTSTATUS" or "ITEMNTERROR" or "ITEMNDIS_STATUS" => (FieldInType.UInt32, FieldOutType.NtStatus, 0, WppTextForm.Value),
            "ITEMNDIS_OID" => (FieldInType.UInt32, FieldOutType.HexInt32, 0, WppTextForm.Value),
            "ITEMWINERROR" => (FieldInType.UInt32, FieldOutType.UInt32, 0, WppTextForm.Value),
            "ITEMTIMESTAMP" or "ITEMWAITTIME" => (FieldInType.FileTime, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMTIMEDELTA" => (FieldInType.Int64, FieldOutType.Default, 0, WppTextForm.Seconds),
            "ITEMIPADDR" => (FieldInType.UInt32, FieldOutType.IPv4, 0, WppTextForm.Value),
            "ITEMIPV6ADDR" => (FieldInType.Binary, FieldOutType.IPv6, 16, WppTextForm.Value),
            "ITEMPORT" => (FieldInType.UInt16, FieldOutType.Port, 0, WppTextForm.Value),
            "ITEMMACADDR" => (FieldInType.Binary, FieldOutType.Default, 6, WppTextForm.MacAddress),
            "ITEMSID" => (FieldInType.Sid, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMHEXDUMP" or "ITEMHEXBYTES" => (FieldInType.ManifestCountedBinary, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMENUM" or "ITEMFLAGSENUM" or "ITEMLISTLONG" or "ITEMSETLONG"
                => (FieldInType.UInt32, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMLISTSHORT" or "ITEMSETSHORT" => (FieldInType.UInt16, FieldOutType.Default, 0, WppTextForm.Value),
            "ITEMLISTBYTE" or "ITEMSETBYTE" => (FieldInType.UInt8, FieldOutType.Default, 0, WppTextForm.Value),
            _ => (ManifestTypeName.UnknownInType, FieldOutType.Default, 0, WppTextForm.Value),
        };
        var field = new FieldDefinition
        {
            Name = expression,
            InType = inType,
            OutType = outType,
            Length = length > 0 ? FieldSize.Fixed(length) : FieldSize.Natural,
            Map = MapOf(name, list, enumerations),
        };
        return new WppArgument(index, item, field, form);
    }

    /// <summary>The number of an entry "name=5", or the one that follows.</summary>
    internal static bool TryNumber(string text, out ulong value)
    {
        text = text.Trim();
        bool isHex = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase);
        if (isHex)
        {
            return ulong.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value);
        }

        bool isNumber = long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number);
        value = number < 0 ? (uint)number : (ulong)number; // A negative enumerator is four bytes in the payload.
        return isNumber;
    }

    private static (FieldInType InType, FieldOutType OutType, int Length, WppTextForm Form) OfInteger(
        FieldInType inType, char conversion) => conversion switch
        {
            'd' or 'i' => (inType, FieldOutType.Int64, 0, WppTextForm.Value),
            'u' or 'o' => (inType, FieldOutType.UInt64, 0, WppTextForm.Value),
            'x' or 'X' or 'p' => (inType, FieldOutType.HexInt64, 0, WppTextForm.Value),
            'c' or 'C' => (inType, FieldOutType.String, 0, WppTextForm.Value),
            _ => (inType, FieldOutType.Default, 0, WppTextForm.Value),
        };

    private static ValueMap? MapOf(string name, string list, IReadOnlyDictionary<string, ValueMap> enumerations)
    {
        if (name.EndsWith("Enum", StringComparison.OrdinalIgnoreCase))
        {
            ValueMap? values = enumerations.GetValueOrDefault(list.Trim());
            return values is null || !name.StartsWith("ItemFlags", StringComparison.OrdinalIgnoreCase) ? values : values.AsFlags();
        }

        bool isSet = name.StartsWith("ItemSet", StringComparison.OrdinalIgnoreCase);
        if (list.Length == 0 || !(isSet || name.StartsWith("ItemList", StringComparison.OrdinalIgnoreCase)))
        {
            return null;
        }

        var entries = new List<KeyValuePair<ulong, string>>();
        ulong next = 0;
        foreach (string entry in list.Split(','))
        {
            string[] parts = entry.Split('=', 2);
            ulong value = parts.Length == 2 && TryNumber(parts[1], out ulong given) ? given : next;
            if (!isSet || value < 64)
            {
                entries.Add(new(isSet ? 1UL << (int)value : value, parts[0].Trim()));
            }

            next = value + 1;
        }

        return new ValueMap(name, isSet, entries);
    }
}
