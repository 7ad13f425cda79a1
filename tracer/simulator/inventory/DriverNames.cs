using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>Invents names of vendors and of their drivers, none twice and none that Windows uses itself.</summary>
/// <param name="programs">The names of programs that come first.</param>
internal sealed class DriverNames(RandomSequence random, IReadOnlyList<string> programs)
{
    private const string Consonants = "bdfgklmnprstvxz";
    private const string Vowels = "aeiou";

    private static readonly string[] CompanyEndings =
        ["Semiconductor Corp.", "Technologies Inc.", "Micro Devices Ltd.", "Systems GmbH", "Electronics Co.", "Labs", "Software AB"];

    private HashSet<string> _taken = new(StringComparer.OrdinalIgnoreCase);
    private int _programsGiven;

    public void Reserve(string fileName) => _taken.Add(fileName);

    /// <param name="role">What it is for: tells the end of the name.</param>
    public string Driver(ImageRole role)
    {
        string[] ends = role switch
        {
            ImageRole.NetworkMiniport => ["x64", "gbe", "nd6", "lan", "210d", "wifi", "nx"],
            ImageRole.DisplayMiniport => ["kmd", "gfx", "vid", "gfx64", "dxk"],
            ImageRole.StorageMiniport => ["stor", "nvm", "ahci", "raid", "sas"],
            ImageRole.AudioMiniport => ["wave", "snd", "aud64", "sound", "hda"],
            ImageRole.FrameworkClient or ImageRole.OtherFrameworkClient => ["i2c", "gpio", "spi", "hid", "tpad", "uart"],
            ImageRole.PlainDriver => ["mon", "hw", "io", "tune", "sens"],
            ImageRole.FilterDriver => ["flt", "guard", "av", "scan", "mini"],
            _ => ["drv", "bus", "sys", "svc", "km", "64", "cap", "usb"],
        };
        while (true)
        {
            string stem = Syllables((int)random.Between(1, 3)) + random.OneOf(ends);
            string name = random.NextBelow(4) switch
            {
                0 => stem.ToUpperInvariant() + ".SYS",
                1 => char.ToUpperInvariant(stem[0]) + stem[1..] + ".sys",
                _ => stem + ".sys",
            };
            if (_taken.Add(name))
            {
                return name;
            }
        }
    }

    /// <summary>Names that all machines of a model have; none twice on this one.</summary>
    public DriverNames OfModel(ulong model) => new(new RandomSequence(model, "names"), []) { _taken = _taken };

    /// <summary>The next of the programs whose names are given; null when there is none left.</summary>
    public string? KnownProgram() => _programsGiven < programs.Count ? programs[_programsGiven++] : null;

    public string Program()
    {
        while (true)
        {
            string name = Syllables((int)random.Between(2, 3)) + ".exe";
            if (_taken.Add(name))
            {
                return name;
            }
        }
    }

    public string Library()
    {
        while (true)
        {
            string name = Syllables((int)random.Between(2, 4)) + ".dll";
            if (_taken.Add(name))
            {
                return name;
            }
        }
    }

    /// <summary>Invents the name of a vendor.</summary>
    public string Company()
    {
        string name = Syllables((int)random.Between(2, 3));
        return $"{char.ToUpperInvariant(name[0])}{name[1..]} {random.OneOf(CompanyEndings)}";
    }

    private string Syllables(int count)
    {
        Span<char> letters = stackalloc char[2 * count];
        for (int i = 0; i < letters.Length; i += 2)
        {
            letters[i] = Consonants[(int)random.NextBelow(Consonants.Length)];
            letters[i + 1] = Vowels[(int)random.NextBelow(Vowels.Length)];
        }

        return new string(letters);
    }
}
