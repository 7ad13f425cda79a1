using System.Runtime.CompilerServices;
using System.Text;

namespace Tracer.Symbols;

/// <summary>
/// Writes a tree of an Itanium name, within bounds: parts of the tree are shared, so that a short name can mean a very long text.
/// </summary>
internal sealed class ItaniumWriter(bool isShort)
{
    /// <summary>No pack is being expanded.</summary>
    public const int NoPack = int.MaxValue;

    private const int MaximumLength = 1 << 17;
    private const int MaximumSteps = 1 << 18;
    private const int MaximumDepth = 600;

    private readonly StringBuilder _text = new();
    private int _steps;
    private int _depth;

    /// <summary>Whether parameters and results of functions are left out.</summary>
    public bool IsShort { get; set; } = isShort;

    /// <summary>Which element of a pack is written; <see cref="NoPack"/> if that is not known yet.</summary>
    public int PackIndex { get; set; } = NoPack;

    /// <summary>How many elements the pack has that is being expanded; <see cref="NoPack"/> if none was met.</summary>
    public int PackCount { get; set; } = NoPack;

    /// <summary>Parentheses since the last "&lt;" of template arguments; 0: a "&gt;" would end them.</summary>
    public int Parentheses { get; set; } = 1;

    public bool HasFailed { get; private set; }

    public int Length => _text.Length;

    public char Last => _text.Length > 0 ? _text[^1] : '\0';

    public ItaniumWriter Add(string text)
    {
        if (_text.Length + text.Length > MaximumLength)
        {
            HasFailed = true;
        }
        else if (!HasFailed)
        {
            _text.Append(text);
        }

        return this;
    }

    public void CutTo(int length) => _text.Length = Math.Min(length, _text.Length);

    public void Open()
    {
        Parentheses++;
        Add("(");
    }

    public void Close()
    {
        Parentheses--;
        Add(")");
    }

    /// <summary>Both sides of a node.</summary>
    public ItaniumWriter Write(ItaniumNode node)
    {
        Left(node);
        if (node.HasRight(this))
        {
            Right(node);
        }

        return this;
    }

    public ItaniumWriter Left(ItaniumNode node)
    {
        if (Enter())
        {
            node.WriteLeft(this);
        }

        _depth--;
        return this;
    }

    public ItaniumWriter Right(ItaniumNode node)
    {
        if (Enter())
        {
            node.WriteRight(this);
        }

        _depth--;
        return this;
    }

    /// <summary>An operand, in parentheses if it binds less than the operator does.</summary>
    public void Operand(ItaniumNode node, Precedence precedence, bool isLoose = false)
    {
        bool isEnclosed = (int)node.Precedence >= (int)precedence + (isLoose ? 1 : 0);
        if (isEnclosed)
        {
            Open();
        }

        Write(node);
        if (isEnclosed)
        {
            Close();
        }
    }

    /// <summary>Nodes with commas between them; empty packs leave no comma.</summary>
    public void List(IReadOnlyList<ItaniumNode> nodes)
    {
        bool isFirst = true;
        foreach (ItaniumNode node in nodes)
        {
            if (HasFailed)
            {
                return;
            }

            int before = Length;
            if (!isFirst)
            {
                Add(", ");
            }

            int start = Length;
            Operand(node, Precedence.Comma);
            if (Length == start)
            {
                CutTo(before);
            }
            else
            {
                isFirst = false;
            }
        }
    }

    public override string ToString() => _text.ToString();

    private bool Enter()
    {
        if (++_depth > MaximumDepth || ++_steps > MaximumSteps || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
        {
            HasFailed = true;
        }

        return !HasFailed;
    }
}
