using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Tracer.ImportFuzz;

/// <summary>
/// Rewrites methods so that each counts where it goes: one counter where it begins, one for each way out of each conditional branch.
/// The counters are bytes in memory that a static field of every module points to; libFuzzer reads and clears them.
/// </summary>
internal sealed class EdgeCounters
{
    /// <summary>Name of the type that a module gets.</summary>
    public const string TypeName = "Tracer.EdgeCounters";

    /// <summary>Name of its field: a pointer to the first counter of all modules.</summary>
    public const string FieldName = "First";

    /// <summary>Counters so far, of all modules.</summary>
    public int Count { get; private set; }

    /// <summary>Rewrites every method of a module but those of the fuzzer itself.</summary>
    /// <param name="module">The module; it is changed.</param>
    public void AddTo(ModuleDefinition module)
    {
        TypeDefinition[] types = [.. module.GetTypes().Where(type => !IsOfFuzzer(type))];
        FieldDefinition first = AddField(module);
        foreach (MethodDefinition method in types.SelectMany(type => type.Methods).Where(method => method.HasBody))
        {
            AddTo(method.Body, first);
        }
    }

    private static bool IsOfFuzzer(TypeDefinition type)
    {
        TypeDefinition outermost = type;
        while (outermost.DeclaringType is { } outer)
        {
            outermost = outer;
        }

        return outermost.Namespace == typeof(EdgeCounters).Namespace || outermost.Name == nameof(Program);
    }

    private static FieldDefinition AddField(ModuleDefinition module)
    {
        int dot = TypeName.LastIndexOf('.');
        var type = new TypeDefinition(
            TypeName[..dot], TypeName[(dot + 1)..], TypeAttributes.Abstract | TypeAttributes.Sealed, module.TypeSystem.Object);
        var field = new FieldDefinition(
            FieldName, FieldAttributes.Public | FieldAttributes.Static, new PointerType(module.TypeSystem.Byte));
        type.Fields.Add(field);
        module.Types.Add(type);
        return field;
    }

    private void AddTo(MethodBody body, FieldDefinition first)
    {
        body.SimplifyMacros();
        Instruction[] branches = [.. body.Instructions.Where(instruction => instruction.OpCode.FlowControl == FlowControl.Cond_Branch)];
        foreach (Instruction branch in branches)
        {
            CountWaysOut(body, branch, first);
        }

        InsertBefore(body, body.Instructions[0], Counter(first));
        body.OptimizeMacros();
    }

    /// <summary>
    /// Behind the branch come the counter of the way on, and for each target a counter and a jump to it; the branch leads there instead.
    /// All of it lies where the branch does, so exception handlers keep their bounds.
    /// </summary>
    private void CountWaysOut(MethodBody body, Instruction branch, FieldDefinition first)
    {
        Instruction next = branch.Next;
        InsertBefore(body, next, [.. Counter(first), Instruction.Create(OpCodes.Br, next)]);
        var table = branch.Operand as Instruction[];
        Instruction[] targets = table ?? [(Instruction)branch.Operand];
        Instruction[] detours = [.. targets.Select(target => Detour(body, next, target, first))];
        branch.Operand = table is null ? detours[0] : detours;
    }

    private Instruction Detour(MethodBody body, Instruction place, Instruction target, FieldDefinition first)
    {
        Instruction[] detour = [.. Counter(first), Instruction.Create(OpCodes.Br, target)];
        InsertBefore(body, place, detour);
        return detour[0];
    }

    private Instruction[] Counter(FieldDefinition first) =>
    [
        Instruction.Create(OpCodes.Ldsfld, first),
        Instruction.Create(OpCodes.Ldc_I4, Count++),
        Instruction.Create(OpCodes.Add),
        Instruction.Create(OpCodes.Dup),
        Instruction.Create(OpCodes.Ldind_U1),
        Instruction.Create(OpCodes.Ldc_I4_1),
        Instruction.Create(OpCodes.Add),
        Instruction.Create(OpCodes.Stind_I1),
    ];

    private static void InsertBefore(MethodBody body, Instruction place, Instruction[] added)
    {
        int at = body.Instructions.IndexOf(place);
        for (int i = 0; i < added.Length; i++)
        {
            body.Instructions.Insert(at + i, added[i]);
        }
    }
}
