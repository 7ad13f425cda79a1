namespace Tracer.Symbols;

/// <summary><c>left + right</c>.</summary>
internal sealed class BinaryNode(ItaniumNode left, string symbol, ItaniumNode right, Precedence precedence) : ItaniumNode
{
    public override Precedence Precedence => precedence;

    public override void WriteLeft(ItaniumWriter writer)
    {
        // A ">" would end the template arguments that it stands in.
        bool isEnclosed = writer.Parentheses == 0 && symbol is ">" or ">>";
        if (isEnclosed)
        {
            writer.Open();
        }

        bool isAssignment = precedence == Precedence.Assignment;
        writer.Operand(left, precedence, isLoose: !isAssignment);
        writer.Add(symbol == "," ? ", " : " " + symbol + " ");
        writer.Operand(right, precedence, isLoose: isAssignment);
        if (isEnclosed)
        {
            writer.Close();
        }
    }
}

/// <summary>Text before or behind an operand.</summary>
internal sealed class UnaryNode(string before, ItaniumNode operand, string behind, Precedence precedence) : ItaniumNode
{
    public override Precedence Precedence => precedence;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Add(before).Operand(operand, precedence, isLoose: behind.Length > 0 || before.EndsWith(' '));
        writer.Add(behind);
    }
}

/// <summary><c>word (operand)</c>: sizeof, noexcept and others.</summary>
internal sealed class EnclosedNode(string word, ItaniumNode operand, Precedence precedence) : ItaniumNode
{
    public override Precedence Precedence => precedence;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Add(word).Open();
        writer.Write(operand);
        writer.Close();
    }
}

/// <summary><c>object.member</c>.</summary>
internal sealed class MemberNode(ItaniumNode owner, string symbol, ItaniumNode member, Precedence precedence) : ItaniumNode
{
    public override Precedence Precedence => precedence;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Operand(owner, precedence, isLoose: true);
        writer.Add(symbol).Operand(member, precedence);
    }
}

/// <summary><c>array[index]</c>.</summary>
internal sealed class SubscriptNode(ItaniumNode array, ItaniumNode index) : ItaniumNode
{
    public override Precedence Precedence => Precedence.Postfix;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Operand(array, Precedence);
        writer.Add("[").Write(index).Add("]");
    }
}

/// <summary><c>condition ? this : that</c>.</summary>
internal sealed class ConditionalNode(ItaniumNode condition, ItaniumNode then, ItaniumNode otherwise) : ItaniumNode
{
    public override Precedence Precedence => Precedence.Conditional;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Operand(condition, Precedence);
        writer.Add(" ? ").Write(then).Add(" : ").Operand(otherwise, Precedence.Assignment, isLoose: true);
    }
}

/// <summary><c>function(arguments)</c>.</summary>
internal sealed class CallNode(ItaniumNode function, ItaniumNode[] arguments) : ItaniumNode
{
    public override Precedence Precedence => Precedence.Postfix;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Write(function).Open();
        writer.List(arguments);
        writer.Close();
    }
}

/// <summary><c>static_cast&lt;type&gt;(value)</c>.</summary>
internal sealed class CastNode(string word, ItaniumNode type, ItaniumNode value) : ItaniumNode
{
    public override Precedence Precedence => Precedence.Postfix;

    public override void WriteLeft(ItaniumWriter writer)
    {
        int parentheses = writer.Parentheses;
        writer.Parentheses = 0;
        writer.Add(word).Add("<").Left(type).Add(">");
        writer.Parentheses = parentheses;
        writer.Open();
        writer.Write(value);
        writer.Close();
    }
}

/// <summary><c>(type)(values)</c>.</summary>
internal sealed class ConversionExpressionNode(ItaniumNode type, ItaniumNode[] values) : ItaniumNode
{
    public override Precedence Precedence => Precedence.Cast;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Open();
        writer.Write(type);
        writer.Close();
        writer.Open();
        writer.List(values);
        writer.Close();
    }
}

/// <summary><c>type{values}</c>.</summary>
internal sealed class BracedNode(ItaniumNode? type, ItaniumNode[] values) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        if (type is not null)
        {
            writer.Write(type);
        }

        writer.Add("{").List(values);
        writer.Add("}");
    }
}

/// <summary><c>.member = value</c> or <c>[index] = value</c> inside braces.</summary>
internal sealed class DesignatorNode(ItaniumNode designated, ItaniumNode? last, ItaniumNode value, bool isArray) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Add(isArray ? "[" : ".").Write(designated);
        if (last is not null)
        {
            writer.Add(" ... ").Write(last);
        }

        writer.Add(isArray ? "]" : "");
        if (value is not (BracedNode or DesignatorNode))
        {
            writer.Add(" = ");
        }

        writer.Write(value);
    }
}

/// <summary><c>new (place) type(values)</c>.</summary>
internal sealed class NewNode(bool isGlobal, bool isArray, ItaniumNode[] places, ItaniumNode type, ItaniumNode[]? values) : ItaniumNode
{
    public override Precedence Precedence => Precedence.Unary;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Add(isGlobal ? "::" : "").Add(isArray ? "new[]" : "new");
        if (places.Length > 0)
        {
            writer.Open();
            writer.List(places);
            writer.Close();
        }

        writer.Add(" ").Write(type);
        if (values is not null)
        {
            writer.Open();
            writer.List(values);
            writer.Close();
        }
    }
}

/// <summary><c>(... + pack)</c> and its kin.</summary>
internal sealed class FoldNode(bool isLeft, string symbol, ItaniumNode pack, ItaniumNode? start) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Open();
        if (!isLeft || start is not null)
        {
            if (isLeft)
            {
                writer.Operand(start!, Precedence.Cast, isLoose: true);
            }
            else
            {
                WritePack(writer);
            }

            writer.Add(" " + symbol + " ");
        }

        writer.Add("...");
        if (isLeft || start is not null)
        {
            writer.Add(" " + symbol + " ");
            if (isLeft)
            {
                WritePack(writer);
            }
            else
            {
                writer.Operand(start!, Precedence.Cast, isLoose: true);
            }
        }

        writer.Close();
    }

    private void WritePack(ItaniumWriter writer)
    {
        writer.Open();
        writer.Write(new ExpansionNode(pack));
        writer.Close();
    }
}
