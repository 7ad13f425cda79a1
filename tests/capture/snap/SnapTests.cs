using System.CommandLine;
using System.Text.RegularExpressions;
using Tracer.Capture.Engine;
using Tracer.Capture.Snap;
using Tracer.CommandLine;
using Tracer.TracerCommand.Commands.Capture;
using Tracer.TracerCommand.Commands.Snap;
using Tracer.TracerCommand.Common.Screen;

#pragma warning disable CA1416 // Only texts are made.

namespace Tracer.Capture.Tests;

/// <summary><c>tracer snap</c>, its signal, and the key of the live screen.</summary>
public sealed class SnapTests
{
    [Theory]
    [InlineData(SnapOutcome.Signalled, ExitCode.Done, "asked the running capture to save")]
    [InlineData(SnapOutcome.NoCapture, ExitCode.Failed, "no capture runs")]
    [InlineData(SnapOutcome.NotAllowed, ExitCode.Failed, "run this as administrator")]
    public void WhatBecameOfItIsTold(SnapOutcome outcome, int status, string words)
    {
        (int actual, string text) = Run(new FakeSignals { Outcome = outcome });
        Assert.Equal(status, actual);
        Assert.Contains(words, text, StringComparison.Ordinal);
    }

    [Fact]
    public void WithoutWindowsItSaysSo()
    {
        (int status, string text) = Run(null);
        Assert.Equal(ExitCode.Failed, status);
        Assert.Contains("needs Windows", text, StringComparison.Ordinal);
    }

    [Fact]
    public void ASignalAsksForWhatTheRingHoldsAtThatTime()
    {
        var signals = new FakeSignals();
        var requests = new SaveRequests();
        var clock = new VirtualClock();
        using (SnapListener? listener = SnapListener.Start(signals, requests, clock, out string? problem))
        {
            Assert.Null(problem);
            Assert.NotNull(listener);
            for (int i = 0; i < 2; i++)
            {
                signals.Event.Set();
                long asked = 0;
                Assert.True(SpinWait.SpinUntil(() => requests.TryTake(out asked), TimeSpan.FromSeconds(100)));
                Assert.Equal(clock.Qpc, asked);
            }
        }

        Assert.True(signals.Event.SafeWaitHandle.IsClosed); // The next capture can make it.
    }

    [Fact]
    public void WhereTheSignalCantBeMadeTheCaptureSaysSoAndGoesOn()
    {
        var observer = new RecordingObserver();
        var keys = new FakeKeys();
        using SaveAsking asking = SaveAsking.Begin(new FakeSignals { Problem = "taken" }, new VirtualClock(), keys, observer);
        Assert.Equal("'tracer snap' does not reach this capture: taken", Assert.Single(observer.Notes));
        keys.Press('s', ConsoleKey.S);
        Assert.True(SpinWait.SpinUntil(() => asking.Requests.TryTake(out _), TimeSpan.FromSeconds(100)));
    }

    [Fact]
    public void OtherKeysAskForNothingAndALostConsoleEndsNothing()
    {
        var keys = new FakeKeys();
        using SaveAsking asking = SaveAsking.Begin(new FakeSignals(), new VirtualClock(), keys, new RecordingObserver());
        keys.Press('x', ConsoleKey.X);
        keys.Press('\u0013', ConsoleKey.S, control: true);
        keys.IsGone = true;
        Assert.True(SpinWait.SpinUntil(() => keys.WasAskedWhenGone, TimeSpan.FromSeconds(100)));
        Assert.False(asking.Requests.TryTake(out _));
    }

    [Fact]
    public void NobodyButSystemAdministratorsAndTheUserMaySignal()
    {
        string sddl = WindowsSnapSignals.DescriptorFor("S-1-5-21-1-2-3-1001");
        Assert.Equal("D:P(A;;0x1F0003;;;SY)(A;;0x1F0003;;;BA)(A;;0x100002;;;S-1-5-21-1-2-3-1001)S:(ML;;NW;;;ME)", sddl);
        Assert.DoesNotMatch(new Regex("WD|AU|IU|BU|AN"), sddl);
        Assert.StartsWith(@"Global\", WindowsSnapSignals.Name, StringComparison.Ordinal);
        Assert.DoesNotContain(";;;)", WindowsSnapSignals.DescriptorFor(null), StringComparison.Ordinal);
    }

    private static (int Status, string Text) Run(ISnapSignals? signals)
    {
        using var output = new StringWriter();
        var root = new RootCommand("test") { SnapCommand.Create(signals) };
        return (CommandProgram.Run(root, "tracer", ["snap"], output, output), output.ToString());
    }

    internal sealed class FakeSignals : ISnapSignals
    {
        public EventWaitHandle Event { get; } = new(initialState: false, EventResetMode.AutoReset);

        public SnapOutcome Outcome { get; init; }

        public string? Problem { get; init; }

        public WaitHandle? Listen(out string? problem)
        {
            problem = Problem;
            return problem is null ? Event : null;
        }

        public SnapOutcome Signal() => Outcome;
    }

    private sealed class FakeKeys : IKeySource
    {
        private readonly Queue<ConsoleKeyInfo> _keys = new();
        private readonly Lock _lock = new();

        public bool IsGone { get; set; }

        public bool WasAskedWhenGone { get; private set; }

        public bool HasKey
        {
            get
            {
                lock (_lock)
                {
                    if (IsGone && _keys.Count == 0)
                    {
                        WasAskedWhenGone = true;
                        throw new InvalidOperationException("no console");
                    }

                    return _keys.Count > 0;
                }
            }
        }

        public void Press(char letter, ConsoleKey key, bool control = false)
        {
            lock (_lock)
            {
                _keys.Enqueue(new ConsoleKeyInfo(letter, key, shift: false, alt: false, control));
            }
        }

        public ConsoleKeyInfo Read()
        {
            lock (_lock)
            {
                return _keys.Dequeue();
            }
        }
    }
}
