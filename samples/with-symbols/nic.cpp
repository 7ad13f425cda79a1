// A driver as small as can be, so that samples/with-symbols/nic.etl has functions to name. It was never run.
namespace nic
{
    template <typename T> class Ring
    {
    public:
        __attribute__((noinline)) T drain(unsigned count)
        {
            T sum = 0;
            for (unsigned i = 0; i < count; i++)
            {
                entries[i % 64] = entries[(i + 7) % 64] * 31 + i;
                sum += entries[i % 64];
            }
            return sum;
        }

        volatile T entries[64];
    };

    static Ring<unsigned> receive;

    // No public symbol: only private ones and unwind data know it.
    static __attribute__((noinline)) unsigned acknowledge(unsigned cause)
    {
        for (int i = 0; i < 16; i++)
            cause = (cause << 1) ^ receive.entries[i];
        return cause;
    }
}

extern "C" int NicIsr(void *interrupt, void *context)
{
    return nic::acknowledge((unsigned)(unsigned long long)context) != 0 && interrupt;
}

extern "C" void NicDpc(void *dpc, void *context, void *first, void *second)
{
    nic::receive.drain(dpc && context && first && second ? 256 : 4096);
    nic::acknowledge(1);
}

extern "C" void *DriverEntry(void *driver, void *)
{
    return driver ? (void *)NicIsr : (void *)NicDpc;
}
