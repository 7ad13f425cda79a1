using Tracer.Adversary;

namespace Tracer.Bench.Adversary;

/// <summary><c>bench -- adversary NAME -o FILE [--bytes N]</c>: writes a trace of a hostile family; without a name it lists them.</summary>
internal static class WriteAdversary
{
    private const int DefaultBytes = 1_000_000;

    public static int Run(string[] arguments)
    {
        if (arguments.Length == 0)
        {
            foreach (AdversaryFamily one in ReadingFamilies.All.Concat(AnalysisFamilies.All))
            {
                Console.WriteLine($"{one.Name,-26}{one.Shape}");
            }

            return 0;
        }

        AdversaryFamily? family = ReadingFamilies.Find(arguments[0]) ?? AnalysisFamilies.Find(arguments[0]);
        string? file = After(arguments, "-o");
        if (family is null || file is null)
        {
            Console.Error.WriteLine("bench -- adversary NAME -o FILE [--bytes N]; bench -- adversary lists the names");
            return 64;
        }

        int bytes = After(arguments, "--bytes") is { } text ? int.Parse(text, CultureInfo.InvariantCulture) : DefaultBytes;
        File.WriteAllBytes(file, family.Make(bytes));
        return 0;
    }

    private static string? After(string[] arguments, string option) =>
        Array.IndexOf(arguments, option) is >= 0 and int at && at + 1 < arguments.Length ? arguments[at + 1] : null;
}
