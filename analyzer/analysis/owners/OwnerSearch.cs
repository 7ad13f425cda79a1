using System.Runtime.InteropServices;
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
    private readonly List<ShownSample> _shown = [];
    private readonly List<(long FromTicks, ulong Routine)> _windows = [];
    private readonly List<LoadedImage> _outside = [];

    /// <summary>The frameworks in front of the owner that the last sample showed; given to findings, so never changed.</summary>
    private LoadedImage[] _through = [];

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
            : LongestCallback(cpu, in span) is not 0 and ulong callback && Announced(callback, in span, image) is { } announced
                ? BehindClient(cpu, in span, image, role, announced)
                : Sampled(cpu, in span, image, role);
    }

    /// <summary>
    /// Divides a run among its owners: by the callbacks that the driver framework announced in it, and by the times of its samples, each
    /// change half-way between the two samples that differ. What shows only the framework goes with what is next to it. The routine of a
    /// driver is all its own, whomever it calls.
    /// </summary>
    /// <param name="stretches">Takes the stretches by time, one at least; the last ends with the run.</param>
    public void AddStretches(CpuHistory cpu, in LevelSpan span, List<OwnedStretch> stretches)
    {
        stretches.Clear();
        if (_modules.Find(span.Routine, span.EndTicks) is not { } image || span.IsProfile
            || _modules.RoleOf(image) is var role && role is ModuleRole.Driver or ModuleRole.Firmware)
        {
            stretches.Add(new OwnedStretch(span.EndTicks, OfSpan(cpu, in span), 0));
            return;
        }

        Collect(cpu, in span, image, role);
        CollectWindows(cpu, in span);
        int first = 0;
        for (int i = 0; i < _windows.Count; i++)
        {
            long toTicks = i + 1 < _windows.Count ? _windows[i + 1].FromTicks : span.EndTicks;
            int end = first;
            while (end < _shown.Count && (_shown[end].Ticks < toTicks || i + 1 == _windows.Count))
            {
                end++;
            }

            ReadOnlySpan<ShownSample> shown = CollectionsMarshal.AsSpan(_shown)[first..end];
            if (_windows[i].Routine != 0 && Announced(_windows[i].Routine, in span, image) is { } announced)
            {
                AddAnnounced(cpu, in span, shown, announced, toTicks, stretches);
            }
            else
            {
                int from = stretches.Count;
                AddShown(shown, Unshown(cpu, in span, shown, image, role), span.Routine, toTicks, stretches);
                for (int k = from; k < stretches.Count; k++)
                {
                    stretches[k] = stretches[k] with { Owner = PassedOn(stretches[k].Owner, cpu, in span, image) };
                }
            }

            first = end;
        }
    }

    /// <summary>
    /// Adds the stretch of a callback that was announced. It is its driver's, unless samples show that the driver only called another. A
    /// bus driver completes the requests of others, and what its samples show votes on runs in which nothing was seen.
    /// </summary>
    private void AddAnnounced(
        CpuHistory cpu,
        in LevelSpan span,
        ReadOnlySpan<ShownSample> shown,
        OwnerFinding announced,
        long toTicks,
        List<OwnedStretch> stretches)
    {
        LoadedImage client = announced.Owner!;
        bool isCarrier = _modules.RoleOf(client) is ModuleRole.Layer or ModuleRole.Framework;
        int own = 0;
        int others = 0;
        foreach (ShownSample sample in shown)
        {
            own += sample.Owner?.Number == client.Number ? 1 : 0;
            others += sample is { HasStack: true, Owner: { } owner } && owner.Number != client.Number
                && !ModuleCalls.AreOfOneVendor(owner, client) ? 1 : 0;
        }

        ulong voted = isCarrier ? announced.Routine : 0;
        if (others == 0 || (!isCarrier && (2 * others <= shown.Length || _modules.WorksItself(client))))
        {
            stretches.Add(new OwnedStretch(
                toTicks,
                announced with
                {
                    Samples = own,
                    SamplesAsked = shown.Length,
                    Unseen = isCarrier && own == 0 ? RunTraits.Of(announced.Routine, cpu, in span) : null,
                },
                voted));
            return;
        }

        int from = stretches.Count;
        AddShown(shown, announced, voted, toTicks, stretches);
        for (int i = from; i < stretches.Count; i++)
        {
            OwnedStretch stretch = stretches[i];
            stretches[i] = stretch.Owner.Owner!.Number == client.Number
                ? stretch with { Owner = announced with { Samples = stretch.Owner.Samples, SamplesAsked = stretch.Owner.SamplesAsked } }
                : stretch with { Owner = stretch.Owner with { Through = [client, .. stretch.Owner.Through], Announced = client } };
        }
    }

    /// <summary>Adds the stretches that samples show; a single one where they show nobody.</summary>
    /// <param name="unshown">What the stretch is then.</param>
    private static void AddShown(
        ReadOnlySpan<ShownSample> shown, OwnerFinding unshown, ulong voted, long toTicks, List<OwnedStretch> stretches)
    {
        OwnerFinding? owner = null;
        long lastTicks = 0;
        int nobodys = 0;
        foreach (ShownSample sample in shown)
        {
            if (sample.Owner is null)
            {
                nobodys++;
                continue;
            }

            if (owner is not null && owner.Owner!.Number != sample.Owner.Number)
            {
                stretches.Add(new OwnedStretch(lastTicks + ((sample.Ticks - lastTicks) / 2), owner, voted));
                owner = null;
            }

            Proof proof = sample.HasStack ? Proof.Stack : Proof.Sample;
            int samples = owner?.Samples ?? 0;
            int asked = owner?.SamplesAsked ?? 0;
            owner = (owner is null || sample.HasStack || owner.Proof != Proof.Stack
                ? new OwnerFinding { Owner = sample.Owner, Proof = proof, Routine = sample.Routine, Through = sample.Through }
                : owner) with { Samples = samples + 1, SamplesAsked = asked + 1 + nobodys };
            nobodys = 0;
            lastTicks = sample.Ticks;
        }

        stretches.Add(new OwnedStretch(
            toTicks, owner is null ? unshown : owner with { SamplesAsked = owner.SamplesAsked + nobodys }, voted));
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

    private OwnerFinding? Announced(ulong callback, in LevelSpan span, LoadedImage framework) =>
        _modules.Find(callback, span.EndTicks) is { } client
            ? new OwnerFinding { Owner = client, Proof = Proof.WdfEvent, Through = [framework], Routine = callback }
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
        for (long number = cpu.Callbacks.FirstAfter(span.StartTicks - 1); NextCallback(cpu, in span, ref number) is { } callback; number++)
        {
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

    /// <summary>The first callback from a number on that was announced in an ISR or DPC itself; null for none.</summary>
    private static CallbackEvent? NextCallback(CpuHistory cpu, in LevelSpan span, ref long number)
    {
        for (; number < cpu.Callbacks.Next && cpu.Callbacks[number].Ticks <= span.EndTicks; number++)
        {
            if (cpu.Callbacks[number] is var callback && callback.IsInterrupt == span.IsIsr && !IsNested(cpu, in span, callback.Ticks))
            {
                return callback;
            }
        }

        return null;
    }

    /// <summary>Collects the callbacks of a run, each until the next; one of no routine where none was announced.</summary>
    private void CollectWindows(CpuHistory cpu, in LevelSpan span)
    {
        _windows.Clear();
        for (long number = cpu.Callbacks.FirstAfter(span.StartTicks - 1); NextCallback(cpu, in span, ref number) is { } callback; number++)
        {
            if (_windows.Count == 0 || _windows[^1].Routine != callback.Routine)
            {
                _windows.Add((callback.Ticks, callback.Routine));
            }
        }

        if (_windows.Count == 0)
        {
            _windows.Add((span.StartTicks, 0));
        }
    }

    private OwnerFinding Sampled(CpuHistory cpu, in LevelSpan span, LoadedImage image, ModuleRole role)
    {
        Collect(cpu, in span, image, role);
        _votes.Clear();
        foreach (ShownSample sample in _shown)
        {
            if (sample.Owner is { } owner)
            {
                _votes.Add(owner, sample.HasStack ? Proof.Stack : Proof.Sample, sample.Routine, sample.Through);
            }
        }

        return _votes.Winner is { } winner
            ? PassedOn(winner with { SamplesAsked = _shown.Count }, cpu, in span, image)
            : Unshown(cpu, in span, CollectionsMarshal.AsSpan(_shown), image, role);
    }

    /// <summary>
    /// In a DPC that completes requests of storage, code of Windows above the port driver is nobody's doing but the device's, whose driver
    /// is still to be found.
    /// </summary>
    private OwnerFinding PassedOn(OwnerFinding found, CpuHistory cpu, in LevelSpan span, LoadedImage image) =>
        found.Owner is { } owner && owner.Number != image.Number && _modules.RoleOf(owner) == ModuleRole.Layer
        && Frameworks.CompletesRequests(image.Name)
            ? found with
            {
                Owner = null,
                Behind = image,
                Carrier = owner,
                Unseen = RunTraits.Of(span.Routine, cpu, in span),
            }
            : found;

    /// <summary>Collects the samples inside a run, each with the owner that it shows besides the routine's own image.</summary>
    private void Collect(CpuHistory cpu, in LevelSpan span, LoadedImage image, ModuleRole role)
    {
        _shown.Clear();
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

            ReadOnlySpan<ulong> frames = InsideRoutine(cpu.FramesOf(in sample, _frames), in span, image, role);
            bool hasStack = frames.Length > 0;
            int depth = 0;
            LoadedImage? owner = hasStack
                ? _modules.OwnerIn(frames, sample.Ticks, out depth)
                : !cpu.HasFrames(in sample) || (span.IsIsr ? sample.IsInIsr : sample.IsInDpc) ? Bare(in sample) : null;
            if (owner is null || owner.Number == image.Number)
            {
                _shown.Add(new ShownSample(sample.Ticks, null, hasStack, 0, []));
                continue;
            }

            _outside.Clear();
            _modules.AddFrameworksOutside(frames, depth, sample.Ticks, _outside);
            if (role != ModuleRole.Kernel && !_outside.Exists(known => known.Number == image.Number))
            {
                _outside.Add(image);
            }

            // Mostly they are those of the sample before.
            if (!_through.AsSpan().SequenceEqual(CollectionsMarshal.AsSpan(_outside)))
            {
                _through = [.. _outside];
            }

            _shown.Add(new ShownSample(sample.Ticks, owner, hasStack, hasStack ? frames[depth] : sample.Instruction, _through));
        }
    }

    /// <summary>A run in which samples show no one but the routine's own image.</summary>
    private static OwnerFinding Unshown(
        CpuHistory cpu, in LevelSpan span, ReadOnlySpan<ShownSample> shown, LoadedImage image, ModuleRole role)
    {
        int stacks = 0;
        foreach (ShownSample sample in shown)
        {
            stacks += sample.HasStack ? 1 : 0;
        }

        bool isItself = role != ModuleRole.Framework || stacks >= StacksOfFrameworkAlone;
        return new OwnerFinding
        {
            Owner = isItself ? image : null,
            Proof = role != ModuleRole.Framework ? Proof.Routine : isItself ? Proof.Stack : Proof.None,
            Behind = isItself ? null : image,
            Routine = span.Routine,
            Samples = isItself ? stacks : 0,
            SamplesAsked = shown.Length,
            Unseen = role == ModuleRole.Kernel || (isItself && stacks > 0) ? null : RunTraits.Of(span.Routine, cpu, in span),
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

    /// <summary>A sample inside a run.</summary>
    /// <param name="Owner">Whom it shows; null where it shows only the routine's own image.</param>
    /// <param name="HasStack">Whether it has a stack whose frames inside the run are known.</param>
    /// <param name="Routine">The owner's frame.</param>
    /// <param name="Through">The frameworks in front of the owner.</param>
    private readonly record struct ShownSample(
        long Ticks, LoadedImage? Owner, bool HasStack, ulong Routine, IReadOnlyList<LoadedImage> Through);
}
