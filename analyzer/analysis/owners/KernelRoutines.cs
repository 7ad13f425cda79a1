using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Symbols;

namespace Tracer.Analysis.Owners;

/// <summary>Kernel routines by function name; each address is looked up once.</summary>
internal sealed class KernelRoutines
{
    /// <summary>Most addresses whose routine is cached.</summary>
    private const int MostKept = 100_000;

    private readonly ModuleMap _modules;
    private readonly IFunctionNames? _names;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly Dictionary<(int Image, ulong Address), KernelRoutine> _known = [];

    /// <summary>Creates an empty cache.</summary>
    /// <param name="names">Names functions; null where there are no names.</param>
    public KernelRoutines(ModuleMap modules, IFunctionNames? names)
    {
        _modules = modules;
        _names = names;
    }

    public bool HasNames => _names is not null;

    /// <returns>Null where the address is not in the kernel's code.</returns>
    public KernelRoutine? Find(ulong address, long ticks)
    {
        if (_modules.Find(address, ticks) is not { } image || _modules.RoleOf(image) != ModuleRole.Kernel)
        {
            return null;
        }

        if (_names is null)
        {
            return default(KernelRoutine);
        }

        var key = (image.Number, address);
        if (!_known.TryGetValue(key, out KernelRoutine known))
        {
            if (address - image.Base <= uint.MaxValue && _names.TryFind(image, (uint)(address - image.Base), out NamedFunction function))
            {
                // A function from unwind data has a number instead of a name, which does not tell what the function does.
                bool isNamed = function.Proof != SymbolProof.Pdata;
                known = new KernelRoutine(Frameworks.WaitOf(function.Name), Frameworks.LevelOf(function.Name), isNamed);
            }

            if (_known.Count < MostKept)
            {
                _known.Add(key, known);
            }
        }

        return known;
    }

    /// <summary>
    /// The level from which the kernel called the code that a sample hit, by the innermost kernel routine on the stack that tells it.
    /// </summary>
    public CodeLevel LevelOf(CpuHistory cpu, in CpuSample sample)
    {
        if (_names is null)
        {
            return CodeLevel.Unknown;
        }

        foreach (ulong frame in cpu.FramesOf(in sample, _frames))
        {
            if (Find(frame, sample.Ticks) is { Level: not CodeLevel.Unknown } routine)
            {
                return routine.Level;
            }
        }

        return CodeLevel.Unknown;
    }
}
