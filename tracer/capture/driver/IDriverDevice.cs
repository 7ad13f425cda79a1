namespace Tracer.Capture.Driver;

/// <summary>The device of the driver as a program sees it: requests go in, replies come out. Safe for several threads at once.</summary>
public interface IDriverDevice : IDisposable
{
    /// <summary>Sends a request and waits until the driver has answered it.</summary>
    /// <param name="cancellation">Cancels a request that the driver keeps; it is no longer with the driver when this throws.</param>
    /// <returns>Bytes of the reply, as the driver says: check them before use.</returns>
    /// <exception cref="DriverException">The driver or the system refused it.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    int Control(uint code, ReadOnlySpan<byte> request, Span<byte> reply, CancellationToken cancellation);
}
