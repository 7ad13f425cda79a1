using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Tracer.Capture.Engine;
using Tracer.TracerCommand.Commands.Capture;

namespace Tracer.TracerCommand.Commands.Service;

/// <summary><c>tracer service run</c>: what the service manager starts.</summary>
internal static partial class ServiceRun
{
    /// <summary>Windows waits 30 s for a service to stop.</summary>
    private static readonly TimeSpan LongestStop = TimeSpan.FromSeconds(25);

    /// <summary>Runs until the service is stopped, or the capture ends.</summary>
    /// <param name="stop">Ends it, where nobody else does.</param>
    /// <returns>Exit status: 1 where the capture failed, so that Windows starts the service again.</returns>
    public static int Run(ICaptureHost host, CaptureOptions options, string folder, CancellationToken stop = default)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings
        {
            ApplicationName = CaptureService.Name,
            ContentRootPath = folder,
        });
        builder.Services.AddWindowsService(static service => service.ServiceName = CaptureService.Name);
        builder.Services.Configure<HostOptions>(static host => host.ShutdownTimeout = LongestStop);
        builder.Services.AddSingleton(host).AddSingleton(options);
        builder.Services.AddSingleton(services =>
        {
            ILogger logger = services.GetRequiredService<ILoggerFactory>().CreateLogger(CaptureService.Name);
            return new ServiceLog(Path.Combine(folder, ServiceLog.FileName))
            {
                Also = (level, text) => Tell(logger, level == CaptureNoteLevel.Warning ? LogLevel.Warning : LogLevel.Information, text),
            };
        });
        builder.Services.AddSingleton<CaptureWorker>();
        builder.Services.AddHostedService(static services => services.GetRequiredService<CaptureWorker>());
        using IHost running = builder.Build();
        CaptureWorker worker = running.Services.GetRequiredService<CaptureWorker>();
        running.RunAsync(stop).GetAwaiter().GetResult();
        return worker.HasFailed ? ExitCode.Failed : ExitCode.Done;
    }

    [LoggerMessage(Message = "{Text}")]
    private static partial void Tell(ILogger logger, LogLevel level, string text);
}
