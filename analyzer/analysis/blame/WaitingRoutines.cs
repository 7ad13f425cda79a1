using Tracer.Symbols;

namespace Tracer.Analysis;

/// <summary>What the kernel's code on a CPU waits for when it spins.</summary>
internal enum WaitKind : byte
{
    /// <summary>It does not wait for others, or that is not known.</summary>
    None,

    /// <summary>A spin lock.</summary>
    Lock,

    /// <summary>Other CPUs, that have to take an interrupt.</summary>
    Processors,
}

/// <summary>Tells samples that hit a routine of the kernel which waits, by the names of functions.</summary>
internal sealed class WaitingRoutines
{
    private const int MostKept = 100_000;

    private readonly ModuleMap _modules;
    private readonly IFunctionNames? _names;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly Dictionary<(int Image, ulong Address), (WaitKind Kind, bool IsNamed)> _known = [];

    /// <summary>Tells.</summary>
    /// <param name="modules">The images.</param>
    /// <param name="names">Names of functions; null for none.</param>
    public WaitingRoutines(ModuleMap modules, IFunctionNames? names)
    {
        _modules = modules;
        _names = names;
    }

    /// <summary>What a sample shows.</summary>
    /// <param name="cpu">Where it was taken.</param>
    /// <param name="sample">The sample.</param>
    /// <param name="isKernels">Whether it hit the kernel's own code, and no name says that this does not wait.</param>
    /// <returns>What the code waited for, by its name.</returns>
    public WaitKind Of(CpuHistory cpu, in SampleMark sample, out bool isKernels)
    {
        WaitKind kind = Of(sample.Instruction, sample.Ticks, out bool isKernelCode, out bool isNamed);
        isKernels = isKernelCode && !isNamed;
        if (!isKernelCode || kind != WaitKind.None || _names is null)
        {
            return kind;
        }

        foreach (ulong frame in cpu.FramesOf(in sample, _frames))
        {
            kind = Of(frame, sample.Ticks, out isKernelCode, out _);
            if (kind != WaitKind.None || !isKernelCode)
            {
                return kind;
            }
        }

        return WaitKind.None;
    }

    private WaitKind Of(ulong address, long ticks, out bool isKernelCode, out bool isNamed)
    {
        isNamed = false;
        isKernelCode = false;
        if (_modules.Find(address, ticks) is not { } image || _modules.RoleOf(image) != ModuleRole.Kernel)
        {
            return WaitKind.None;
        }

        isKernelCode = true;
        if (_names is null)
        {
            return WaitKind.None;
        }

        var key = (image.Number, address);
        if (!_known.TryGetValue(key, out (WaitKind Kind, bool IsNamed) known))
        {
            if (address - image.Base <= uint.MaxValue && _names.TryFind(image, (uint)(address - image.Base), out NamedFunction function))
            {
                // A function of the unwind data has a number for a name: it says nothing of what the function does.
                known = (Frameworks.WaitOf(function.Name), function.Proof != SymbolProof.Pdata);
            }

            if (_known.Count < MostKept)
            {
                _known.Add(key, known);
            }
        }

        isNamed = known.IsNamed;
        return known.Kind;
    }
}
