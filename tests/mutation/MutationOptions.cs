namespace Tracer.Mutation;

/// <summary>What the command line asks for.</summary>
internal sealed record MutationOptions
{
    public const string Usage =
        """
        dotnet run -c Release --project tests/mutation -- [OPTIONS]
          -o FILE        writes the report
          --root DIR     sources, from the root of the checkout (analyzer/analysis)
          --folder NAME  a folder below them; may be given often (those that decide who is guilty)
          --match REGEX  only mutants whose key (file | member | change) matches
          --sample N     so many mutants, drawn by chance; --seed S draws others
          --keep         what the last run killed is not run again
          --told         what earlier runs found is told, and nothing is run
          --workers N    processes at once (1)
          --slowest MS   tests that take longer are left out (1500)
          --patience MS  a test that says nothing for so long counts as hanging (10000); more on a busy machine
          --list         tells the mutants and runs none
        """;

    /// <summary>Folders that decide who is guilty, whatever they are called; those that are not there are passed over.</summary>
    private static readonly string[] UsualFolders = ["beats", "delays", "owners", "causes", "mechanisms", "verdicts"];

    public string? Output { get; private set; }

    public string Root { get; private set; } = "analyzer/analysis";

    public List<string> Folders { get; } = [];

    public string Match { get; private set; } = "";

    public int? Sample { get; private set; }

    public int Seed { get; private set; } = 1;

    public bool Keep { get; private set; }

    public bool IsToldOnly { get; private set; }

    public bool IsList { get; private set; }

    public int Workers { get; private set; } = 1;

    public int SlowestMilliseconds { get; private set; } = 1500;

    public int PatienceMilliseconds { get; private set; } = 10_000;

    /// <summary>Reads the command line; null where it asks for something else.</summary>
    public static MutationOptions? Read(string[] arguments)
    {
        var options = new MutationOptions();
        var words = new Queue<string>(arguments);
        while (words.TryDequeue(out string? word))
        {
            if (word is "--keep" or "--told" or "--list")
            {
                options.Keep |= word is "--keep" or "--told";
                options.IsToldOnly |= word == "--told";
                options.IsList |= word == "--list";
            }
            else if (!words.TryDequeue(out string? value) || !options.Takes(word, value))
            {
                return null;
            }
        }

        if (options.Folders.Count == 0)
        {
            options.Folders.AddRange(UsualFolders);
        }

        return options;
    }

    private bool Takes(string option, string value)
    {
        _ = int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out int number);
        switch (option)
        {
            case "-o":
                Output = value;
                return true;
            case "--root":
                Root = value;
                return true;
            case "--folder":
                Folders.Add(value);
                return true;
            case "--match":
                Match = value;
                return true;
            case "--sample":
                Sample = number;
                return number > 0;
            case "--seed":
                Seed = number;
                return true;
            case "--workers":
                Workers = number;
                return number > 0;
            case "--slowest":
                SlowestMilliseconds = number;
                return number > 0;
            case "--patience":
                PatienceMilliseconds = number;
                return number > 0;
            default:
                return false;
        }
    }
}
