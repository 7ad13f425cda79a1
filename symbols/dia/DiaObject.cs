using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Symbols.Dia;

/// <summary>
/// A COM object of DIA, held until it is disposed of. Calls go through its table of functions by number, so that nothing is registered,
/// marshalled or made by reflection; the numbers are those of dia2.h of the Windows SDK, 0 to 2 being IUnknown's.
/// </summary>
[SupportedOSPlatform("windows")]
internal unsafe struct DiaObject : IDisposable
{
    /// <summary>The object; null for none. Calls write it.</summary>
    public void* Pointer;

    public readonly bool IsNone => Pointer is null;

    /// <summary>A function of the object's table.</summary>
    public readonly void* this[int slot] => (*(void***)Pointer)[slot];

    /// <summary>Asks for a number of 32 bits.</summary>
    /// <param name="slot">The number of the getter.</param>
    /// <param name="value">The number; 0 where there is none.</param>
    /// <returns>Whether there is one.</returns>
    public readonly bool TryGet(int slot, out uint value)
    {
        uint got = 0;
        bool isThere = ((delegate* unmanaged<void*, uint*, int>)this[slot])(Pointer, &got) == 0;
        value = got;
        return isThere;
    }

    /// <summary>Asks for a number of 64 bits.</summary>
    /// <param name="slot">The number of the getter.</param>
    /// <param name="value">The number; 0 where there is none.</param>
    /// <returns>Whether there is one.</returns>
    public readonly bool TryGet(int slot, out ulong value)
    {
        ulong got = 0;
        bool isThere = ((delegate* unmanaged<void*, ulong*, int>)this[slot])(Pointer, &got) == 0;
        value = got;
        return isThere;
    }

    /// <returns>The object, to be disposed of; none where there is none.</returns>
    public readonly DiaObject Get(int slot)
    {
        DiaObject got = default;
        int result = ((delegate* unmanaged<void*, void**, int>)this[slot])(Pointer, &got.Pointer);
        return result == 0 ? got : default;
    }

    /// <returns>Null where there is none.</returns>
    public readonly string? Text(int slot)
    {
        char* text = null;
        int result = ((delegate* unmanaged<void*, char**, int>)this[slot])(Pointer, &text);
        if (text is null)
        {
            return null;
        }

        string? got = result == 0 ? Marshal.PtrToStringBSTR((nint)text) : null;
        Marshal.FreeBSTR((nint)text);
        return got;
    }

    /// <summary>The next object of an enumeration: IDiaEnumSymbols, IDiaEnumLineNumbers.</summary>
    /// <returns>The object, to be disposed of; none at the end.</returns>
    public readonly DiaObject Next()
    {
        const int NextSlot = 6;
        DiaObject got = default;
        uint count = 0;
        int result = ((delegate* unmanaged<void*, uint, void**, uint*, int>)this[NextSlot])(Pointer, 1, &got.Pointer, &count);
        return result == 0 && count == 1 ? got : default;
    }

    public void Dispose()
    {
        const int ReleaseSlot = 2;
        if (Pointer is not null)
        {
            ((delegate* unmanaged<void*, uint>)this[ReleaseSlot])(Pointer);
            Pointer = null;
        }
    }
}
