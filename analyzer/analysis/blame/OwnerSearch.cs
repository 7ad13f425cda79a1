using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Finds the driver behind a routine: by the framework's own callback events, by the stacks and addresses of samples inside it, or
/// because the routine is the driver's own (field notes, "Order of proof").
/// </summary>
internal sealed class OwnerSearch
{
    /// <summary>A routine without known length: a return address within so many bytes of its entry is taken to be in it.</summary>
    private const ulong RoutineBytes = 8 * 1024;

    /// <summary>With so many stacks that show nobody else, the framework's own code has been at work.</summary>
    private const int StacksOfFrameworkAlone = 3;

    private readonly ModuleMap _modules;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly List<(LoadedImage Image, int Count)> _votes = [];

    /// <summary>Makes a search.</summary>
    public OwnerSearch(ModuleMap modules) => _modules = modules;

    /// <summary>Finds the owner of an ISR or DPC.</summary>
    /// <param name="cpu">Where it ran.</param>
    /// <param name="span">What ran.</param>
    public OwnerFinding OfSpan(CpuHistory cpu, in LevelSpan span)
    {
        LoadedImage? image = _modules.Find(span.Routine, span.EndTicks);
        if (image is null)
        {
            return new OwnerFinding { Owner = null, Proof = Proof.None, Routine = span.Routine };
        }

        ModuleRole role = _modules.RoleOf(image);
        return role is ModuleRole.Driver or ModuleRole.Firmware
            ? new OwnerFinding { Owner = image, Proof = Proof.Routine, Routine = span.Routine }
            : Callback(cpu, in span, image) ?? Sampled(cpu, in span, image, role);
    }

    /// <summary>Finds the owner of kernel code that a sample hit in a thread.</summary>
    /// <param name="cpu">Where.</param>
    /// <param name="sample">The sample; its address is the kernel's.</param>
    public OwnerFinding OfThreadSample(CpuHistory cpu, in SampleMark sample)
    {
        ReadOnlySpan<ulong> frames = cpu.FramesOf(in sample, _frames);
        return OfCode(sample.Instruction, frames, sample.Ticks);
    }

    /// <summary>Finds the owner of kernel code by its address and callers.</summary>
    /// <param name="instruction">Address of the code.</param>
    /// <param name="frames">Its stack, innermost first; may be empty.</param>
    /// <param name="ticks">When.</param>
    public OwnerFinding OfCode(ulong instruction, ReadOnlySpan<ulong> frames, long ticks)
    {
        List<LoadedImage> through = [];
        LoadedImage? owner;
        Proof proof;
        ulong routine = instruction;
        if (frames.Length > 1)
        {
            owner = _modules.OwnerIn(frames, ticks, out int depth);
            proof = Proof.Stack;
            if (owner is not null)
            {
                routine = frames[depth];
                _modules.AddFrameworksOutside(frames, depth, ticks, through);
            }
        }
        else
        {
            owner = _modules.Find(instruction, ticks) is { } hit && _modules.RoleOf(hit) is ModuleRole.Driver or ModuleRole.Layer
                or ModuleRole.Firmware
                ? _modules.Find(instruction, ticks)
                : null;
            proof = Proof.Sample;
        }

        if (owner is not null)
        {
            return new OwnerFinding { Owner = owner, Proof = proof, Through = through, Routine = routine, Samples = 1, SamplesAsked = 1 };
        }

        // Nobody but the kernel or a framework is in it. Without a stack that says nothing about the caller.
        LoadedImage? image = _modules.Find(instruction, ticks);
        bool isKernelsOwn = frames.Length > 1 && image is not null && _modules.RoleOf(image) == ModuleRole.Kernel;
        return new OwnerFinding
        {
            Owner = isKernelsOwn ? image : null,
            Proof = isKernelsOwn ? Proof.Stack : Proof.None,
            Behind = isKernelsOwn ? null : image,
            Routine = instruction,
            SamplesAsked = 1,
            Samples = isKernelsOwn ? 1 : 0,
        };
    }

    /// <summary>Whether an ISR or DPC other than the given one lies within it at a time.</summary>
    private static bool IsNested(CpuHistory cpu, in LevelSpan span, long ticks)
    {
        for (long number = cpu.FirstSpanEndingAfter(ticks); number < cpu.Spans.Next; number++)
        {
            ref LevelSpan other = ref cpu.Spans[number];
            if (other.EndTicks > span.EndTicks)
            {
                return false;
            }

            bool isSame = other.StartTicks == span.StartTicks && other.EndTicks == span.EndTicks && other.Routine == span.Routine;
            if (!isSame && other.StartTicks >= span.StartTicks && other.StartTicks <= ticks)
            {
                return true;
            }
        }

        return false;
    }

    private OwnerFinding? Callback(CpuHistory cpu, in LevelSpan span, LoadedImage framework) =>
        LongestCallback(cpu, in span) is not 0 and ulong routine && _modules.Find(routine, span.EndTicks) is { } client
            ? new OwnerFinding { Owner = client, Proof = Proof.WdfEvent, Through = [framework], Routine = routine }
            : null;

    /// <summary>
    /// The client's callback that the framework announced inside an ISR or DPC; the one that had the most time where there are several; 0
    /// for none.
    /// </summary>
    /// <param name="cpu">Where it ran.</param>
    /// <param name="span">What ran.</param>
    public static ulong LongestCallback(CpuHistory cpu, in LevelSpan span)
    {
        ulong best = 0;
        long bestTicks = -1;
        ulong current = 0;
        long since = 0;
        for (long number = cpu.Callbacks.Next - 1; number >= cpu.Callbacks.First; number--)
        {
            if (cpu.Callbacks[number].Ticks < span.StartTicks)
            {
                break;
            }

            since = number;
        }

        if (cpu.Callbacks.Count == 0 || since < cpu.Callbacks.First)
        {
            return 0;
        }

        long sinceTicks = span.StartTicks;
        for (long number = since; number < cpu.Callbacks.Next; number++)
        {
            CallbackMark mark = cpu.Callbacks[number];
            if (mark.Ticks > span.EndTicks)
            {
                break;
            }

            if (mark.Ticks < span.StartTicks || mark.IsInterrupt != span.IsIsr || IsNested(cpu, in span, mark.Ticks))
            {
                continue;
            }

            Take(mark.Ticks);
            current = mark.Routine;
        }

        Take(span.EndTicks);
        return best;

        void Take(long untilTicks)
        {
            if (current != 0 && untilTicks - sinceTicks > bestTicks)
            {
                best = current;
                bestTicks = untilTicks - sinceTicks;
            }

            sinceTicks = untilTicks;
        }
    }

    private OwnerFinding Sampled(CpuHistory cpu, in LevelSpan span, LoadedImage image, ModuleRole role)
    {
        _votes.Clear();
        int asked = 0;
        int stacks = 0;
        bool byStack = false;
        List<LoadedImage> through = [];
        ulong routine = span.Routine;
        int bestVotes = 0;
        for (long number = cpu.FirstSampleFrom(span.StartTicks); number < cpu.Samples.Next; number++)
        {
            SampleMark sample = cpu.Samples[number];
            if (sample.Ticks > span.EndTicks)
            {
                break;
            }

            // At the very entry it hit what was interrupted: the profile interrupt comes before a routine of lower level.
            if (sample.Ticks <= span.StartTicks || IsNested(cpu, in span, sample.Ticks) || (sample.IsInIsr && !span.IsIsr))
            {
                continue;
            }

            asked++;
            ReadOnlySpan<ulong> frames = InsideRoutine(cpu.FramesOf(in sample, _frames), in span, image, role);
            stacks += frames.Length > 0 ? 1 : 0;
            int depth = 0;
            LoadedImage? owner = frames.Length > 0
                ? _modules.OwnerIn(frames, sample.Ticks, out depth)
                : sample.Frames == 0 || (span.IsIsr ? sample.IsInIsr : sample.IsInDpc) ? Bare(in sample) : null;
            if (owner is null || owner.Number == image.Number)
            {
                continue;
            }

            byStack |= frames.Length > 0;
            if (Vote(owner) > bestVotes)
            {
                bestVotes++;
                routine = frames.Length > 0 ? frames[depth] : sample.Instruction;
                through.Clear();
                _modules.AddFrameworksOutside(frames, depth, sample.Ticks, through);
            }
        }

        if (bestVotes > 0)
        {
            LoadedImage winner = _votes.MaxBy(vote => vote.Count).Image;
            if (role != ModuleRole.Kernel && !through.Exists(known => known.Number == image.Number) && winner.Number != image.Number)
            {
                through.Add(image);
            }

            return new OwnerFinding
            {
                Owner = winner,
                Proof = byStack ? Proof.Stack : Proof.Sample,
                Through = through,
                Routine = routine,
                Samples = bestVotes,
                SamplesAsked = asked,
            };
        }

        bool isItself = role != ModuleRole.Framework || stacks >= StacksOfFrameworkAlone;
        return new OwnerFinding
        {
            Owner = isItself ? image : null,
            Proof = role != ModuleRole.Framework ? Proof.Routine : isItself ? Proof.Stack : Proof.None,
            Behind = isItself ? null : image,
            Routine = span.Routine,
            Samples = isItself ? stacks : 0,
            SamplesAsked = asked,
        };
    }

    private int Vote(LoadedImage owner)
    {
        for (int i = 0; i < _votes.Count; i++)
        {
            if (_votes[i].Image.Number == owner.Number)
            {
                _votes[i] = (owner, _votes[i].Count + 1);
                return _votes[i].Count;
            }
        }

        _votes.Add((owner, 1));
        return 1;
    }

    private LoadedImage? Bare(in SampleMark sample) =>
        _modules.Find(sample.Instruction, sample.Ticks) is { } hit && _modules.RoleOf(hit) is ModuleRole.Driver or ModuleRole.Layer
            ? hit
            : null;

    /// <summary>
    /// The frames of a stack that belong to an ISR or DPC. Behind them stands what it interrupted, which has no part in it. Where its own
    /// frame can't be told, a routine of the kernel gets none: any caller may be the interrupted one.
    /// </summary>
    private ReadOnlySpan<ulong> InsideRoutine(ReadOnlySpan<ulong> frames, in LevelSpan span, LoadedImage image, ModuleRole role)
    {
        for (int i = 0; i < frames.Length; i++)
        {
            if (frames[i] >= span.Routine && frames[i] - span.Routine < RoutineBytes && frames[i] - image.Base < image.Size)
            {
                return frames[..(i + 1)];
            }
        }

        if (role == ModuleRole.Kernel)
        {
            return default;
        }

        for (int i = 0; i < frames.Length; i++)
        {
            if (frames[i] - image.Base < image.Size && (i + 1 == frames.Length
                || (_modules.Find(frames[i + 1], span.EndTicks) is { } outer && _modules.RoleOf(outer) == ModuleRole.Kernel)))
            {
                return frames[..(i + 1)];
            }
        }

        return default;
    }
}
