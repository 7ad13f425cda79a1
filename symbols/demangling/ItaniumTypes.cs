namespace Tracer.Symbols;

/// <summary>A type with words behind it: const, volatile, restrict, a vendor's.</summary>
internal sealed class QualifiedTypeNode(ItaniumNode type, string qualifiers) : ItaniumNode
{
    public override string BaseName => type.BaseName;

    public override void WriteLeft(ItaniumWriter writer) => writer.Left(type).Add(qualifiers);

    public override void WriteRight(ItaniumWriter writer) => writer.Right(type);

    public override bool HasRight(ItaniumWriter writer) => type.HasRight(writer);

    public override bool IsArray(ItaniumWriter writer) => type.IsArray(writer);

    public override bool IsFunction(ItaniumWriter writer) => type.IsFunction(writer);
}

/// <summary>A type with words of which some are types themselves, or with text before it.</summary>
internal sealed class AffixedTypeNode(string before, ItaniumNode type, string between, ItaniumNode? after) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Add(before).Write(type).Add(between);
        if (after is not null)
        {
            writer.Write(after);
        }
    }
}

/// <summary>A pointer.</summary>
internal sealed class PointerNode(ItaniumNode target) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Left(target);
        if (target.IsArray(writer))
        {
            writer.Add(" ");
        }

        writer.Add(target.IsArray(writer) || target.IsFunction(writer) ? "(*" : "*");
    }

    public override void WriteRight(ItaniumWriter writer)
    {
        if (target.IsArray(writer) || target.IsFunction(writer))
        {
            writer.Add(")");
        }

        writer.Right(target);
    }

    public override bool HasRight(ItaniumWriter writer) => target.HasRight(writer);
}

/// <summary>A reference. A reference to a reference is one reference, of the kind with one "&amp;" if either has one.</summary>
internal sealed class ReferenceNode(ItaniumNode target, bool isRvalue) : ItaniumNode
{
    private const int MaximumCollapsed = 64;

    private readonly ItaniumNode _target = target;
    private readonly bool _isRvalue = isRvalue;

    public override void WriteLeft(ItaniumWriter writer)
    {
        (ItaniumNode inner, bool isRvalueReference) = Collapsed(writer);
        writer.Left(inner);
        if (inner.IsArray(writer))
        {
            writer.Add(" ");
        }

        writer.Add(inner.IsArray(writer) || inner.IsFunction(writer) ? "(" : "").Add(isRvalueReference ? "&&" : "&");
    }

    public override void WriteRight(ItaniumWriter writer)
    {
        (ItaniumNode inner, _) = Collapsed(writer);
        if (inner.IsArray(writer) || inner.IsFunction(writer))
        {
            writer.Add(")");
        }

        writer.Right(inner);
    }

    public override bool HasRight(ItaniumWriter writer) => _target.HasRight(writer);

    private (ItaniumNode Inner, bool IsRvalue) Collapsed(ItaniumWriter writer)
    {
        (ItaniumNode inner, bool isRvalueReference) = (_target, _isRvalue);
        for (int i = 0; i < MaximumCollapsed && inner.Actual(writer) is ReferenceNode reference; i++)
        {
            inner = reference._target;
            isRvalueReference &= reference._isRvalue;
        }

        return (inner, isRvalueReference);
    }
}

/// <summary>A pointer to a member.</summary>
internal sealed class MemberPointerNode(ItaniumNode owner, ItaniumNode member) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Left(member);
        writer.Add(member.IsArray(writer) || member.IsFunction(writer) ? "(" : " ");
        writer.Write(owner).Add("::*");
    }

    public override void WriteRight(ItaniumWriter writer)
    {
        if (member.IsArray(writer) || member.IsFunction(writer))
        {
            writer.Add(")");
        }

        writer.Right(member);
    }

    public override bool HasRight(ItaniumWriter writer) => member.HasRight(writer);
}

/// <summary>An array.</summary>
internal sealed class ArrayNode(ItaniumNode element, ItaniumNode? length) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer) => writer.Left(element);

    public override void WriteRight(ItaniumWriter writer)
    {
        if (writer.Last != ']')
        {
            writer.Add(" ");
        }

        writer.Add("[");
        if (length is not null)
        {
            writer.Write(length);
        }

        writer.Add("]").Right(element);
    }

    public override bool HasRight(ItaniumWriter writer) => true;

    public override bool IsArray(ItaniumWriter writer) => true;
}

/// <summary>A function's type.</summary>
internal sealed class FunctionTypeNode(ItaniumNode result, ItaniumNode[] parameters, string qualifiers, ItaniumNode? exceptions)
    : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer) => writer.Left(result).Add(" ");

    public override void WriteRight(ItaniumWriter writer)
    {
        writer.Open();
        writer.List(parameters);
        writer.Close();
        writer.Right(result).Add(qualifiers);
        if (exceptions is not null)
        {
            writer.Add(" ").Write(exceptions);
        }
    }

    public override bool HasRight(ItaniumWriter writer) => true;

    public override bool IsFunction(ItaniumWriter writer) => true;
}

/// <summary>The arguments that stand for a template's parameter pack; written is the present element of the expansion.</summary>
internal sealed class PackNode(ItaniumNode[] elements) : ItaniumNode
{
    public IReadOnlyList<ItaniumNode> Elements => elements;

    public override void WriteLeft(ItaniumWriter writer)
    {
        if (Element(writer) is { } element)
        {
            writer.Left(element);
        }
    }

    public override void WriteRight(ItaniumWriter writer)
    {
        if (Element(writer) is { } element)
        {
            writer.Right(element);
        }
    }

    public override bool HasRight(ItaniumWriter writer) => Element(writer)?.HasRight(writer) ?? false;

    public override bool IsArray(ItaniumWriter writer) => Element(writer)?.IsArray(writer) ?? false;

    public override bool IsFunction(ItaniumWriter writer) => Element(writer)?.IsFunction(writer) ?? false;

    public override ItaniumNode Actual(ItaniumWriter writer) => Element(writer)?.Actual(writer) ?? this;

    private ItaniumNode? Element(ItaniumWriter writer)
    {
        if (writer.PackCount == ItaniumWriter.NoPack)
        {
            (writer.PackIndex, writer.PackCount) = (0, elements.Length);
        }

        return writer.PackIndex < elements.Length ? elements[writer.PackIndex] : null;
    }
}

/// <summary>A pack among template arguments: all its elements.</summary>
internal sealed class ArgumentPackNode(ItaniumNode[] elements) : ItaniumNode
{
    public IReadOnlyList<ItaniumNode> Elements => elements;

    public override Precedence Precedence => Precedence.Primary;

    public override void WriteLeft(ItaniumWriter writer) => writer.List(elements);
}

/// <summary>A pattern, written for each element of the pack in it.</summary>
internal sealed class ExpansionNode(ItaniumNode pattern) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        (int index, int count) = (writer.PackIndex, writer.PackCount);
        (writer.PackIndex, writer.PackCount) = (ItaniumWriter.NoPack, ItaniumWriter.NoPack);
        int start = writer.Length;
        writer.Write(pattern);
        if (writer.PackCount == ItaniumWriter.NoPack)
        {
            // No pack in it is known: a function's parameter, for example.
            writer.Add("...");
        }
        else if (writer.PackCount == 0)
        {
            writer.CutTo(start);
        }
        else
        {
            int elements = writer.PackCount;
            for (int i = 1; i < elements && !writer.HasFailed; i++)
            {
                writer.Add(", ");
                writer.PackIndex = i;
                writer.Write(pattern);
            }
        }

        (writer.PackIndex, writer.PackCount) = (index, count);
    }
}

/// <summary>A template parameter that stands before its argument is known: in a conversion operator's type.</summary>
internal sealed class ForwardNode(int index) : ItaniumNode
{
    private bool _isInUse;

    public int Index => index;

    public ItaniumNode? Argument { get; set; }

    public override void WriteLeft(ItaniumWriter writer) => Use(argument => writer.Left(argument) is null);

    public override void WriteRight(ItaniumWriter writer) => Use(argument => writer.Right(argument) is null);

    public override bool HasRight(ItaniumWriter writer) => Use(argument => argument.HasRight(writer));

    public override bool IsArray(ItaniumWriter writer) => Use(argument => argument.IsArray(writer));

    public override bool IsFunction(ItaniumWriter writer) => Use(argument => argument.IsFunction(writer));

    public override ItaniumNode Actual(ItaniumWriter writer)
    {
        ItaniumNode actual = this;
        Use(argument => (actual = argument.Actual(writer)) is null);
        return actual;
    }

    /// <summary>A hostile name can make the argument hold this very node: then it ends here.</summary>
    private bool Use(Func<ItaniumNode, bool> use)
    {
        if (_isInUse || Argument is null)
        {
            return false;
        }

        _isInUse = true;
        bool result = use(Argument);
        _isInUse = false;
        return result;
    }
}
