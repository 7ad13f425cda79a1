using System.Diagnostics;
using System.Text.RegularExpressions;
using Tracer.Mutation;

if (args is ["host", _, _, _])
{
    return TestHost.Run(args[1], args[2], int.Parse(args[3], CultureInfo.InvariantCulture));
}

if (MutationOptions.Read(args) is not { } options)
{
    Console.Error.WriteLine(MutationOptions.Usage);
    return 2;
}

var watch = Stopwatch.StartNew();
var places = new MutationPlaces();
var assembly = new MutantAssembly(Path.Combine(places.Root, options.Root), places.Generated, places.Tests);
string analysis = Path.Combine(places.Work, "Tracer.Analysis.dll");
IReadOnlyList<Mutant> all = assembly.Write(options.Folders, analysis);
Console.WriteLine(
    $"{all.Count} mutants, {assembly.Dropped} more do not compile, {all.Count(mutant => mutant.Constant is not null)} need an assembly of "
    + $"their own ({watch.Elapsed.TotalSeconds:F0} s)");

var excluded = new ReasonFile(Path.Combine(places.Sources, "left-out.txt"), isLiteral: false);
List<(Mutant Mutant, string Reason)> leftOut = [.. from mutant in all
                                                   let reason = excluded.Of(mutant)
                                                   where reason is not null
                                                   select (mutant, reason)];
IEnumerable<Mutant> asked = all.Except(leftOut.Select(left => left.Mutant));
if (options.Sample is { } sample)
{
    Mutant[] drawn = [.. asked];
    new Random(options.Seed).Shuffle(drawn);
    asked = drawn.Take(sample).OrderBy(mutant => mutant.Id);
}

List<Mutant> mutants = [.. asked.Where(mutant => Regex.IsMatch(mutant.Key, options.Match))];
if (options.IsList)
{
    mutants.ForEach(mutant => Console.WriteLine($"{mutant.File}:{mutant.Line} {mutant.Key}"));
    return 0;
}

var fates = new FateFile(Path.Combine(places.Work, "fates.tsv"));
int done = 0;
List<Mutant> waiting = [.. mutants.Where(mutant => !options.Keep || !fates.Takes(mutant))];
if (options.IsToldOnly)
{
    waiting.Clear();
    mutants.RemoveAll(mutant => mutant.Fate == MutantFate.NotRun);
}

var run = new MutationRun(assembly, analysis, places.Tests, options.SlowestMilliseconds, options.PatienceMilliseconds);
if (waiting.Count > 0)
{
    run.Cover();
    run.LeftOut.ForEach(test => Console.WriteLine($"left out: {test}"));
    Console.WriteLine($"{run.Tests} tests ({watch.Elapsed.TotalSeconds:F0} s)");
}

run.Run(waiting, options.Workers, mutant =>
{
    done++;
    if (mutant.Fate != MutantFate.Killed)
    {
        Console.WriteLine($"{mutant.Fate}: {mutant.File}:{mutant.Line} {mutant.Key}");
    }

    if (done % 50 == 0)
    {
        Console.WriteLine($"{done} of {waiting.Count} ({watch.Elapsed.TotalSeconds:F0} s)");
        fates.Keep(mutants);
    }
});
fates.Keep(mutants);
foreach (IGrouping<string, Mutant> folder in mutants.GroupBy(mutant => mutant.Folder))
{
    Console.WriteLine(MutationReport.Row(folder.Key, [.. folder]));
}

Console.WriteLine(MutationReport.Row("all", mutants));
if (options.Output is { } output)
{
    var report = new MutationReport(new ReasonFile(Path.Combine(places.Sources, "survivors.txt"), isLiteral: true));
    string command = string.Join(' ', args.Where(word => word is not ("--keep" or "--told")));
    File.WriteAllText(output, report.Write($"dotnet run -c Release --project tests/mutation -- {command}", mutants, leftOut, all.Count));
}

return 0;
