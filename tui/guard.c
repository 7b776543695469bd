#include "tui/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct {
	volatile sig_atomic_t taken;
	struct termios before;
	char restore[GUARD_RESTORE_MAX];
	size_t restore_size;
	int wake[2];
	volatile sig_atomic_t resized, suspended, continued, ended;
	struct sigaction old[65];
} guard = {.wake = {-1, -1}};

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
static const int end_signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
static const int other_signals[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGPIPE};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

void guard_give_back(void)
{
	if (!guard.taken)
		return;
	guard.taken = 0;
	ssize_t ignored = write(STDOUT_FILENO, guard.restore, guard.restore_size);
	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &guard.before);
}

/* Restores the action that was there before ours (a sanitiser's, or the default) and lets it have the signal. */
static void on_crash(int number)
{
	guard_give_back();
	sigaction(number, &guard.old[number], NULL);
	raise(number);
}

static void on_signal(int number)
{
	int saved = errno;
	if (number == SIGWINCH)
		guard.resized = 1;
	else if (number == SIGTSTP)
		guard.suspended = 1;
	else if (number == SIGCONT)
		guard.continued = 1;
	else if (guard.ended++) { /* asked twice: the main loop does not come to it */
		guard_give_back();
		_exit(128 + number);
	}
	ssize_t ignored = write(guard.wake[1], "s", 1);
	(void)ignored;
	errno = saved;
}

static void catch_signal(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {0};
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, &guard.old[number]);
}

bool guard_start(struct err *err)
{
	if (guard.wake[0] < 0 && pipe2(guard.wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_sys(err, errno, "no pipe for signals");
	if (tcgetattr(STDIN_FILENO, &guard.before) != 0)
		return err_sys(err, errno, "the terminal's modes cannot be read");
	/* A crash by stack overflow needs another stack to run the handler on. */
	static char stack[64 * 1024];
	stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
	sigaltstack(&other, NULL);
	for (size_t i = 0; i < COUNT(crash_signals); i++)
		catch_signal(crash_signals[i], on_crash, SA_ONSTACK);
	for (size_t i = 0; i < COUNT(end_signals); i++)
		catch_signal(end_signals[i], on_signal, SA_RESTART);
	for (size_t i = 0; i < COUNT(other_signals); i++)
		catch_signal(other_signals[i], other_signals[i] == SIGPIPE ? SIG_IGN : on_signal, SA_RESTART);
	atexit(guard_give_back);
	return true;
}

void guard_restore_bytes(const char *bytes, size_t size)
{
	guard.restore_size = size < GUARD_RESTORE_MAX ? size : GUARD_RESTORE_MAX;
	memcpy(guard.restore, bytes, guard.restore_size);
}

void guard_taken(void)
{
	guard.taken = 1;
}

void guard_stop(void)
{
	guard_give_back();
	for (size_t i = 0; i < COUNT(crash_signals); i++)
		sigaction(crash_signals[i], &guard.old[crash_signals[i]], NULL);
	for (size_t i = 0; i < COUNT(end_signals); i++)
		sigaction(end_signals[i], &guard.old[end_signals[i]], NULL);
	for (size_t i = 0; i < COUNT(other_signals); i++)
		sigaction(other_signals[i], &guard.old[other_signals[i]], NULL);
}

int guard_fd(void)
{
	return guard.wake[0];
}

struct guard_news guard_take(void)
{
	char drained[64];
	while (read(guard.wake[0], drained, sizeof drained) > 0)
		;
	struct guard_news news = {guard.ended != 0, guard.suspended != 0, guard.continued != 0, guard.resized != 0};
	guard.suspended = guard.continued = guard.resized = 0;
	return news;
}

void guard_note_resize(void)
{
	on_signal(SIGWINCH);
}

void guard_suspend(void)
{
	guard_give_back();
	sigset_t stop, before;
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	struct sigaction ours, plain = {0};
	plain.sa_handler = SIG_DFL;
	sigaction(SIGTSTP, &plain, &ours);
	kill(0, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	guard.continued = 0;
	tcgetattr(STDIN_FILENO, &guard.before);
}

/* Ctrl-C reaches everybody in the foreground, and is meant for the program; Ctrl-Z stops all of us, and `fg` goes on. */
void guard_lend(void)
{
	static const int keys[] = {SIGINT, SIGQUIT};
	struct sigaction ignore = {0}, plain = {0};
	ignore.sa_handler = SIG_IGN;
	plain.sa_handler = SIG_DFL;
	guard_give_back();
	for (size_t i = 0; i < COUNT(keys); i++)
		sigaction(keys[i], &ignore, NULL);
	sigaction(SIGTSTP, &plain, NULL);
}

void guard_reclaim(void)
{
	struct sigaction ours = {0};
	ours.sa_handler = on_signal;
	ours.sa_flags = SA_RESTART;
	sigemptyset(&ours.sa_mask);
	sigaction(SIGINT, &ours, NULL);
	sigaction(SIGQUIT, &ours, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	guard.continued = guard.suspended = 0;
	/* A program that was killed has left its own modes behind: those of before are what is given back in the end. */
	tcsetattr(STDIN_FILENO, TCSADRAIN, &guard.before);
	guard_taken();
}
