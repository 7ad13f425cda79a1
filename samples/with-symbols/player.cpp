// A program as small as can be, so that samples/with-symbols/nic.etl has user-mode functions to name. It was never run.
namespace player
{
    static volatile float mixed[256];

    __attribute__((noinline)) void mix(int channels)
    {
        for (int channel = 0; channel < channels; channel++)
            for (int i = 0; i < 256; i++)
                mixed[i] = mixed[i] * 0.5f + (float)(channel + i);
    }
}

extern "C" int _fltused = 0;

extern "C" int main()
{
    player::mix(64);
    return (int)player::mixed[0];
}
