using System.Diagnostics;
using System.Reflection;
using System.Runtime.Loader;

namespace Tracer.Mutation;

/// <summary>The process that runs tests against mutants, as it is told by lines.</summary>
internal static class TestHost
{
    /// <summary>Runs until the input ends. "cover I" runs a test without a mutant; "run M I,I,I" runs tests until one fails.</summary>
    /// <param name="folder">The tests and what they need.</param>
    /// <param name="analysis">The assembly with the mutants.</param>
    /// <param name="active">The mutant that is there from the start; below 0 for none.</param>
    public static int Run(string folder, string analysis, int active)
    {
        TextWriter output = Console.Out;
        Console.SetOut(TextWriter.Null);
        AssemblyLoadContext.Default.Resolving += (context, name) =>
        {
            string path = name.Name == "Tracer.Analysis" ? analysis : Path.Combine(folder, name.Name + ".dll");
            return File.Exists(path) ? context.LoadFromAssemblyPath(path) : null;
        };
        Assembly mutated = AssemblyLoadContext.Default.LoadFromAssemblyPath(analysis);
        Type? choice = mutated.GetType("Tracer.Mutation.MutantSwitch");
        FieldInfo? chosen = choice?.GetField("Active");
        var hits = choice?.GetField("Hits")!.GetValue(null) as byte[];
        chosen?.SetValue(null, active);
        Assembly tests = AssemblyLoadContext.Default.LoadFromAssemblyPath(Path.Combine(folder, "Tracer.Analysis.Tests.dll"));
        List<TestCase> cases = TestCase.In(tests);
        output.WriteLine($"tests {cases.Count}");
        output.Flush();
        while (Console.In.ReadLine() is { } line)
        {
            string[] words = line.Split(' ');
            if (words[0] == "cover")
            {
                output.WriteLine(Cover(cases[int.Parse(words[1], CultureInfo.InvariantCulture)], hits!));
            }
            else
            {
                chosen?.SetValue(null, int.Parse(words[1], CultureInfo.InvariantCulture));
                RunUntilOneFails(output, cases, words[2].Split(',').Select(word => int.Parse(word, CultureInfo.InvariantCulture)));
                chosen?.SetValue(null, active);
            }

            output.Flush();
        }

        return 0;
    }

    private static string Cover(TestCase test, byte[] hits)
    {
        Array.Clear(hits);
        var watch = Stopwatch.StartNew();
        string? failure = Failure(test);
        long took = watch.ElapsedMilliseconds;
        IEnumerable<int> places = Enumerable.Range(0, hits.Length).Where(index => hits[index] != 0);
        return $"{(failure is null ? "passed" : "failed")} {took} [{string.Join(',', places)}] {test.Name}";
    }

    private static void RunUntilOneFails(TextWriter output, List<TestCase> cases, IEnumerable<int> tests)
    {
        foreach (int test in tests)
        {
            output.WriteLine($"begins {test}");
            output.Flush();
            if (Failure(cases[test]) is not null)
            {
                output.WriteLine($"killed {test}");
                return;
            }
        }

        output.WriteLine("survived");
    }

    private static string? Failure(TestCase test)
    {
        try
        {
            test.Run();
            return null;
        }
        catch (Exception failure) when (failure is not OutOfMemoryException)
        {
            return failure.Message;
        }
    }
}
