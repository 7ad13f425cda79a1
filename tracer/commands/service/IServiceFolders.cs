namespace Tracer.TracerCommand.Commands.Service;

public interface IServiceFolders
{
    /// <summary>The program that is to be the service; null where this one can't be, because it is no file of its own.</summary>
    string? Program { get; }

    /// <summary>Where the service writes if nothing else is said.</summary>
    string DefaultFolder { get; }

    /// <summary>Who besides SYSTEM and administrators may change a file, its folder, or put another in their place.</summary>
    /// <param name="path">The file or folder.</param>
    /// <returns>A name; null where nobody may.</returns>
    string? StrangerWith(string path);

    /// <summary>Makes a folder that only SYSTEM and administrators may use; nothing happens where there is one already.</summary>
    void Make(string path);
}
