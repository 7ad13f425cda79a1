namespace Tracer.Symbols;

/// <summary>
/// A part of an Itanium name. A type is written around the name that it is for, so a node has a left and a right side. Nodes do not
/// change, and back references share them.
/// </summary>
internal abstract class ItaniumNode
{
    public virtual Precedence Precedence => Precedence.Primary;

    /// <summary>What stands before the name.</summary>
    public abstract void WriteLeft(ItaniumWriter writer);

    /// <summary>What stands behind it.</summary>
    public virtual void WriteRight(ItaniumWriter writer)
    {
    }

    /// <summary>Whether there is a right side.</summary>
    public virtual bool HasRight(ItaniumWriter writer) => false;

    public virtual bool IsArray(ItaniumWriter writer) => false;

    public virtual bool IsFunction(ItaniumWriter writer) => false;

    /// <summary>The node that is written in place of this one: of a pack the present element.</summary>
    public virtual ItaniumNode Actual(ItaniumWriter writer) => this;

    /// <summary>The last part of a name, without scopes and template arguments: what a constructor is called.</summary>
    public virtual string BaseName => "";
}
