namespace Tracer.Symbols.Pdb;

/// <summary>
/// The modules that look-ups needed, up to a bound of memory: beyond it, those that no look-up used for longest are dropped and made again
/// when one needs them. Safe for several threads.
/// </summary>
internal sealed class ModuleCache
{
    public const long MaximumBytes = 128 * 1024 * 1024;

    private readonly PdbTables _parts;
    private readonly ModuleSymbols?[] _modules;
    private readonly Lock _dropping = new();
    private long _bytes;
    private int _hand;

    public ModuleCache(PdbTables parts)
    {
        _parts = parts;
        _modules = new ModuleSymbols?[parts.ModuleList.Count];
    }

    /// <summary>A module, which is read if it is not there.</summary>
    public ModuleSymbols? Get(int module)
    {
        if ((uint)module >= (uint)_modules.Length)
        {
            return null;
        }

        ModuleSymbols found = Volatile.Read(ref _modules[module]) ?? Make(module);
        if (!found.IsTouched)
        {
            found.IsTouched = true;
        }

        return found;
    }

    /// <summary>Counts bytes that a module took after it was made.</summary>
    public void Grow(int bytes)
    {
        if (Interlocked.Add(ref _bytes, bytes) > MaximumBytes)
        {
            Drop(except: null);
        }
    }

    private ModuleSymbols Make(int module)
    {
        var made = new ModuleSymbols(_parts, module, ModuleReader.Read(_parts, module)) { IsTouched = true };
        ModuleSymbols? other = Interlocked.CompareExchange(ref _modules[module], made, null);
        if (other is null && Interlocked.Add(ref _bytes, made.Cost) > MaximumBytes)
        {
            Drop(made);
        }

        return other ?? made;
    }

    /// <summary>Goes round twice at most: the first round takes the mark from what was used, the second drops it.</summary>
    private void Drop(ModuleSymbols? except)
    {
        lock (_dropping)
        {
            for (int i = 0; i < 2 * _modules.Length && Volatile.Read(ref _bytes) > MaximumBytes / 2; i++)
            {
                _hand = (_hand + 1) % _modules.Length;
                ModuleSymbols? module = Volatile.Read(ref _modules[_hand]);
                if (module is null || ReferenceEquals(module, except))
                {
                    continue;
                }

                if (module.IsTouched)
                {
                    module.IsTouched = false;
                }
                else
                {
                    Volatile.Write(ref _modules[_hand], null);
                    Interlocked.Add(ref _bytes, -module.Cost);
                }
            }
        }
    }
}
