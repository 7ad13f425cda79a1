[assembly: AssemblyFixture(typeof(Tracer.Commands.Tests.InRepository))]

namespace Tracer.Commands.Tests;

/// <summary>Names of files in commands are those of the repository, as where a command is started there.</summary>
public sealed class InRepository
{
    public InRepository() => Directory.SetCurrentDirectory(RepositoryFiles.Root);
}
