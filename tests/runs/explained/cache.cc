// A cache that hands out pointers to its entries, and an eviction that frees them while they are used.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Session {
	int id;
	long balance;
	char name[40];
};

class Cache
{
	std::map<int, std::unique_ptr<Session>> entries;

      public:
	Session *get(int id)
	{
		auto &e = entries[id];
		if (!e) {
			e = std::make_unique<Session>();
			e->id = id;
			e->balance = 100 * id;
			snprintf(e->name, sizeof e->name, "session %d", id);
		}
		if (entries.size() > 8)
			entries.erase(entries.begin());
		return e.get();
	}
};

static Cache cache;
std::vector<std::string> journal;

__attribute__((noinline)) static void transfer(Session *from, Session *to, long amount)
{
	from->balance -= amount;
	to->balance += amount;
	journal.push_back(std::string("moved ") + from->name + " -> " + to->name);
}

int main()
{
	Session *first = cache.get(1);
	setvbuf(stdout, nullptr, _IONBF, 0);
	printf("ready\n");
	for (int i = 2; i < 40; i++) {
		Session *s = cache.get(i);
		transfer(s, first, 10);
		if (first->id != 1) {
			printf("corrupt id %d balance %ld at %d\n", first->id, first->balance, i);
			return 1;
		}
	}
	printf("sum %ld\n", first->balance);
	return 0;
}
