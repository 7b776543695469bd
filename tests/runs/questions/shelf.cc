// What a program of C++ keeps in the containers of its library, and its operators: tests/runs/debug-programs.sh looks at it.
#include <array>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct Money {
	long cents;
	bool operator<(const Money &other) const;
	Money operator+(const Money &other) const;
	Money &operator+=(long more);
	long operator()(long by) const;
	long operator[](long at) const;
	explicit operator bool() const;
};

#define APART __attribute__((noinline))
APART bool Money::operator<(const Money &other) const
{
	return cents < other.cents;
}
APART Money Money::operator+(const Money &other) const
{
	return {cents + other.cents};
}
APART Money &Money::operator+=(long more)
{
	cents += more;
	return *this;
}
APART long Money::operator()(long by) const
{
	return cents * by;
}
APART long Money::operator[](long at) const
{
	return cents >> at;
}
APART Money::operator bool() const
{
	return cents != 0;
}

struct Shelf {
	std::string label = "top shelf";
	std::string text = "a text of more than fifteen characters, which is on the heap";
	std::string_view view{text.data() + 2, 4};
	std::vector<int> counts{1, 2, 3};
	std::vector<std::string> names{"salt", "pepper"};
	std::vector<bool> bits{true, false, true, true};
	std::vector<Money> prices{{150}, {275}};
	std::vector<long> nothing;
	std::map<int, std::string> by_number{{1, "one"}, {2, "two"}, {30, "thirty"}};
	std::map<std::string, Money> by_name{{"salt", {150}}, {"pepper", {275}}};
	std::set<long> numbers{7, 5, 6};
	std::unordered_map<int, int> table{{1, 10}};
	std::list<int> chain{4, 5};
	std::unique_ptr<Money> own = std::make_unique<Money>(Money{99});
	std::unique_ptr<Money> none;
	std::shared_ptr<Money> shared = std::make_shared<Money>(Money{77});
};

static int twice(int x)
{
	return 2 * x;
}

enum Marks { NONE, OLD = 1, SOLD = 2, BENT = 8 };

struct Drawer {
	std::multimap<int, int> twins{{1, 2}, {1, 3}};
	std::unordered_set<std::string> words{"one"};
	std::unordered_map<std::string, Money> found{{"penny", {1}}};
	std::forward_list<int> forward{4, 5, 6};
	std::deque<int> line;
	std::array<short, 3> three{{1, 2, 3}};
	std::tuple<int, std::string, double> mixed{1, "two", 2.5};
	std::pair<int, std::string> both{1, "p"};
	std::optional<std::string> maybe{"inside"};
	std::optional<int> never;
	std::variant<int, std::string> either{"text"};
	std::weak_ptr<Money> gone = std::make_shared<Money>(Money{1});
	std::chrono::milliseconds wait{1500};
	std::function<int(int)> call = twice;
	std::wstring wide = L"caf\u00e9";
	std::complex<double> point{1.5, -2};
	std::map<int, std::vector<Money>> deep{{3, {{1}, {2}}}};
	Marks marks = Marks(OLD | BENT | 4);
	char16_t sixteen[4] = u"\u00e9t";
	__int128 huge = -((__int128)1 << 100);
	int (*pointer)(int) = twice;
	struct {
		unsigned low : 3;
		signed high : 5;
	} bits{5, -3};
};

// What a program that writes where it should not leaves: each of these is shown as far as it goes, and no further.
struct Damaged {
	std::map<int, int> cycle{{1, 1}, {2, 2}, {3, 3}};
	std::map<int, int> wild{{1, 1}, {2, 2}};
	std::list<int> ring{1, 2};
	std::vector<int> endless{1};
	std::unordered_map<int, int> table{{1, 1}};
	std::string text = "short";
	std::deque<int> row{1, 2};
	std::optional<int> maybe;
	std::variant<int, long> either;
	Damaged()
	{
		auto put = [](void *at, size_t word, unsigned long what) { memcpy((char *)at + 8 * word, &what, 8); };
		put(&cycle, 5, 1ul << 60);
		auto *node = (unsigned long *)&*cycle.begin() - 4;
		node[3] = (unsigned long)node; // the right child of a node is the node
		put(&wild, 3, 0xdead0000beef0000);
		put(&ring, 2, 1ul << 60);
		put(&endless, 1, 0x7fffffff0000);
		put(&table, 2, 0x10);
		put(&table, 3, 1ul << 60);
		put(&text, 0, 0x1234);
		put(&row, 5, 0xffffffffffff0000);
		memset((void *)&maybe, 0xee, sizeof maybe);
		memset((void *)&either, 0xee, sizeof either);
	}
};

Shelf shelf;
Drawer drawer;
Damaged &damaged = *new Damaged; // never destroyed
volatile long left = 600000;

APART long turn(Shelf &inside, const std::string &word, std::vector<int> counts)
{
	std::string local = word + "!";
	std::map<int, std::string> &numbers = inside.by_number;
	Money sum = inside.prices[0] + inside.prices[1];
	sum += 5;
	while (left > 0)
		left = left - 1; // it is here for a long time
	return sum(2) + sum[1] + bool(sum) + (sum < inside.prices[0]) + (long)local.size() + (long)numbers.size() + counts[0];
}

int main(int, char **argv)
{
	struct timespec wait = {0, atol(argv[1]) * 1000000};
	nanosleep(&wait, nullptr);
	for (int i = 0; i < 300; i++)
		drawer.line.push_back(i);
	drawer.line.erase(drawer.line.begin(), drawer.line.begin() + 297);
	puts("ready");
	fflush(stdout);
	return turn(shelf, "word", shelf.counts) > 0 ? 0 : 1;
}
