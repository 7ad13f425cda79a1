using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;

namespace Tracer.Repository.Tests.Arrows;

/// <summary>That <see cref="ArrowTests"/> would find an arrow, on a made-up project of two folders and on made-up arrows.</summary>
public sealed class MadeArrowTests
{
    private const string Used = """
        namespace Made.B;
        public class Used { public const int Constant = 1; public static int Field; public int Member() => 1; public class Inner { } }
        public interface IUsed { }
        public struct UsedStruct { }
        public enum UsedKind { One, Two }
        public class UsedAttribute(System.Type type) : System.Attribute { public System.Type Type { get; } = type; }
        public static class Extensions { public static int Of(this int number) => number; }
        public delegate void UsedDelegate();
        """;

    [Theory]
    [InlineData("public class User : Used { }")]
    [InlineData("public class User : IUsed { }")]
    [InlineData("public class User<T> where T : Used { }")]
    [InlineData("public class User { public void M<T>() where T : Used { } }")]
    [InlineData("public class User { private Used? _field; }")]
    [InlineData("public class User { public Used? Property => null; }")]
    [InlineData("public class User { public void M(System.Collections.Generic.List<UsedStruct?[]> parameter) { } }")]
    [InlineData("public class User { public object M() => new Used(); }")]
    [InlineData("public class User { public int M() => Used.Field; }")]
    [InlineData("public class User { public object M() => typeof(Used); }")]
    [InlineData("public class User { public object? M() => System.Array.Empty<Used.Inner>(); }")]
    [InlineData("public class User { public int M(object o) => o switch { 1 => 1, 2 => 2, 3 => 3, 4 => 4, Used => 5, _ => 6 }; }")]
    [InlineData("public class User { public void M() { System.Action a = () => { long b = 2; a = () => { b += Used.Field; }; }; } }")]
    [InlineData("public class User { public class Inner { public int M(Made.B.Used one) => one.Member(); } }")]
    [InlineData("public class User { public int M() => 1.Of(); }")]
    [InlineData("public class User { public event UsedDelegate? Event; }")]
    [InlineData("public interface User { void M(Used used); }")]
    // What the compiler puts a number or a text for.
    [InlineData("public class User { public int M() => Used.Constant; }")]
    [InlineData("public class User { public string M() => nameof(Used); }")]
    [InlineData("public class User { public int M(object o) => o is (int)UsedKind.Two ? 1 : 2; }")]
    [InlineData("public enum User { One = UsedKind.Two }")]
    [InlineData("[System.Diagnostics.DebuggerTypeProxy(typeof(Used))] public class User { }")]
    public void A_use_is_found(string user)
    {
        Arrow arrow = Assert.Single(Made(user).Arrows);
        Assert.Equal(("a", "b"), (arrow.From, arrow.To));
    }

    [Theory]
    [InlineData("/// <summary>As <see cref=\"Used\"/>.</summary>\npublic class User { }")]
    [InlineData("public class User { public string M() => \"Used.Constant\"; }")]
    [InlineData("public class User { public int M(string Used) => Used.Length; }")]
    public void What_is_no_use_is_not(string user) => Assert.Empty(Made(user).Arrows);

    [Fact]
    public void A_type_in_two_folders_is_told() => Assert.Equal(
        ["Made.A.User stands in a and b"],
        FoldersOf(("a/User.cs", "namespace Made.A; public partial class User { public int A() => 1; }"),
            ("b/User.cs", "namespace Made.A; public partial class User { public int B() => 2; }")).Scattered);

    [Theory]
    [InlineData("a>b b>c a>c", "")]
    [InlineData("a>b b>a", "a>b b>a")]
    [InlineData("a>b b>c c>a c>d d>e", "a>b b>c c>a")]
    [InlineData("a>b b>a b>c c>d d>e e>d", "a>b b>a d>e e>d")]
    public void Cycles_are_found(string arrows, string cycles) =>
        Assert.Equal(cycles, string.Join(' ', FolderArrows.Cycles(ArrowsOf(arrows)).Select(arrow => $"{arrow.From}>{arrow.To}")));

    [Theory]
    [InlineData("b>a c>a c>b", "")]
    [InlineData("b>a a>c b>c", "a>c b>c")]
    public void Arrows_against_an_order_are_found(string arrows, string upward) => Assert.Equal(
        upward,
        string.Join(' ', FolderArrows.Upward(ArrowsOf(arrows), ["a", "b", "c"]).Select(arrow => $"{arrow.From}>{arrow.To}")));

    private static Arrow[] ArrowsOf(string arrows) => [.. arrows.Split(' ').Select(one => new Arrow(one[..1], one[2..], ""))];

    private static FolderArrows Made(string user) =>
        FoldersOf(("a/User.cs", "using Made.B;\n#nullable enable\nnamespace Made.A;\n" + user), ("b/Used.cs", Used));

    private static FolderArrows FoldersOf(params (string Path, string Text)[] files)
    {
        var compilation = CSharpCompilation.Create(
            "made",
            files.Select(file => CSharpSyntaxTree.ParseText(file.Text, path: "/_/" + file.Path, encoding: System.Text.Encoding.UTF8)),
            ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
                .Where(path => Path.GetFileName(path) is "System.Private.CoreLib.dll" or "System.Runtime.dll" or "System.Collections.dll")
                .Select(path => MetadataReference.CreateFromFile(path)),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary));
        using var assembly = new MemoryStream();
        EmitResult result = compilation.Emit(assembly, options: new EmitOptions(debugInformationFormat: DebugInformationFormat.Embedded));
        Assert.True(result.Success, string.Join('\n', result.Diagnostics));
        assembly.Position = 0;
        return new FolderArrows(
            CompiledTypes.Read(assembly),
            file => file.Split('/')[^2],
            file => files.Single(one => "/_/" + one.Path == file).Text);
    }
}
