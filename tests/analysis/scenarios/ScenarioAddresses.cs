namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>
/// Addresses as a scenario names them: <c>nic.sys+0x100</c>, or a bare number. Of several images of one name <c>nic.sys@2</c> is the
/// second in the text; <c>nt</c> is the kernel.
/// </summary>
internal sealed class ScenarioAddresses
{
    private readonly Dictionary<string, (ulong Base, ulong Size)> _images = [];

    public void Add(string name, ulong imageBase, ulong size)
    {
        if (_images.Any(image => image.Key.Split('@')[0] == name && image.Value == (imageBase, size)))
        {
            return;
        }

        int number = 1 + _images.Keys.Count(known => known.Split('@')[0] == name);
        _images.Add(number == 1 ? name : $"{name}@{number}", (imageBase, size));
    }

    public ulong Find(ScenarioWords words)
    {
        string word = words.Next();
        if (ScenarioWords.TryHex(word, out ulong number))
        {
            return number;
        }

        string[] parts = word.Split('+');
        ulong offset = 0;
        if (!_images.TryGetValue(parts[0] == "nt" ? "ntoskrnl.exe" : parts[0], out (ulong Base, ulong Size) image)
            || (parts.Length == 2 && !ScenarioWords.TryHex(parts[1], out offset))
            || offset >= image.Size)
        {
            throw words.Error($"'{word}' is no address");
        }

        return image.Base + offset;
    }
}
