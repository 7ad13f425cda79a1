using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Tracer.Rules;

namespace Tracer.Repository.Tests;

/// <summary>What the rules of tests/rules find in a file, and what they leave alone.</summary>
public sealed class StyleRulesTests
{
    [Theory]
    [InlineData("using System.Text;\nnamespace A;", "TRACER1 1")]
    [InlineData("using System;\nusing System.Text;\nnamespace A;\npublic class B { public Uri C; }", "TRACER1 2")]
    [InlineData("using System;\nnamespace A;\n/// <summary><see cref=\"Uri\"/></summary>\npublic class B { }", "")]
    [InlineData("namespace A { }", "TRACER5 1")]
    [InlineData("namespace A;\nusing System;\npublic class B { public Uri C; }", "TRACER4 2")]
    [InlineData("class B { }", "TRACER3 1")]
    [InlineData("public class B\n{\nint a;\nvoid C() { }\nint D { get; } }", "TRACER3 3, TRACER3 4, TRACER3 5")]
    [InlineData("public class B\n{\nB() { }\nclass E { } }", "TRACER3 3, TRACER3 4")]
    [InlineData("public interface IB { void C(); }\npublic class B : IB { void IB.C() { } static B() { } ~B() { } }", "")]
    [InlineData("public enum E { F }\npublic static partial class G { static partial void H(); }", "")]
    [InlineData("file class B { }\npublic static class C { extension(int a) { public int D() => a; } }", "")]
    [InlineData("public static class C { extension(int a) {\nint D() => a; } }", "TRACER3 2")]
    public void Files_and_members(string text, string found) => Assert.Equal(found, Found(text));

    [Theory]
    [InlineData("if (a)\nreturn;", "TRACER2 4")]
    [InlineData("if (a) { } else\nreturn;", "TRACER2 4")]
    [InlineData("if (a) { } else if (!a) { } else { }", "")]
    [InlineData("if (a) { } else if (!a)\nreturn;", "TRACER2 4")]
    [InlineData("for (; ; )\nreturn;", "TRACER2 4")]
    [InlineData("foreach (int i in new int[1])\nreturn;", "TRACER2 4")]
    [InlineData("while (a)\nreturn;", "TRACER2 4")]
    [InlineData("do\na = false; while (a);", "TRACER2 4")]
    [InlineData("lock (this)\nreturn;", "TRACER2 4")]
    [InlineData("using (null)\nusing (null) { }", "")]
    [InlineData("using (null)\nlock (this) { }", "TRACER2 4")]
    public void Statements(string text, string found) =>
        Assert.Equal(found, Found($"public class B\n{{\npublic void C(bool a) {{ {text} }}\n}}"));

    private static string Found(string text)
    {
        SyntaxTree tree = CSharpSyntaxTree.ParseText(text, new CSharpParseOptions(LanguageVersion.Latest, DocumentationMode.Diagnose));
        var compilation = CSharpCompilation.Create(
            "some", [tree], [MetadataReference.CreateFromFile(typeof(object).Assembly.Location),
                MetadataReference.CreateFromFile(typeof(Uri).Assembly.Location)]);
        ImmutableArray<Diagnostic> found = compilation.WithAnalyzers([new StyleRules()])
            .GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken).GetAwaiter().GetResult();
        return string.Join(", ", found.Select(one => $"{one.Id} {one.Location.GetLineSpan().StartLinePosition.Line + 1}").Order());
    }
}
