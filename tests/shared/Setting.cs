namespace Tracer.Tests;

/// <summary>What variables of the environment ask of a test: a longer run, another seed.</summary>
internal static class Setting
{
    /// <summary>The number in a variable, or another where it holds none.</summary>
    public static int Number(string variable, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? number
            : otherwise;
}
