using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Finds the driver behind a routine: by the framework's callback events, by the stacks and addresses of samples in the run, or because the
/// routine is the driver's own, in that order.
/// </summary>
internal sealed class OwnerSearch
{
    /// <summary>
    /// The length of a routine is unknown: a return address at most this many bytes after its entry is assumed to be in it.
    /// </summary>
    private const ulong RoutineBytes = 8 * 1024;

    /// <summary>With this many stacks that show no client, the framework's own code is taken to be at work.</summary>
    internal const int StacksOfFrameworkAlone = 3;

    private readonly ModuleMap _modules;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];
    private readonly SampleVotes _votes = new();
    private readonly SampleVotes _inner = new();

    public OwnerSearch(ModuleMap modules) => _modules = modules;

    /// <summary>Finds the owner of an ISR or DPC.</summary>
    public OwnerFinding OfSpan(CpuHistory cpu, in LevelSpan span)
    {
        LoadedImage? image = _modules.Find(span.Routine, span.EndTicks);
        if (image is null)
        {
            return new OwnerFinding { Owner = null, Proof = Proof.None, Routine = span.Routine };
        }

        // A sample in the profile interrupt shows the code it interrupted.
        ModuleRole role = _modules.RoleOf(image);
        var itself = new OwnerFinding { Owner = image, Proof = Proof.Routine, Routine = span.Routine };
        return span.IsProfile || role == ModuleRole.Firmware ? itself
            : role == ModuleRole.Driver ? CalledByDriver(cpu, in span, itself)
            : Callback(cpu, in span, image) is { } announced ? BehindClient(cpu, in span, image, role, announced)
            : Sampled(cpu, in span, image, role);
    }

    /// <summary>
    /// The owner of a driver's routine: another driver whose code most samples in the run show, if that one is independent. Otherwise the
    /// driver itself, together with the driver of another vendor whose code most samples hit: a helper, or the client of a framework that
    /// is not in the table.
    /// </summary>
    private OwnerFinding CalledByDriver(CpuHistory cpu, in LevelSpan span, OwnerFinding itself)
    {
        if (cpu.Samples.Count == 0 || cpu.Samples[cpu.Samples.Next - 1].Ticks <= span.StartTicks)
        {
            return itself;
        }

        LoadedImage image = itself.Owner!;
        _inner.Clear();
        _votes.Clear();
        int asked = 0;
        for (long number = cpu.FirstSampleFrom(span.StartTicks + 1);
            number < cpu.Samples.Next && cpu.Samples[number].Ticks <= span.EndTicks; number++)
        {
            CpuSample sample = cpu.Samples[number];
            ReadOnlySpan<ulong> frames = IsNested(cpu, in span, sample.Ticks)
                ? default
                : InsideRoutine(cpu.FramesOf(in sample, _frames), in span, image, ModuleRole.Driver);
            if (frames.Length == 0 || _modules.OwnerIn(frames, sample.Ticks, out int depth) is not { } owner)
            {
                continue;
            }

            asked++;
            if (owner.Number != image.Number)
            {
                _votes.Add(owner, Proof.Stack, frames[depth], [image]);
            }
            else if (_modules.Find(frames[0], sample.Ticks) is { } top && top.Number != image.Number
                && _modules.RoleOf(top) == ModuleRole.Driver && !ModuleCalls.AreOfOneVendor(top, image))
            {
                _inner.Add(top, Proof.Stack, frames[0], [image]);
            }
        }

        if (_votes.Winner is { } found && 2 * found.Samples > asked)
        {
            // A driver that does most of the work itself is to blame for a run in which the samples happen to hit a driver that it called.
            return _modules.WorksItself(image)
                ? itself with { Inner = found.Owner, Samples = found.Samples, SamplesAsked = asked }
                : found with { SamplesAsked = asked };
        }

        return _inner.Winner is { } inner && 2 * inner.Samples > asked
            ? itself with { Inner = inner.Owner, Samples = inner.Samples, SamplesAsked = asked }
            : itself;
    }

    /// <summary>Finds the owner of kernel-mode code that a sample hit in a thread.</summary>
    /// <param name="sample">The sample; its address is a kernel address.</param>
    public OwnerFinding OfThreadSample(CpuHistory cpu, in CpuSample sample)
    {
        ReadOnlySpan<ulong> frames = cpu.FramesOf(in sample, _frames);
        return OfCode(sample.Instruction, frames, sample.Ticks);
    }

    /// <summary>Finds the owner of kernel code by its address and callers.</summary>
    /// <param name="frames">Its stack, innermost first; may be empty.</param>
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

        // The stack shows only the kernel, libraries and frameworks. Without a stack nothing is known about the caller.
        LoadedImage? image = _modules.Find(instruction, ticks);
        ModuleRole? role = image is null ? null : _modules.RoleOf(image);
        bool isKernelsOwn = frames.Length > 1 && role == ModuleRole.Kernel;
        return new OwnerFinding
        {
            Owner = isKernelsOwn ? image : null,
            Proof = isKernelsOwn ? Proof.Stack : Proof.None,
            Behind = isKernelsOwn ? null : role == ModuleRole.Library ? _modules.WorkedFor(frames, ticks, out _) ?? image : image,
            Routine = instruction,
            SamplesAsked = 1,
            Samples = isKernelsOwn ? 1 : 0,
        };
    }

    /// <summary>Whether another ISR or DPC nested in the given one was running at a time.</summary>
    private static bool IsNested(CpuHistory cpu, in LevelSpan span, long ticks)
    {
        long inner = cpu.SpanAt(ticks);
        return inner >= 0 && cpu.Spans[inner] is var other && other.StartTicks >= span.StartTicks && other.EndTicks <= span.EndTicks
            && (other.StartTicks != span.StartTicks || other.EndTicks != span.EndTicks || other.Routine != span.Routine);
    }

    private OwnerFinding? Callback(CpuHistory cpu, in LevelSpan span, LoadedImage framework) =>
        LongestCallback(cpu, in span) is not 0 and ulong routine && _modules.Find(routine, span.EndTicks) is { } client
            ? new OwnerFinding { Owner = client, Proof = Proof.WdfEvent, Through = [framework], Routine = routine }
            : null;

    /// <summary>
    /// The driver whose code most samples in a run hit, where the client that the framework announced only called it: a bus driver that
    /// completes the requests of others. Otherwise that client.
    /// </summary>
    private OwnerFinding BehindClient(CpuHistory cpu, in LevelSpan span, LoadedImage image, ModuleRole role, OwnerFinding announced)
    {
        LoadedImage client = announced.Owner!;
        return Sampled(cpu, in span, image, role) is { Proof: Proof.Stack, Owner: { } other, TiedWith.Count: 0 } found
            && other.Number != client.Number && 2 * found.Samples > found.SamplesAsked && !_modules.WorksItself(client)
            && !ModuleCalls.AreOfOneVendor(other, client)
                ? found with { Through = [client, .. found.Through], Announced = client }
                : announced;
    }

    /// <summary>
    /// The client's callback that the framework announced during an ISR or DPC; of several, the one with the most time; 0 for none.
    /// </summary>
    public static ulong LongestCallback(CpuHistory cpu, in LevelSpan span)
    {
        ulong best = 0;
        long bestTicks = -1;
        ulong current = 0;
        long sinceTicks = span.StartTicks;
        for (long number = cpu.Callbacks.FirstAfter(span.StartTicks - 1); number < cpu.Callbacks.Next; number++)
        {
            CallbackEvent callback = cpu.Callbacks[number];
            if (callback.Ticks > span.EndTicks)
            {
                break;
            }

            if (callback.IsInterrupt != span.IsIsr || IsNested(cpu, in span, callback.Ticks))
            {
                continue;
            }

            Take(callback.Ticks);
            current = callback.Routine;
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
        CalledFrame? client = null;
        for (long number = cpu.FirstSampleFrom(span.StartTicks); number < cpu.Samples.Next; number++)
        {
            CpuSample sample = cpu.Samples[number];
            if (sample.Ticks > span.EndTicks)
            {
                break;
            }

            // A sample right at the entry hit the code that was interrupted: the profile interrupt precedes a routine of lower level.
            if (sample.Ticks <= span.StartTicks || IsNested(cpu, in span, sample.Ticks) || (sample.IsInIsr && !span.IsIsr))
            {
                continue;
            }

            asked++;
            ReadOnlySpan<ulong> frames = InsideRoutine(cpu.FramesOf(in sample, _frames), in span, image, role);
            stacks += frames.Length > 0 ? 1 : 0;
            client ??= _modules.FirstCalled(frames, sample.Ticks);
            int depth = 0;
            LoadedImage? owner = frames.Length > 0
                ? _modules.OwnerIn(frames, sample.Ticks, out depth)
                : sample.Frames == 0 || (span.IsIsr ? sample.IsInIsr : sample.IsInDpc) ? Bare(in sample) : null;
            if (owner is null || owner.Number == image.Number)
            {
                continue;
            }

            List<LoadedImage> through = [];
            _modules.AddFrameworksOutside(frames, depth, sample.Ticks, through);
            if (role != ModuleRole.Kernel && !through.Exists(known => known.Number == image.Number))
            {
                through.Add(image);
            }

            bool hasStack = frames.Length > 0;
            _votes.Add(owner, hasStack ? Proof.Stack : Proof.Sample, hasStack ? frames[depth] : sample.Instruction, through);
        }

        if (_votes.Winner is { } winner)
        {
            return winner with { SamplesAsked = asked, Client = client };
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
            Client = client,
        };
    }

    private LoadedImage? Bare(in CpuSample sample) =>
        _modules.Find(sample.Instruction, sample.Ticks) is { } hit && _modules.RoleOf(hit) is ModuleRole.Driver or ModuleRole.Layer
            ? hit
            : null;

    /// <summary>
    /// The frames of a stack that belong to an ISR or DPC. The frames further out belong to the code it interrupted, which is not involved.
    /// Where the routine's own frame cannot be found, a kernel routine gets no frames: any caller may be in the interrupted code.
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
