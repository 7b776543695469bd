// What a program of C++ keeps in the containers of its library, and its operators: tests/runs/debug-programs.sh looks at it.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
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

Shelf shelf;
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
	puts("ready");
	fflush(stdout);
	return turn(shelf, "word", shelf.counts) > 0 ? 0 : 1;
}
