using System.Reflection;
using System.Runtime.CompilerServices;

namespace Tracer.Capture.Tests;

/// <summary>
/// Size and offsets of a structure by the rules of both Microsoft's C compilers and .NET's sequential layout: each field at the next
/// multiple of its alignment, the whole a multiple of the largest. What a 32-bit process would do, told from a 64-bit one.
/// </summary>
internal static class StructureLayout
{
    /// <summary>Lays a structure out.</summary>
    /// <param name="pointerBytes">4 or 8.</param>
    public static (int Bytes, IReadOnlyDictionary<string, int> Offsets) Of(Type type, int pointerBytes)
    {
        Dictionary<string, int> offsets = [];
        int end = 0;
        int alignment = 1;
        foreach (FieldInfo field in FieldsOf(type))
        {
            (int bytes, int fieldAlignment) = Measure(field.FieldType, pointerBytes);
            end = RoundUp(end, fieldAlignment);
            offsets.Add(field.Name, end);
            end += bytes;
            alignment = Math.Max(alignment, fieldAlignment);
        }

        return (RoundUp(end, alignment), offsets);
    }

    private static (int Bytes, int Alignment) Measure(Type type, int pointerBytes)
    {
        if (type.IsPointer || type == typeof(nint) || type == typeof(nuint))
        {
            return (pointerBytes, pointerBytes);
        }

        if (type.IsEnum)
        {
            return Measure(Enum.GetUnderlyingType(type), pointerBytes);
        }

        if (type.IsPrimitive)
        {
            int bytes = System.Runtime.InteropServices.Marshal.SizeOf(type);
            return (bytes, bytes);
        }

        if (type == typeof(Guid))
        {
            return (16, 4); // u32, u16, u16, u8[8].
        }

        int alignment = FieldsOf(type).Max(field => Measure(field.FieldType, pointerBytes).Alignment);
        int length = type.GetCustomAttribute<InlineArrayAttribute>()?.Length ?? 1;
        return (Of(type, pointerBytes).Bytes * length, alignment);
    }

    /// <summary>In the order of the source: the order in which reflection met them is not promised, metadata's is.</summary>
    private static IEnumerable<FieldInfo> FieldsOf(Type type) =>
        type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).OrderBy(static field => field.MetadataToken);

    private static int RoundUp(int value, int alignment) => (value + alignment - 1) / alignment * alignment;
}
