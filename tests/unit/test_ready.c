#include <string.h>
#include "agent/ready.h"
#include "unit.h"

static const char table[] =
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	"   0: 00000000:18EB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1234 1 0\n"
	"   1: 0100007F:0050 0100007F:18EC 01 00000000:00000000 00:00000000 00000000     0        0 1235 1 0\n"
	"  12: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000\n";

static void only_listening_ports_count(void)
{
	CU_ASSERT_TRUE(ready_listens(table, strlen(table), 6379));
	CU_ASSERT_TRUE(ready_listens(table, strlen(table), 8080));  /* IPv6 */
	CU_ASSERT_FALSE(ready_listens(table, strlen(table), 80));   /* a connection */
	CU_ASSERT_FALSE(ready_listens(table, strlen(table), 6380)); /* the other end of it */
	CU_ASSERT_FALSE(ready_listens(table, strlen(table), 0));
	CU_ASSERT_FALSE(ready_listens("", 0, 80));
}

/* Cut anywhere, a line that is not whole does not count, and one that is does. */
static void a_cut_table_is_read_as_far_as_it_goes(void)
{
	const char *first = strchr(strchr(table, '\n') + 1, '\n');
	for (size_t size = 0; size <= strlen(table); size++)
		CU_ASSERT_EQUAL(ready_listens(table, size, 6379), table + size > first);
}

static void nonsense_is_no_port(void)
{
	const char *lines[] = {"::::: 0A\n", "0: 00000000:18EB\n", "0: 00000000:18EB 00000000:0000\n",
		"0: 00000000:18EB 00000000:0000 0\n", "0: 00000000:zzzz 00000000:0000 0A\n", ":\n", "\n", "0: :18EB : 0A\n",
		"0: 00000000:18EB00000000:0000 0A\n"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		CU_ASSERT_FALSE(ready_listens(lines[i], strlen(lines[i]), 6379));
}

const struct test suite_ready[] = {
	{"only listening ports count", only_listening_ports_count},
	{"a cut table is read as far as it goes", a_cut_table_is_read_as_far_as_it_goes},
	{"nonsense is no port", nonsense_is_no_port},
	{0},
};
