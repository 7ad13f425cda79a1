namespace Tracer.Capture.Driver.Install;

/// <summary>Waits for services, which Windows starts and stops by and by.</summary>
public static class ServiceWaiting
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(20);

    /// <returns>False where it is not in that state by then.</returns>
    public static bool Becomes(Func<RegisteredService?> find, ServiceState wanted, TimeSpan patience)
    {
        long end = Environment.TickCount64 + (long)patience.TotalMilliseconds;
        while (find()?.State != wanted)
        {
            if (Environment.TickCount64 >= end)
            {
                return false;
            }

            Thread.Sleep(Look);
        }

        return true;
    }
}
