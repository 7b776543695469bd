// Functions that share a name: static ones, members, overloads, instances of a template, and one that is written into its callers.
#include <cstdio>

namespace left {
static __attribute__((noinline)) long pick(int by)
{
	return by + 1;
}
} // namespace left

namespace right {
__attribute__((noinline)) long pick(int by)
{
	return by + 2;
}

struct Hand {
	__attribute__((noinline)) long pick(int by) { return by + 3; }
	__attribute__((noinline)) long pick(long by) { return by + 4; }
};
} // namespace right

template <typename T> __attribute__((noinline)) T grow(T by)
{
	return by + 5; // in every instance
}

static inline __attribute__((always_inline)) long fold(long by)
{
	return by * 2;
}

int main(int argc, char **)
{
	puts("ready");
	fflush(stdout);
	right::Hand hand;
	long sum = left::pick(argc) + right::pick(argc);
	sum += hand.pick(argc);
	sum += hand.pick(2L);
	sum += grow(argc);
	sum += grow(2L);
	sum += fold(sum);
	sum += fold(sum);
	return sum < 0;
}
