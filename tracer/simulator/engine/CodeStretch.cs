namespace Tracer.Simulator.Engine;

/// <summary>Where an instruction pointer may stand while a stretch of code runs.</summary>
public sealed class CodePoint
{
    /// <param name="weight">How often samples hit it, relative to the stretch's other points; at least 1.</param>
    /// <param name="frames">The stack as addresses, innermost first: the instruction itself, then who called; kernel before user.</param>
    public CodePoint(int weight, params ulong[] frames)
    {
        ArgumentNullException.ThrowIfNull(frames);
        ArgumentOutOfRangeException.ThrowIfLessThan(weight, 1);
        ArgumentOutOfRangeException.ThrowIfZero(frames.Length);
        Weight = weight;
        Frames = frames.ToArray();
    }

    /// <summary>How often samples hit it, relative to the other points.</summary>
    public int Weight { get; }

    /// <summary>The stack as addresses, innermost first.</summary>
    public ReadOnlyMemory<ulong> Frames { get; }
}

/// <summary>Code that runs for a while: where samples hit, and who answers for its time.</summary>
public sealed class CodeStretch
{
    private readonly CodePoint[] _points;
    private readonly int _totalWeight;

    /// <param name="owner">Who answers for it; null for whoever owns the ISR, DPC or thread that it runs in.</param>
    /// <param name="points">Where samples hit; at least one.</param>
    public CodeStretch(CodeOwner? owner, params CodePoint[] points)
    {
        ArgumentNullException.ThrowIfNull(points);
        ArgumentOutOfRangeException.ThrowIfZero(points.Length);
        Owner = owner;
        _points = [.. points];
        foreach (CodePoint point in points)
        {
            _totalWeight += point.Weight;
        }
    }

    /// <summary>Makes a stretch of one point that belongs to whoever owns what it runs in.</summary>
    /// <param name="frames">The stack as addresses, innermost first.</param>
    public CodeStretch(params ulong[] frames)
        : this(null, new CodePoint(1, frames))
    {
    }

    /// <summary>Who answers for it; null for whoever owns the ISR, DPC or thread that it runs in.</summary>
    public CodeOwner? Owner { get; }

    /// <summary>Name of the routine, <c>module!function</c> or <c>module+0x1234</c>, for causes of thread code; null for none.</summary>
    public string? Routine { get; init; }

    /// <summary>What the truth calls its time, where that does not follow from the level it runs at (a spin-wait); else null.</summary>
    public Mechanism? Mechanism { get; init; }

    /// <summary>The point that stands for a number: each as likely as its weight.</summary>
    internal CodePoint Pick(ulong number)
    {
        if (_points.Length == 1)
        {
            return _points[0];
        }

        int rest = (int)(number % (ulong)_totalWeight);
        int index = 0;
        while (rest >= _points[index].Weight)
        {
            rest -= _points[index++].Weight;
        }

        return _points[index];
    }
}
