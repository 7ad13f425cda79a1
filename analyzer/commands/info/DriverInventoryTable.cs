using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Info;

/// <summary>A row for each driver of <c>analyzer info --drivers</c>.</summary>
internal static class DriverInventoryTable
{
    private const string Header = "trace,name,path,version,company,timestamp,size,pdb,pdb_id";

    /// <param name="withHeader">Whether the names of the columns come first.</param>
    public static void Write(string trace, IReadOnlyList<DriverFile> drivers, bool withHeader, TextWriter output) => CsvLine.Write(
        withHeader ? Header : null,
        drivers.Select(driver => new CsvLine()
            .Text(trace)
            .Text(driver.Name)
            .Text(driver.Path)
            .Text(driver.Version)
            .Text(driver.Company)
            .Utc(driver.Timestamp)
            .Number(driver.Size)
            .Text(driver.Pdb)
            .Add(driver.PdbId)),
        output);
}
