// An image with a bit of everything that the PE reader reads. No header and no library: it is built for three processors by clang
// alone.
#define EXPORT extern "C" __declspec(dllexport)
extern "C" int _fltused = 0;
EXPORT int exportedData = 7;
volatile int sink;
static __declspec(noinline) int hidden(int x) {
	int many[64];
	for (int i = 0; i < 64; i++)
		many[i] = x + sink;
	return many[x & 63];
}
EXPORT __declspec(noinline) int first(int x) { return hidden(x) + hidden(x + 1); }
EXPORT __declspec(noinline) int second(int x) {
	volatile char room[5000];
	room[x] = 1;
	return first(x) * room[x + 1];
}
EXPORT __declspec(noinline) int leaf(int x) { return x + 1; }
extern "C" __declspec(noinline) void byOrdinal(void) { sink = second(1); }
struct Thing {
	virtual int f(int x);
	virtual ~Thing();
	int y;
};
__declspec(noinline) int Thing::f(int x) { return second(x) + y; }
__declspec(noinline) Thing::~Thing() { sink = first(y); }
namespace ns {
template <class T> __declspec(dllexport) __declspec(noinline) T twice(T x) { return first((int)x) + x; }
template __declspec(dllexport) int twice<int>(int);
} // namespace ns
void operator delete(void *) noexcept {}
EXPORT int entry(void *, unsigned, void *) {
	Thing thing;
	return thing.f(2) + ns::twice(3) + (int)(sink * 1.5);
}
#ifdef __x86_64__
// A function in two pieces: the second has unwind data of its own, chained to the first's.
__asm__(
    ".globl chained\n.def chained; .scl 2; .type 32; .endef\n.seh_proc chained\nchained:\n\tpushq %rbx\n\t.seh_pushreg %rbx\n\tsubq $32, %rsp\n"
    "\t.seh_stackalloc 32\n\t.seh_endprologue\n\tcallq leaf\n\t.seh_startchained\n\tsubq $16, %rsp\n\t.seh_stackalloc 16\n\t.seh_endprologue\n"
    "\tcallq leaf\n\taddq $16, %rsp\n\t.seh_endchained\n\taddq $32, %rsp\n\tpopq %rbx\n\tretq\n\t.seh_endproc\n");
#endif
#ifndef __i386__
EXPORT void chkstkStub(void) {}
#endif
extern "C" void __chkstk(void) {}
extern "C" void _chkstk(void) {}
