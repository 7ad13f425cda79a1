namespace Tracer.Symbols.Pdb;

/// <summary>Names of callees by their ids: scope or class, two colons, name. Safe for several threads.</summary>
internal sealed class InlineeNames(PdbTables parts, TypeStream? types, TypeStream? ids)
{
    /// <summary>The scope of an id may be an id with a scope.</summary>
    private const int MaximumScopes = 8;

    private const string Unknown = "(unknown function)";

    private readonly BoundedNames _made = new();

    /// <param name="id">Its id.</param>
    /// <param name="module">The module that says so: ids with the highest bit set are places among its imports.</param>
    public string Name(uint id, int module)
    {
        ulong key = CrossModuleIds.IsImport(id) ? id | ((ulong)module << 32) : id;
        return _made.TryGet(key, out string made) ? made : _made.Add(key, Make(id, module));
    }

    private string Make(uint id, int module)
    {
        if (CrossModuleIds.IsImport(id) && !parts.CrossModuleIds.TryResolve(id, module, out id))
        {
            return Unknown;
        }

        string name = Function(id, 0);
        return name.Length == 0 ? Unknown : name;
    }

    private string Function(uint id, int depth)
    {
        var scratch = default(MsfStream.Scratch);
        try
        {
            // Before there were ids, functions were types.
            TypeStream? stream = ids ?? types;
            if (stream is null || !stream.TryRecord(id, ref scratch, out ushort kind, out ReadOnlySpan<byte> fields))
            {
                return "";
            }

            string name = LittleEndian.Text(TypeNames.Name(kind, fields));
            if (kind is not (TypeNames.FunctionId or TypeNames.MemberFunctionId) || name.Length == 0)
            {
                return name;
            }

            uint around = LittleEndian.UInt32(fields, TypeNames.ScopeAt);
            string scope = kind == TypeNames.MemberFunctionId ? Type(around)
                : around != 0 && depth < MaximumScopes ? Function(around, depth + 1)
                : "";
            return scope.Length == 0 ? name : $"{scope}::{name}";
        }
        finally
        {
            scratch.Dispose();
        }
    }

    private string Type(uint type)
    {
        var scratch = default(MsfStream.Scratch);
        try
        {
            return types is not null && types.TryRecord(type, ref scratch, out ushort kind, out ReadOnlySpan<byte> fields)
                ? LittleEndian.Text(TypeNames.Name(kind, fields))
                : "";
        }
        finally
        {
            scratch.Dispose();
        }
    }
}
