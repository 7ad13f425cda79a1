namespace Tracer.Simulator.Writing;

/// <summary>Writes what is true of a trace beside it.</summary>
public static class TruthFile
{
    /// <summary>Where the truth of a trace stands: <c>name.truth.json</c> beside <c>name.etl</c>.</summary>
    public static string PathFor(string tracePath) => Path.ChangeExtension(tracePath, ".truth.json");

    /// <summary>Writes it; what the file holds is replaced.</summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public static void Write(string tracePath, TruthReport truth)
    {
        using FileStream file = File.Create(PathFor(tracePath));
        ReportJson.Write(file, truth, indented: true);
        file.WriteByte((byte)'\n');
    }
}
