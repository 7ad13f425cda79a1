namespace Tracer.Mutation;

/// <summary>Runs against each mutant the tests that run its place.</summary>
/// <param name="analysis">The assembly with the mutants.</param>
/// <param name="testFolder">The tests and what they need.</param>
/// <param name="slowestMilliseconds">Tests that take longer are left out.</param>
/// <param name="patienceMilliseconds">A test that takes so much longer than a few times its usual time hangs.</param>
internal sealed class MutationRun(
    MutantAssembly assembly, string analysis, string testFolder, int slowestMilliseconds, int patienceMilliseconds)
{
    private const int TimesUsual = 10;

    private readonly Dictionary<int, CoveredTest> _tests = [];
    private readonly Dictionary<int, List<int>> _testsOfMutant = [];
    private readonly Lock _gate = new();

    /// <summary>Tests that fail or take too long without any mutant.</summary>
    public List<string> LeftOut { get; } = [];

    public int Tests => _tests.Count;

    /// <summary>Finds which tests run which mutants' places.</summary>
    public void Cover()
    {
        using var worker = new TestWorker(testFolder, analysis, -1);
        for (int test = 0; test < worker.Tests; test++)
        {
            worker.Write($"cover {test}");
            string line = worker.ReadLine(TimeSpan.FromMinutes(2)) ?? throw new InvalidOperationException($"Test {test} ends the process.");
            string[] words = line.Split(' ', 4);
            int took = int.Parse(words[1], CultureInfo.InvariantCulture);
            if (words[0] != "passed" || took > slowestMilliseconds)
            {
                LeftOut.Add($"{words[0]} in {took} ms: {words[3]}");
                continue;
            }

            _tests.Add(test, new CoveredTest(words[3], took));
            foreach (string mutant in words[2].Trim('[', ']').Split(',', StringSplitOptions.RemoveEmptyEntries))
            {
                int id = int.Parse(mutant, CultureInfo.InvariantCulture);
                if (!_testsOfMutant.TryGetValue(id, out List<int>? tests))
                {
                    _testsOfMutant.Add(id, tests = []);
                }

                tests.Add(test);
            }
        }
    }

    /// <param name="workers">How many processes at once.</param>
    public void Run(IEnumerable<Mutant> mutants, int workers, Action<Mutant> told)
    {
        var waiting = new Queue<Mutant>(mutants);
        Thread[] threads = [.. Enumerable.Range(0, workers).Select(_ => new Thread(() => Work(waiting, told)))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
    }

    private void Work(Queue<Mutant> waiting, Action<Mutant> told)
    {
        TestWorker? worker = null;
        while (true)
        {
            Mutant? mutant;
            lock (_gate)
            {
                if (!waiting.TryDequeue(out mutant))
                {
                    break;
                }
            }

            if (mutant.NeedsOwnProcess || mutant.Constant is not null)
            {
                RunAlone(mutant);
            }
            else
            {
                RunIn(ref worker, mutant, _testsOfMutant.GetValueOrDefault(mutant.Id) ?? []);
            }

            lock (_gate)
            {
                told(mutant);
            }
        }

        worker?.Dispose();
    }

    private void RunAlone(Mutant mutant)
    {
        string path = analysis;
        if (mutant.Constant is { } constant)
        {
            string folder = Path.Combine(Path.GetDirectoryName(analysis)!, $"constant-{mutant.Id}");
            Directory.CreateDirectory(folder);
            path = Path.Combine(folder, Path.GetFileName(analysis));
            if (!assembly.WriteOne(constant, path))
            {
                Kill(mutant, "does not compile");
                return;
            }
        }

        TestWorker? worker = null;
        try
        {
            worker = new TestWorker(testFolder, path, mutant.Id);
        }
        catch (InvalidOperationException)
        {
            Kill(mutant, "does not start");
            return;
        }

        RunIn(ref worker, mutant, _tests.Keys);
        worker?.Dispose();
    }

    private void RunIn(ref TestWorker? worker, Mutant mutant, ICollection<int> tests)
    {
        int[] order;
        lock (_gate)
        {
            order = [.. tests.OrderByDescending(test => _tests[test].Kills).ThenBy(test => _tests[test].Milliseconds)];
        }

        if (order.Length == 0)
        {
            mutant.Fate = MutantFate.NotCovered;
            return;
        }

        worker ??= new TestWorker(testFolder, analysis, -1);
        worker.Write($"run {mutant.Id} {string.Join(',', order)}");
        int running = order[0];
        while (worker.ReadLine(TimeSpan.FromMilliseconds(patienceMilliseconds + (TimesUsual * _tests[running].Milliseconds))) is { } line)
        {
            if (line == "survived")
            {
                mutant.Fate = MutantFate.Survived;
                return;
            }

            running = int.Parse(line.Split(' ')[1], CultureInfo.InvariantCulture);
            if (line.StartsWith("killed", StringComparison.Ordinal))
            {
                lock (_gate)
                {
                    _tests[running].Kills++;
                }

                Kill(mutant, _tests[running].Name);
                return;
            }
        }

        Kill(mutant, "takes too long or ends the process");
        worker.Dispose();
        worker = null;
    }

    private static void Kill(Mutant mutant, string by)
    {
        mutant.Fate = MutantFate.Killed;
        mutant.KilledBy = by;
    }

    private sealed record CoveredTest(string Name, int Milliseconds)
    {
        public int Kills { get; set; }
    }
}
