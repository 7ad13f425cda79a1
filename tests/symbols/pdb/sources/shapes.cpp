#include "shapes.h"

extern "C" volatile int sink = 1;

using namespace shapes;

extern "C" int in_c(int value);
int from_other_file(int value);

void *operator new(decltype(sizeof(0)), void *place) { return place; }
void operator delete(void *) {}
void operator delete(void *, decltype(sizeof(0))) {}

namespace {

struct Hidden {
	int field;
	KEEP int step(int by) { return field += by * sink; }
};

KEEP int quiet(int value)
{
	static int calls;
	calls += value;
	return calls ^ sink;
}

} // namespace

struct Square : Shape {
	int side = 4;
	KEEP int area() const override { return side * side + sink; }
	KEEP Square operator+(const Square &other) const
	{
		Square sum;
		sum.side = side + other.side;
		sink = sum.side;
		return sum;
	}
	KEEP static int count(int value)
	{
		return twice_clamped(value) - sink;
	}
};

template <typename F> KEEP int apply(F function, int value)
{
	int result = function(value);
	sink = result;
	return result;
}

template <int N> KEEP int multiplied(int value)
{
	sink = N;
	return value * N;
}

KEEP int loops(int count)
{
	int sum = 0;
	for (int i = 0; i < count; i++) {
		sum += clamp(i * sink, 0, 50);
		if (sum > 1000)
			sum = twice_clamped(sum);
	}
	return sum;
}

KEEP int switches(int value)
{
	switch (value) {
	case 0:
		return sink + 5;
	case 1:
		return loops(sink);
	case 2:
		return twice_clamped(sink);
	case 3:
		return sink * 9;
	case 4:
		return quiet(3);
	default:
		return -1;
	}
}

// Equal code: the linker may fold these into one.
extern "C" KEEP int equal_one(int value) { return value * 17 + 3; }
extern "C" KEEP int equal_two(int value) { return value * 17 + 3; }
KEEP int equal_three(int value) { return value * 17 + 3; }

extern "C" int entry(int argument)
{
	Box<int> box{argument};
	Box<long long> wide{argument};
	Hidden hidden{argument};
	Square square, other;
	int sum = box.stored(3) + (int)wide.stored(4) + hidden.step(2);
	sum += apply([&](int value) { return value + twice_clamped(value) + argument; }, 5);
	sum += apply([](int value) { return value * sink; }, 6);
	sum += multiplied<3>(sum) + multiplied<7>(sum);
	sum += (square + other).area() + Square::count(sum);
	sum += switches(sum) + in_c(sum) + from_other_file(sum);
	sum += equal_one(sum) + equal_two(sum) + equal_three(sum);
	return sum;
}
