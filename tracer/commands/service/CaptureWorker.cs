using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.TracerCommand.Commands.Capture;
using Tracer.TracerCommand.Common;

namespace Tracer.TracerCommand.Commands.Service;

/// <summary>
/// A capture inside a service: on a thread of its own, until the service is stopped. What it heard of by then is still written; where that
/// takes longer than Windows waits, it only undoes what it changed.
/// </summary>
/// <param name="lifetime">The service; ended when the capture is.</param>
internal sealed partial class CaptureWorker(
    ICaptureHost host, CaptureOptions options, ServiceLog log, IHostApplicationLifetime lifetime, ILogger<CaptureWorker> logger)
    : BackgroundService
{
    /// <summary>So long after the stop it gives up what is not written; Windows waits 30 s for a service.</summary>
    private static readonly TimeSpan TimeToWrite = TimeSpan.FromSeconds(15);

    /// <summary>Whether it ended because it failed: Windows then starts the service again.</summary>
    public bool HasFailed { get; private set; }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) => Task.Factory.StartNew(
        () => Capture(stoppingToken), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private void Capture(CancellationToken stop)
    {
        using var abandon = new CancellationTokenSource();
        using CancellationTokenRegistration later = stop.Register(() => abandon.CancelAfter(TimeToWrite));
        try
        {
            if (TriggerEvents.Find(options.Events, host.Providers, out string? unknown) is not { } events)
            {
                throw new CaptureException($"--trigger: {unknown}");
            }

            CaptureMachine machine = host.Machine();
            var blame = CaptureBlame.For(options);
            using SaveAsking asking = SaveAsking.Begin(host.Snap, machine.Clock, keys: null, log);
            var engine = new CaptureEngine(options, machine, host.Triggers(options, events, machine), blame.WhileCapturing, log)
            {
                Requests = asking.Requests,
            };
            CaptureResult result = engine.Run(stop, abandon.Token);
            log.Write($"ended: {KebabCase.Of(result.End)}");
        }
        catch (Exception fault) when (fault is CaptureException or EtwException)
        {
            HasFailed = true;
            log.Write($"failed: {fault.Message}");
            LogFailure(logger, fault.Message);
        }

        lifetime.StopApplication();
    }

    [LoggerMessage(Level = LogLevel.Error, Message = "The capture failed: {Reason}")]
    private static partial void LogFailure(ILogger logger, string reason);
}
