// A program of C++ that knows where it is and what its variables hold: tests/runs/debug-programs.sh looks at it.
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace shop {

int counter = 7;
static volatile int hidden_count = 9;
namespace {
volatile int nameless = 11;
}

template <typename T> struct Shelf {
	static int count;
	T item;
	explicit Shelf(T what) : item(what) { count++; }
};
template <typename T> int Shelf<T>::count = 20;

struct Place {
	int id = 77;
};

class Store : public Place {
public:
	static int made;
	int stock[2][3] = {{1, 2, 3}, {4, 5, 6}};
	__attribute__((noinline)) long add(long by);
};
int Store::made = 5;

__int128 wide = (__int128)-1 << 70;

__attribute__((noinline)) long Store::add(long by)
{
	const Place &place = *this;
	volatile long left = by;
	while (left > 0)
		left = left - 1; // it is here for a long time
	return place.id + hidden_count + nameless + counter;
}

__attribute__((noinline)) long sell(Store &store, long by)
{
	long sum = store.add(by);
	return sum + store.stock[1][2];
}

} // namespace shop

int main(int, char **argv)
{
	struct timespec wait = {0, atol(argv[1]) * 1000000};
	nanosleep(&wait, nullptr);
	shop::Store *store = new shop::Store;
	shop::Shelf<int> shelf(3);
	puts("ready");
	fflush(stdout);
	return shop::sell(*store, 600000) + shelf.item > 0 && shop::wide < 0 ? 0 : 1;
}
