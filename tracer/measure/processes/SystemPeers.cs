using Tracer.Measure.Ground;

namespace Tracer.Measure.Processes;

/// <summary>The processes that answer one measurement: each kind is started once, so that what is warmed up is what is measured.</summary>
internal sealed class SystemPeers : IDisposable
{
    private readonly Dictionary<PeerWish, PeerProcess> _open = [];

    public IMeasurePeer Open(PeerWish wish)
    {
        if (!_open.TryGetValue(wish, out PeerProcess? peer))
        {
            _open.Add(wish, peer = PeerProcess.Open(wish));
        }

        return peer;
    }

    public IReadOnlyList<MeasureSetting> End()
    {
        try
        {
            return [.. _open.Values.SelectMany(static one => one.Finish())];
        }
        finally
        {
            Dispose();
        }
    }

    public void Dispose()
    {
        foreach (PeerProcess peer in _open.Values)
        {
            peer.Dispose();
        }

        _open.Clear();
    }
}
