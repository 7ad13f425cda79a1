namespace Tracer.Mutation;

internal enum MutantFate
{
    /// <summary>Nobody ran it yet.</summary>
    NotRun,

    /// <summary>A test failed, took too long or ended its process.</summary>
    Killed,

    /// <summary>Tests ran its place, and none of them noticed.</summary>
    Survived,

    /// <summary>No test runs its place.</summary>
    NotCovered,
}

/// <summary>One small change of the sources.</summary>
/// <param name="Id">Its number in this run.</param>
/// <param name="File">Path of the file, from the root of the sources.</param>
/// <param name="Line">Line of the change, from 1.</param>
/// <param name="Member">The method, property or type that holds it.</param>
/// <param name="Change">What was there, and what is there instead.</param>
/// <param name="Ordinal">Which of several changes of one text in one member, from 1.</param>
internal sealed record Mutant(int Id, string File, int Line, string Member, string Change, int Ordinal)
{
    /// <summary>Names the change whatever line it moves to, and whatever folder its file.</summary>
    public string Key => $"{Path.GetFileName(File)} | {Member} | {Change}{(Ordinal == 1 ? "" : $" #{Ordinal}")}";

    /// <summary>The folder below the root that holds the file.</summary>
    public string Folder => Path.GetDirectoryName(File)!.Replace('\\', '/');

    /// <summary>The value stands in a declaration that is made once per process.</summary>
    public bool NeedsOwnProcess { get; init; }

    /// <summary>Of a constant that must stay one: its declaration, and the value to compile in; null where one assembly holds the mutant.
    /// </summary>
    public ConstantChange? Constant { get; set; }

    public MutantFate Fate { get; set; }

    /// <summary>Which test noticed, or why the process ended.</summary>
    public string KilledBy { get; set; } = "";
}

/// <summary>A constant with another value, which only another assembly can have.</summary>
/// <param name="Tree">Index of the source file.</param>
/// <param name="Length">How long it is.</param>
/// <param name="Value">What to write instead.</param>
internal sealed record ConstantChange(int Tree, int Start, int Length, string Value);
