using System.Globalization;
using System.Numerics;

namespace Tracer.Symbols;

/// <summary>Literals: "L" type value "E".</summary>
internal sealed partial class ItaniumDemangler
{
    private ItaniumNode Literal()
    {
        Require('L');
        switch (Next)
        {
            case 'b' when Take("b0E"):
                return new TextNode("false");
            case 'b' when Take("b1E"):
                return new TextNode("true");
            case 'f':
                _at++;
                return Float(8);
            case 'd':
                _at++;
                return Float(16);
            case 'e':
                _at++;
                return Float(20);
            case 'i' or 'j' or 'l' or 'm' or 'x' or 'y':
                string suffix = Next switch { 'j' => "u", 'l' => "l", 'm' => "ul", 'x' => "ll", 'y' => "ull", _ => "" };
                _at++;
                return new TextNode(Integer() + suffix);
            case '_' when Take("_Z"):
                ItaniumNode symbol = Encoding() ?? Nothing;
                Require('E');
                return symbol;
            case 'D' when Take("DnE") || Take("Dn0E"):
                return new TextNode("nullptr");
            case 'A':
                ItaniumNode array = Type();
                Require('E');
                return new AffixedTypeNode("\"<", array, ">\"", null);
            case 'U' when Sees("Ul"):
                ItaniumNode closure = UnnamedType();
                Require('E');
                return new LambdaNode(closure);
            case 'T':
                return Fail();
        }

        if (Builtin(Next) is { } builtin && Next is not ('v' or 'z'))
        {
            _at++;
            return new TextNode("(" + builtin + ")" + Integer());
        }

        ItaniumNode type = Type();
        return new AffixedTypeNode("(", type, ")" + Integer(), null);
    }

    /// <summary>A value and the end: the minus is "n".</summary>
    private string Integer()
    {
        string digits = Digits(isSigned: true);
        if (digits is "" or "n")
        {
            Fail();
        }

        Require('E');
        return digits.Replace('n', '-');
    }

    /// <summary>The bytes of a number, the highest first, written as C's "%a" does.</summary>
    private ItaniumNode Float(int digits)
    {
        if (_at + digits > _text.Length
            || !BigInteger.TryParse(
                string.Concat("0", _text.AsSpan(_at, digits)),
                NumberStyles.AllowHexSpecifier,
                CultureInfo.InvariantCulture,
                out BigInteger bits))
        {
            return Fail();
        }

        _at += digits;
        Require('E');
        (int fractionBits, int exponentBits, string suffix) = digits switch { 8 => (23, 8, "f"), 16 => (52, 11, ""), _ => (63, 15, "L") };

        // Of 80 bits the integer bit is stored, too, and takes part in the first digit.
        int storedBits = digits == 20 ? 64 : fractionBits;
        bool isNegative = !(bits >> (storedBits + exponentBits)).IsZero;
        int exponent = (int)((bits >> storedBits) & ((1 << exponentBits) - 1));
        BigInteger fraction = bits & ((BigInteger.One << storedBits) - 1);
        int bias = (1 << (exponentBits - 1)) - 1;
        string sign = isNegative ? "-" : "";
        if (exponent == (1 << exponentBits) - 1)
        {
            bool isInfinite = (fraction & ((BigInteger.One << fractionBits) - 1)).IsZero;
            return new TextNode(sign + (isInfinite ? "inf" : "nan") + suffix);
        }

        if (fraction.IsZero && exponent == 0)
        {
            return new TextNode(sign + "0x0p+0" + suffix);
        }

        int lead;
        int power;
        if (digits == 20)
        {
            lead = (int)(fraction >> 60);
            fraction = (fraction & ((BigInteger.One << 60) - 1)) << 4;
            power = exponent - bias - 3;
        }
        else
        {
            lead = exponent == 0 ? 0 : 1;
            power = exponent == 0 ? 1 - bias : exponent - bias;
            fraction <<= 64 - fractionBits;
        }

        string hexadecimal = ((ulong)(fraction & ulong.MaxValue)).ToString("x16", CultureInfo.InvariantCulture).TrimEnd('0');
        return new TextNode(string.Create(
            CultureInfo.InvariantCulture,
            $"{sign}0x{lead:x}{(hexadecimal.Length > 0 ? "." : "")}{hexadecimal}p{(power < 0 ? "" : "+")}{power}{suffix}"));
    }

    /// <summary>A lambda as a value: <c>[](int){...}</c>.</summary>
    private sealed class LambdaNode(ItaniumNode closure) : ItaniumNode
    {
        public override void WriteLeft(ItaniumWriter writer)
        {
            writer.Add("[]");
            (closure as ClosureNode)?.WriteDeclarator(writer);
            writer.Add("{...}");
        }
    }
}
