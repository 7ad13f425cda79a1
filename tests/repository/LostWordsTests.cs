using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// One word per thing: docs/reference/glossary.md lists the words that lost. No name in C# or in the viewer has one of them, and no
/// sentence a phrase.
/// </summary>
public partial class LostWordsTests
{
    private const string Glossary = "docs/reference/glossary.md";

    [Fact]
    public void No_name_has_a_word_that_lost()
    {
        LostWord[] lost = Lost();
        string[] paths = [.. ChildProcess.Output("git", "ls-files", "*.cs", "viewer/src/*.ts")
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(path => File.Exists(Path.Combine(RepositoryFiles.Root, path)))];
        Assert.True(paths.Length > 1_000, $"only {paths.Length} files were found");
        string[] offences =
        [
            .. paths.AsParallel().AsOrdered()
                .SelectMany(path => Offences(lost, path, File.ReadAllText(Path.Combine(RepositoryFiles.Root, path)))),
        ];
        Assert.True(offences.Length == 0, string.Join('\n', offences));
    }

    [Theory]
    [InlineData("a/Made.cs", "class ThreadSighting;", "ThreadSighting")]
    [InlineData("a/Made.cs", "long _sightings;", "_sightings")]
    [InlineData("a/WakeupTrail.cs", "", "WakeupTrail")]
    [InlineData("guilt/Made.cs", "", "guilt")]
    [InlineData("a/Made.cs", "class IdleMarkKind;", "IdleMarkKind")]
    [InlineData("a/Made.cs", "class Mark; class Idle;", null)]
    [InlineData("a/Made.cs", "int moment; double Moments();", "moment")]
    [InlineData("a/Made.cs", "int x = 1; // a moment \n string s = \"a moment\" + $@\"a\n\"\"moment\";", null)]
    [InlineData("analyzer/forecast/Made.cs", "int slice;", "slice")]
    [InlineData("analyzer/forecast/Made.cs", "var x = bytes.Slice(1);", null)]
    [InlineData("analyzer/analysis/slicing/Made.cs", "int slice;", null)]
    [InlineData("viewer/src/made.ts", "const moment = 'a moment' + `a moment`;", "moment")]
    [InlineData("viewer/src/map.ts", "const first = marks[0];", "marks")]
    public void A_word_that_lost_is_found_where_it_is_refused(string path, string text, string? name) =>
        Assert.Equal(name is null ? [] : [name], Offences(Lost(), path, text).Select(offence => offence.Split('\'')[1]));

    [Fact]
    public void No_word_stands_in_the_place_of_another_that_lost_too()
    {
        LostWord[] everywhere = [.. Lost().Where(one => one.Folders.Length == 0)];
        Assert.All(Lost(), one => Assert.DoesNotContain(everywhere, other => other.IsIn(one.Instead)));
    }

    [Fact]
    public void No_sentence_has_a_phrase_that_lost()
    {
        (string Phrase, string Instead, string[] Folders)[] lost = Phrases();
        string[] paths = [.. ChildProcess.Output("git", "ls-files", "*.cs", "*.md", "*.txt", "*.ts", "*.json")
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Where(path => path != Glossary && File.Exists(Path.Combine(RepositoryFiles.Root, path)))];
        string[] offences =
        [
            .. paths.AsParallel().AsOrdered().SelectMany(path => PhrasesIn(
                [.. lost.Where(one => Array.Exists(one.Folders, folder => path.StartsWith(folder, StringComparison.Ordinal)))],
                path,
                File.ReadAllText(Path.Combine(RepositoryFiles.Root, path)))),
        ];
        Assert.True(offences.Length == 0, string.Join('\n', offences));
        Assert.All(lost.SelectMany(one => one.Folders).Distinct(), folder =>
            Assert.Contains(paths, path => path.StartsWith(folder, StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("// What ran before each stop is told.", "each stop")]
    [InlineData("/// after a silence\n", "silence")]
    [InlineData("/// outside of the\n    /// stops of it", "the stops")]
    [InlineData("\"without stops \"\n + \"of the machine\"", "stops of the machine")]
    [InlineData("\"One stop does not tell\"", "One stop")]
    [InlineData("// The machine stops; it is silent.", null)]
    [InlineData("// a sentence without a full stop", null)]
    [InlineData("SilenceTimeout", null)]
    [InlineData("a stop-watch", null)]
    public void A_phrase_that_lost_is_found(string text, string? phrase) => Assert.Equal(
        phrase is null ? [] : [phrase], PhrasesIn(Phrases(), "a/Made.cs", text).Select(offence => offence.Split('\'')[1]));

    private static IEnumerable<string> PhrasesIn((string Phrase, string Instead, string[] Folders)[] lost, string path, string text)
    {
        if (lost.Length == 0 || !Array.Exists(lost, one => text.Contains(one.Phrase.Split(' ')[^1], StringComparison.OrdinalIgnoreCase)))
        {
            return [];
        }

        string sentences = LineEnd().Replace(text, " ");
        return
            from one in lost
            let pattern = $@"(?<![\w-]){Regex.Escape(one.Phrase).Replace(@"\ ", " ")}(?![\w-])"
            from found in Regex.Matches(sentences, pattern, RegexOptions.IgnoreCase)
            select $"{path}: '{found.Value}'; the glossary says \"{one.Instead}\"";
    }

    private static (string Phrase, string Instead, string[] Folders)[] Phrases()
    {
        string section = File.ReadAllText(Path.Combine(RepositoryFiles.Root, Glossary)).Split("| lost in sentences |")[1];
        (string, string, string[])[] lost =
        [
            .. from line in section.Split('\n')
               where line.StartsWith("| ", StringComparison.Ordinal)
               let cells = line.Split('|')
               where cells.Length == 5 && cells[3].Contains('`', StringComparison.Ordinal)
               from phrase in cells[1].Split(',', StringSplitOptions.TrimEntries)
               select (phrase, cells[2].Trim(), Quoted(cells[3])),
        ];
        Assert.True(lost.Length > 10, $"only {lost.Length} phrases were understood");
        return lost;
    }

    private static LostWord[] Lost()
    {
        string section = File.ReadAllText(Path.Combine(RepositoryFiles.Root, Glossary)).Split("## Words that lost")[1]
            .Split("| lost in sentences |")[0];
        LostWord[] lost =
        [
            .. from line in section.Split('\n')
               where line.StartsWith("| ", StringComparison.Ordinal) && !line.StartsWith("| lost ", StringComparison.Ordinal)
               let cells = line.Split('|')
               from word in cells[1].Split(',', StringSplitOptions.TrimEntries)
               select new LostWord(word, cells[3].Trim(), Quoted(cells[4]), Quoted(cells[5])),
        ];
        Assert.True(lost.Length > 20, $"only {lost.Length} words were understood");
        return lost;
    }

    private static string[] Quoted(string cell) => [.. InCodeMarks().Matches(cell).Select(found => found.Groups[1].Value)];

    private static IEnumerable<string> Offences(LostWord[] lost, string path, string text)
    {
        LostWord[] here = [.. lost.Where(one => one.IsRefusedIn(path))];
        IEnumerable<string> ofPath = path[..^".cs".Length].Split('/');
        IEnumerable<string> ofText = Name().Matches(NoCode().Replace(text, " ")).Select(found => found.Value);
        return
            from name in ofPath.Concat(ofText).Distinct()
            from word in here
            where !word.Stays.Contains(name) && word.IsIn(name)
            select $"{path}: '{name}' has \"{word.Words}\"; the glossary says \"{word.Instead}\"";
    }

    /// <summary>Comments, and what stands between quotes; texts with holes may have quotes in the holes.</summary>
    [GeneratedRegex(
        """
        //[^\n]*|/\*[\s\S]*?\*/|\"{3}[\s\S]*?\"{3}|\$?@\$?"(?:[^"]|"")*"|\$"(?:\\.|\{(?:[^{}"\n]|"[^"\n]*")*\}|[^"\\\n{])*"
        """
        + """
        |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|`[^`]*`
        """)]
    private static partial Regex NoCode();

    /// <summary>The end of a line, and what marks the next one as a comment or as more of a text: a sentence goes on.</summary>
    [GeneratedRegex(@"(\s*""\s*\+\s*\$?"")|(\s*\n\s*(///?|#)?\s*)")]
    private static partial Regex LineEnd();

    /// <summary>A name, but none behind a dot: that one is declared elsewhere.</summary>
    [GeneratedRegex(@"(?<![\w.])[A-Za-z_]\w*")]
    private static partial Regex Name();

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex InCodeMarks();

    [GeneratedRegex("[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+")]
    private static partial Regex Word();

    /// <param name="Words">What is refused, in lower case.</param>
    /// <param name="Folders">Where it is refused; empty for everywhere.</param>
    private sealed record LostWord(string Words, string Instead, string[] Folders, string[] Stays)
    {
        public bool IsRefusedIn(string path) =>
            Folders.Length == 0 || Array.Exists(Folders, folder => path.StartsWith(folder, StringComparison.Ordinal));

        public bool IsIn(string name) =>
            name.Contains(Words.Split(' ')[0], StringComparison.OrdinalIgnoreCase)
            && $" {string.Join(' ', Word().Matches(name).Select(found => found.Value.ToLowerInvariant()))} "
                .Contains($" {Words} ", StringComparison.Ordinal);
    }
}
