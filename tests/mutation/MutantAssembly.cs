using System.Reflection;
using System.Security.Cryptography;
using System.Text;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

namespace Tracer.Mutation;

/// <summary>Compiles the analysis with its mutants in it.</summary>
internal sealed class MutantAssembly
{
    private const int MostRounds = 25;

    private const string Switch =
        """
        namespace Tracer.Mutation;
        public static class MutantSwitch
        {
            public static int Active = -1;
            public static byte[] Hits = new byte[SIZE];
            public static bool On(int id)
            {
                Hits[id] = 1;
                return Active == id;
            }
        }
        """;

    private readonly CSharpCompilation _original;
    private readonly string[] _files;
    private readonly SyntaxTree[] _trees;
    private readonly HashSet<int> _dropped = [];
    private readonly HashSet<int> _fixedConstants = [];

    /// <summary>Reads the sources.</summary>
    /// <param name="root">Folder of the project.</param>
    /// <param name="generated">Folder of what the build wrote for it.</param>
    /// <param name="libraries">Folder of the libraries that it needs.</param>
    public MutantAssembly(string root, string generated, string libraries)
    {
        var options = new CSharpParseOptions(LanguageVersion.Latest, DocumentationMode.None);
        _files = [.. Directory.EnumerateFiles(root, "*.cs", SearchOption.AllDirectories).Order(StringComparer.Ordinal)];
        _trees = [.. _files.Select(path => CSharpSyntaxTree.ParseText(File.ReadAllText(path), options, path))];
        IEnumerable<SyntaxTree> others = Directory.EnumerateFiles(generated, "*.cs").Concat(Linked(root))
            .Select(path => CSharpSyntaxTree.ParseText(File.ReadAllText(path), options, path));
        string platform = (string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!;
        string own = AppContext.BaseDirectory;
        IEnumerable<string> references = platform.Split(Path.PathSeparator)
            .Where(path => !path.StartsWith(own, StringComparison.Ordinal))
            .Concat(Directory.EnumerateFiles(libraries, "Tracer.*.dll").Where(path => !IsOfTests(path)));
        _original = WithPatterns(CSharpCompilation.Create(
            "Tracer.Analysis",
            _trees.Concat(others),
            references.Select(path => MetadataReference.CreateFromFile(path)),
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary,
                optimizationLevel: OptimizationLevel.Release,
                nullableContextOptions: NullableContextOptions.Enable,
                reportSuppressedDiagnostics: false,
                generalDiagnosticOption: ReportDiagnostic.Suppress)), options);
        Root = root;
    }

    private string Root { get; }

    /// <summary>How many changes were tried and did not compile.</summary>
    public int Dropped => _dropped.Count;

    /// <summary>Writes every mutant of the folders into one assembly; those that do not compile are left out.</summary>
    public IReadOnlyList<Mutant> Write(IReadOnlyList<string> folders, string path)
    {
        string known = path + ".dropped";
        string sources = SourcesText(folders);
        TakeDropped(known, sources);
        for (int round = 0; round < MostRounds; round++)
        {
            var list = new MutantList(_dropped, _fixedConstants);
            var trees = (SyntaxTree[])_trees.Clone();
            for (int index = 0; index < trees.Length; index++)
            {
                string file = Path.GetRelativePath(Root, _files[index]);
                if (folders.Contains(file.Replace('\\', '/').Split('/')[0]))
                {
                    var writer = new MutantWriter(_original.GetSemanticModel(_trees[index]), file, index, list);
                    trees[index] = _trees[index].WithRootAndOptions(writer.Visit(_trees[index].GetRoot()), _trees[index].Options);
                }
            }

            string choice = Switch.Replace("SIZE", list.Count.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal);
            CSharpCompilation mutated = _original.RemoveSyntaxTrees(_trees).AddSyntaxTrees(trees)
                .AddSyntaxTrees(CSharpSyntaxTree.ParseText(choice, (CSharpParseOptions)_trees[0].Options));
            Diagnostic[] errors = Emit(mutated, path);
            if (errors.Length == 0)
            {
                File.WriteAllLines(known, [sources, string.Join(' ', _dropped), string.Join(' ', _fixedConstants)]);
                return list.All;
            }

            DropWhatDoesNotCompile(mutated, errors);
        }

        throw new InvalidOperationException("The mutants do not compile.");
    }

    /// <summary>Writes an assembly with one constant changed.</summary>
    /// <returns>Whether it compiles.</returns>
    public bool WriteOne(ConstantChange constant, string path)
    {
        SyntaxTree tree = _trees[constant.Tree];
        SourceText text = tree.GetText().Replace(new TextSpan(constant.Start, constant.Length), constant.Value);
        return Emit(_original.ReplaceSyntaxTree(tree, tree.WithChangedText(text)), path).Length == 0;
    }

    /// <summary>Finding what does not compile takes long: it is kept for as long as sources and this program stay the same.</summary>
    private void TakeDropped(string known, string sources)
    {
        if (File.Exists(known) && File.ReadAllLines(known) is [var of, var dropped, var constants] && of == sources)
        {
            _dropped.UnionWith(Numbers(dropped));
            _fixedConstants.UnionWith(Numbers(constants));
        }
    }

    private static IEnumerable<int> Numbers(string line) =>
        line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(word => int.Parse(word, CultureInfo.InvariantCulture));

    private string SourcesText(IReadOnlyList<string> folders)
    {
        string all = string.Join('\n', _trees.Select(tree => tree.ToString()).Concat(_files).Concat(folders));
        Guid program = typeof(MutantAssembly).Module.ModuleVersionId;
        return $"{program} {Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(all)))}";
    }

    /// <summary>With what the SDK's generator writes for the regular expressions of the sources.</summary>
    private static CSharpCompilation WithPatterns(CSharpCompilation compilation, CSharpParseOptions options)
    {
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        string packs = Path.Combine(runtime, "..", "..", "..", "packs", "Microsoft.NETCore.App.Ref");
        string path = Directory.EnumerateFiles(packs, "System.Text.RegularExpressions.Generator.dll", SearchOption.AllDirectories).Max()!;
        Type generator = Assembly.LoadFrom(path).GetType("System.Text.RegularExpressions.Generator.RegexGenerator", throwOnError: true)!;
        var instance = (IIncrementalGenerator)Activator.CreateInstance(generator)!;
        _ = CSharpGeneratorDriver.Create([instance.AsSourceGenerator()], parseOptions: options)
            .RunGeneratorsAndUpdateCompilation(compilation, out Compilation with, out _);
        return (CSharpCompilation)with;
    }

    /// <summary>Sources from elsewhere that the project names.</summary>
    private static IEnumerable<string> Linked(string root) => Directory.EnumerateFiles(root, "*.csproj")
        .SelectMany(project => XDocument.Load(project).Descendants("Compile"))
        .Select(link => Path.GetFullPath(Path.Combine(root, link.Attribute("Include")!.Value)));

    private static bool IsOfTests(string path) =>
        Path.GetFileName(path) is "Tracer.Analysis.dll" || path.EndsWith(".Tests.dll", StringComparison.Ordinal);

    private static Diagnostic[] Emit(CSharpCompilation compilation, string path)
    {
        using var image = new MemoryStream();
        EmitResult result = compilation.Emit(image);
        if (result.Success)
        {
            File.WriteAllBytes(path, image.ToArray());
        }

        return result.Success ? [] : [.. result.Diagnostics.Where(found => found.Severity == DiagnosticSeverity.Error)];
    }

    private void DropWhatDoesNotCompile(CSharpCompilation mutated, Diagnostic[] errors)
    {
        int before = _dropped.Count + _fixedConstants.Count;
        var models = new Dictionary<SyntaxTree, SemanticModel>();
        foreach (Diagnostic error in errors)
        {
            SyntaxTree tree = error.Location.SourceTree!;
            if (!models.TryGetValue(tree, out SemanticModel? model))
            {
                models.Add(tree, model = mutated.GetSemanticModel(tree));
            }

            SyntaxNode node = tree.GetRoot().FindNode(error.Location.SourceSpan, getInnermostNodeForTie: true);
            SyntaxNode[] declarations = [.. node.DescendantNodesAndSelf().OfType<SimpleNameSyntax>()
                .Select(name => DeclarationOf(model.GetSymbolInfo(name).Symbol)).OfType<SyntaxNode>()];
            int[] constants = declarations.Select(declaration => IdsOf(declaration, MutantWriter.OfConstant))
                .FirstOrDefault(ids => ids.Length > 0, []);
            if (constants.Length > 0)
            {
                _fixedConstants.UnionWith(constants);
                continue;
            }

            // A name that a condition gives may be unknown behind it; what stands around the name is not at fault.
            int[] given = declarations.Where(declaration => declaration is SingleVariableDesignationSyntax).Select(Above)
                .FirstOrDefault(ids => ids.Length > 0, []);
            int[] around = IsUnassigned(error) && given.Length > 0 ? given : Above(node);

            // That a member may return before it sets what it must give back is told of the member: any condition in it may be at fault.
            _dropped.UnionWith(around.Length > 0 ? around : Within(node.FirstAncestorOrSelf<MemberDeclarationSyntax>()));
        }

        if (_dropped.Count + _fixedConstants.Count == before)
        {
            throw new InvalidOperationException(string.Join('\n', errors.Select(error => error.ToString())));
        }
    }

    private static bool IsUnassigned(Diagnostic error) => error.Id is "CS0165" or "CS0170";

    private static SyntaxNode? DeclarationOf(ISymbol? symbol) => symbol?.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax();

    /// <summary>The mutants of the innermost place around a node.</summary>
    private static int[] Above(SyntaxNode? node) =>
        node?.AncestorsAndSelf().Select(above => IdsOf(above, MutantWriter.OfMutant)).FirstOrDefault(ids => ids.Length > 0) ?? [];

    private static IEnumerable<int> Within(SyntaxNode? node) =>
        node?.DescendantNodesAndSelf().SelectMany(inner => IdsOf(inner, MutantWriter.OfMutant)) ?? [];

    private static int[] IdsOf(SyntaxNode? node, string kind) => node is null
        ? []
        : [.. node.GetAnnotations(kind).Select(note => int.Parse(note.Data!, CultureInfo.InvariantCulture))];
}
