using System.Diagnostics.CodeAnalysis;
using Tracer.Analysis.Facts;
using Tracer.Symbols;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>The names of functions that a scenario tells, as symbols would.</summary>
internal sealed class ScenarioFunctions : IFunctionNames
{
    private readonly List<(string Name, ulong From, ulong Bytes)> _functions = [];

    public void Add(string name, ulong from, ulong bytes) => _functions.Add((name, from, bytes));

    public bool TryFind([NotNull] LoadedImage image, uint rva, out NamedFunction function)
    {
        ulong address = image.Base + rva;
        foreach ((string name, ulong from, ulong bytes) in _functions)
        {
            if (address >= from && address - from < bytes)
            {
                function = new NamedFunction(name, (uint)(address - from), SymbolProof.Public);
                return true;
            }
        }

        function = default;
        return false;
    }
}
