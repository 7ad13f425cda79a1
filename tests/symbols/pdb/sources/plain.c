extern volatile int sink;

static __attribute__((noinline)) int same_name(int value)
{
	return value + sink;
}

static inline int small(int value) { return value * sink; }

static inline int middle(int value)
{
	int sum = small(value);
	sum += small(sum + 1);
	return sum;
}

__attribute__((cold, noinline)) void fails(int code)
{
	sink = code;
	sink = same_name(code);
}

int in_c(int value)
{
	int sum = middle(value);
	if (__builtin_expect(sum < 0, 0)) {
		sink = sum;
		fails(sum);
		fails(sum + 1);
		sink = middle(sum);
	}
	for (int i = 0; i < value; i++) {
		sum += small(i);
		sink = sum;
	}
	return sum + same_name(sum);
}
