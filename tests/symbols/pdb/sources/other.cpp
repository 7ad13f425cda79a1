#include "shapes.h"

using namespace shapes;

static KEEP int same_name(int value)
{
	return value - sink;
}

KEEP int from_other_file(int value)
{
	Box<int> box{value};
	int result = same_name(value) + box.stored(9);
#line 1000 "generated.inc"
	result += clamp(result, 1, 2);
	result += sink;
#line 21 "other.cpp"
	return result;
}
