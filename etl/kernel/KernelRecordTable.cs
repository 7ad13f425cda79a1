namespace Tracer.Etl.Kernel;

/// <summary>Classes of kernel events by group and opcode, filled while the catalog is made.</summary>
internal sealed class KernelRecordTable
{
    private static readonly KernelRecordClass?[] Empty = new KernelRecordClass?[256];

    private readonly KernelRecordClass?[][] _byGroup = new KernelRecordClass?[KernelRecordGroups.Count][];

    public KernelRecordTable() => Array.Fill(_byGroup, Empty);

    /// <summary>The class at a place; null for none.</summary>
    public KernelRecordClass? Find(int group, byte opcode) => _byGroup[group][opcode];

    /// <summary>Adds a class whose payload a view reads.</summary>
    public void Add<TRecord>(string group, int hook, string name, ConfirmedLayouts? confirmed = null)
        where TRecord : IKernelRecord<TRecord>, allows ref struct =>
        Put(hook, new KernelRecordClass<TRecord>(group, name, confirmed ?? ConfirmedLayouts.None));

    /// <summary>Adds a class whose payload a row of a table reads.</summary>
    public void Add(string group, int hook, string name, KernelLayout layout, ConfirmedLayouts? confirmed = null) =>
        Put(hook, new TableRecordClass(group, name, layout, confirmed ?? ConfirmedLayouts.None));

    /// <summary>Adds a class that has a name, but no known fields.</summary>
    public void AddName(string group, int hook, string name, ConfirmedLayouts? confirmed = null) =>
        Put(hook, new KernelRecordClass(group, name, confirmed ?? ConfirmedLayouts.None));

    /// <summary>Lets another place mean the same class.</summary>
    public void Alias(int hook, int other) => Put(other, Find(hook >> 8, (byte)hook)!);

    private void Put(int hook, KernelRecordClass recordClass)
    {
        int group = hook >> 8;
        if (_byGroup[group] == Empty)
        {
            _byGroup[group] = new KernelRecordClass?[256];
        }

        if (_byGroup[group][(byte)hook] is not null)
        {
            throw new InvalidOperationException($"Hook 0x{hook:X4} is listed twice.");
        }

        _byGroup[group][(byte)hook] = recordClass;
    }
}
