#pragma once

#define KEEP __attribute__((noinline))
#define INLINE inline __attribute__((always_inline))

extern "C" volatile int sink;

namespace shapes {

template <typename T> struct Box {
	T value;

	INLINE T twice() const
	{
		T sum = value;
		sum += value;
		return sum;
	}

	INLINE T scaled(T factor) const
	{
		T result = twice();
		sink = (int)result;
		return result * factor;
	}

	KEEP T stored(T other)
	{
		sink = (int)scaled(other);
		value = other;
		return value + scaled(2);
	}
};

struct Shape {
	virtual int area() const { return sink * 3; }
	virtual ~Shape() { sink = 7; }
};

INLINE int clamp(int value, int low, int high)
{
	if (value < low)
		return sink + low;
	if (value > high)
		return sink - high;
	return value;
}

INLINE int twice_clamped(int value)
{
	int first = clamp(value, -10, 10);
	sink = first;
	int second = clamp(value * 3,
			   sink,
			   100);
	return first +
	       second;
}

} // namespace shapes
