using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.Symbols;

namespace Tracer.Commands.Tests.Common.Symbols;

/// <summary>Which PDBs Microsoft's DIA, a library of native code, gets to read.</summary>
public class EngineChoiceTests
{
    [Theory]
    [InlineData(SymbolSource.Folder)]
    [InlineData(SymbolSource.Store)]
    [InlineData(SymbolSource.Server)]
    public void Dia_reads_what_the_users_own_path_led_to(SymbolSource source) => Assert.True(DiaPlaces.IsForDia(source, isOnly: false));

    /// <summary>Beside the trace, or named by its path: a stranger's, as the trace is.</summary>
    [Theory]
    [InlineData(SymbolSource.Beside)]
    [InlineData(SymbolSource.None)]
    public void What_may_be_a_strangers_it_reads_only_when_it_is_chosen(SymbolSource source)
    {
        Assert.False(DiaPlaces.IsForDia(source, isOnly: false));
        Assert.True(DiaPlaces.IsForDia(source, isOnly: true));
    }
}
