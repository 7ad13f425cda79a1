namespace Tracer.Symbols;

/// <summary>A text as it is.</summary>
internal sealed class TextNode(string text, string? baseName = null) : ItaniumNode
{
    public string Text => text;

    public override string BaseName => baseName ?? text;

    public override void WriteLeft(ItaniumWriter writer) => writer.Add(text);
}

/// <summary><c>std::string</c> and the like, which have letters of their own; written in full before a constructor's name.</summary>
internal sealed class StandardNode(string name, string full) : ItaniumNode
{
    public override string BaseName => full[..(full.IndexOf('<') is > 0 and int end ? end : full.Length)]["std::".Length..];

    public ItaniumNode InFull => new TextNode(full, BaseName);

    public override void WriteLeft(ItaniumWriter writer) => writer.Add(name);
}

/// <summary><c>scope::name</c>.</summary>
internal sealed class QualifiedNode(ItaniumNode scope, ItaniumNode name) : ItaniumNode
{
    public override string BaseName => name.BaseName;

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Write(scope).Add("::");
        writer.Write(name);
    }
}

/// <summary><c>name&lt;arguments&gt;</c>.</summary>
internal sealed class TemplateNode(ItaniumNode name, ItaniumNode arguments) : ItaniumNode
{
    public override string BaseName => name.BaseName;

    public override void WriteLeft(ItaniumWriter writer) => writer.Write(name).Write(arguments);
}

/// <summary>Template arguments. Functions among them keep their parameters even in a short name.</summary>
internal sealed class ArgumentsNode(ItaniumNode[] arguments) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        (bool isShort, int parentheses) = (writer.IsShort, writer.Parentheses);
        (writer.IsShort, writer.Parentheses) = (false, 0);
        writer.Add("<").List(arguments);
        writer.Add(">");
        (writer.IsShort, writer.Parentheses) = (isShort, parentheses);
    }
}

/// <summary>A name with an abi tag: <c>name[abi:tag]</c>.</summary>
internal sealed class TaggedNode(ItaniumNode name, string tag) : ItaniumNode
{
    public override string BaseName => name.BaseName;

    public override void WriteLeft(ItaniumWriter writer) => writer.Write(name).Add("[abi:" + tag + "]");
}

/// <summary>A constructor or destructor.</summary>
internal sealed class StructorNode(ItaniumNode owner, bool isDestructor) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer) => writer.Add((isDestructor ? "~" : "") + owner.BaseName);
}

/// <summary>A conversion operator: its name is a type.</summary>
internal sealed class ConversionNode(ItaniumNode type) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer) => writer.Add("operator ").Write(type);
}

/// <summary>What the compiler makes for something, such as a vtable.</summary>
internal sealed class MadeForNode(string what, ItaniumNode target) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer) => writer.Add(what).Write(target);
}

/// <summary>A vtable that is used while a base is constructed.</summary>
internal sealed class ConstructionTableNode(ItaniumNode derived, ItaniumNode part) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer) =>
        writer.Add("construction vtable for ").Write(derived).Add("-in-").Write(part);
}

/// <summary>A lambda's class; clang numbers them from the second on.</summary>
internal sealed class ClosureNode(string number, ItaniumNode[] declarations, ItaniumNode[] parameters) : ItaniumNode
{
    public string Number => number;

    public override string BaseName => "'lambda" + number + "'";

    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Add("'lambda" + number + "'");
        WriteDeclarator(writer);
    }

    public void WriteDeclarator(ItaniumWriter writer)
    {
        if (declarations.Length > 0)
        {
            int parentheses = writer.Parentheses;
            writer.Parentheses = 0;
            writer.Add("<").List(declarations);
            writer.Add(">");
            writer.Parentheses = parentheses;
        }

        writer.Open();
        writer.List(parameters);
        writer.Close();
    }
}

/// <summary>Names that one declaration binds: <c>[a, b]</c>.</summary>
internal sealed class BindingNode(ItaniumNode[] names) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Add("[").List(names);
        writer.Add("]");
    }
}

/// <summary>A template parameter of a lambda, as it is declared: <c>typename $T</c>.</summary>
internal sealed class DeclarationNode(string before, ItaniumNode? type, ItaniumNode name, bool isPack) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        writer.Add(before);
        if (type is not null)
        {
            writer.Left(type);
            if (!type.HasRight(writer))
            {
                writer.Add(" ");
            }
        }

        if (isPack)
        {
            writer.Add("...");
        }

        writer.Write(name);
    }

    public override bool HasRight(ItaniumWriter writer) => type is not null;

    public override void WriteRight(ItaniumWriter writer)
    {
        if (type is not null)
        {
            writer.Right(type);
        }
    }
}

/// <summary>A function's symbol: name, result and parameters. The short form is the name.</summary>
internal sealed class FunctionSymbolNode(
    ItaniumNode? result, ItaniumNode name, ItaniumNode[] parameters, ItaniumNode[] conditions, string qualifiers) : ItaniumNode
{
    public override void WriteLeft(ItaniumWriter writer)
    {
        if (result is not null && !writer.IsShort)
        {
            writer.Left(result);
            if (!result.HasRight(writer))
            {
                writer.Add(" ");
            }
        }

        writer.Write(name);
    }

    public override bool HasRight(ItaniumWriter writer) => !writer.IsShort;

    public override void WriteRight(ItaniumWriter writer)
    {
        if (writer.IsShort)
        {
            return;
        }

        writer.Open();
        writer.List(parameters);
        writer.Close();
        if (result is not null)
        {
            writer.Right(result);
        }

        writer.Add(qualifiers);
        if (conditions.Length > 0)
        {
            writer.Add(" [enable_if:").List(conditions);
            writer.Add("]");
        }
    }
}
