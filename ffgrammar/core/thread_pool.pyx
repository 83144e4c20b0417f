"""The pool of threads that batches are shared out to.

A thread is started when it is first needed, and then waits for the next call. Between calls it holds no lock, and it never
touches a Python object. So a process may end while threads wait. A forked child has none of its parent's threads and starts its
own.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.threads cimport Lock, atomic_load, atomic_put, lock_leave, lock_take, relax

cdef extern from *:
    """
    #include <pthread.h>
    #include <sched.h>
    #include <signal.h>
    #include <time.h>

    static pthread_mutex_t ffgrammar_pool_lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t ffgrammar_pool_wake = PTHREAD_COND_INITIALIZER;
    static pthread_cond_t ffgrammar_pool_done = PTHREAD_COND_INITIALIZER;

    static void ffgrammar_pool_renew(void) {
        pthread_mutex_init(&ffgrammar_pool_lock, NULL);
        pthread_cond_init(&ffgrammar_pool_wake, NULL);
        pthread_cond_init(&ffgrammar_pool_done, NULL);
    }

    static uint64_t ffgrammar_pool_clock(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    }

    /* The operating system may wake a thread on the processor of the caller. There it has to wait, even if another processor is
       idle. After a pause this happened at nearly every call. So the threads stay off the caller's processor if there are
       others. `off` is the processor that they stay off already, or -1. */
    static void ffgrammar_pool_apart(const pthread_t *threads, int count, int *off) {
    #ifdef __linux__
        cpu_set_t others;
        int here = sched_getcpu();
        int i;
        if (here < 0 || here >= CPU_SETSIZE || here == *off || sched_getaffinity(0, sizeof(others), &others)) return;
        if (CPU_ISSET(here, &others) && CPU_COUNT(&others) > 1) CPU_CLR(here, &others);
        for (i = 0; i < count; i++) pthread_setaffinity_np(threads[i], sizeof(others), &others);
        *off = here;
    #endif
    }

    /* The new thread blocks all signals, so that these go to the threads that Python knows. Its stack has 8 MB, whatever
       `ulimit -s` says. That is the usual size for a main thread. */
    static int ffgrammar_pool_thread(pthread_t *thread, void (*main)(void)) {
        sigset_t all, before;
        pthread_attr_t attributes;
        int failed;
        if (pthread_attr_init(&attributes)) return -1;
        pthread_attr_setstacksize(&attributes, 8 << 20);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        failed = pthread_create(thread, &attributes, (void *(*)(void *))main, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
        return failed ? -1 : 0;
    }
    """
    ctypedef struct Condition "pthread_cond_t":
        pass
    ctypedef struct Thread "pthread_t":
        pass
    Lock lock "ffgrammar_pool_lock"
    Condition wake "ffgrammar_pool_wake"
    Condition done "ffgrammar_pool_done"
    void renew_locks "ffgrammar_pool_renew"() noexcept nogil
    int thread_start "ffgrammar_pool_thread"(Thread* thread, void (*main)() noexcept nogil) noexcept nogil
    void stay_apart "ffgrammar_pool_apart"(const Thread* threads, int count, int* off) noexcept nogil
    void thread_join "pthread_join"(Thread thread, void** result) noexcept nogil
    void wait "pthread_cond_wait"(Condition* condition, Lock* lock) noexcept nogil
    void signal_all "pthread_cond_broadcast"(Condition* condition) noexcept nogil
    uint64_t clock "ffgrammar_pool_clock"() noexcept nogil  # nanoseconds
    int give_way "sched_yield"() noexcept nogil
    int at_fork "pthread_atfork"(void (*before)(), void (*parent)(), void (*child)() noexcept nogil) noexcept nogil

cdef enum:
    MAX_THREADS = 64
    # Waking a thread costs the caller 10 us, and the thread is at work 30 to 80 us later. The work that is usually shared out
    # takes a few hundred us. So a thread with nothing to do stays awake for as long as it has just worked, but no longer than
    # this many nanoseconds.
    LONGEST_AWAKE = 500_000
    PAUSES = 32  # how many times `relax` is called between two looks at the number that is waited for

cdef struct Pool:
    Thread[MAX_THREADS] threads
    int count        # threads that were started
    int off          # the processor that the threads stay off; -1 if it is not set yet
    bint busy        # a call is under way
    bint ending      # pool_stop is under way
    # (these two are written with the lock, and atomically, because `stay_awake` reads them without it)
    uint32_t wanted  # how many more threads may join the call
    uint32_t active  # how many threads have joined the call and are not done
    void (*work)(void*) noexcept nogil
    void* context

cdef Pool pool
pool.count = pool.wanted = pool.active = 0
pool.busy = pool.ending = False


cdef void stay_awake(const uint32_t* number, bint zero, uint64_t began) noexcept nogil:
    """If `zero` is true, wait while `*number` is 0; otherwise, wait while it is not 0. The caller does not hold the lock. The
    work that has just ended began at `began`: wait no longer than this work took, and no longer than LONGEST_AWAKE. Times are
    in nanoseconds."""
    cdef uint64_t now = clock()
    cdef uint64_t until = now + min(now - began, <uint64_t>LONGEST_AWAKE)
    cdef int _
    while (atomic_load(number) == 0) == zero and clock() < until:
        for _ in range(PAUSES):
            relax()
        # the thread that this one waits for may have been woken on this processor
        give_way()


cdef void serve() noexcept nogil:
    """The main function of a thread."""
    cdef uint64_t began
    cdef bint worked = False
    lock_take(&lock)
    while not pool.ending:
        if pool.wanted == 0 and worked:
            worked = False
            lock_leave(&lock)
            stay_awake(&pool.wanted, True, began)
            lock_take(&lock)
        elif pool.wanted == 0:
            wait(&wake, &lock)
        else:
            atomic_put(&pool.wanted, pool.wanted - 1)
            atomic_put(&pool.active, pool.active + 1)
            lock_leave(&lock)
            began = clock()
            pool.work(pool.context)
            worked = True
            lock_take(&lock)
            atomic_put(&pool.active, pool.active - 1)
            if pool.active == 0:
                signal_all(&done)
    lock_leave(&lock)


cdef void pool_run(void (*work)(void*) noexcept nogil, void* context, int helpers) noexcept nogil:
    cdef bint ours = False
    cdef uint64_t began
    helpers = min(helpers, MAX_THREADS)
    if helpers > 0:
        lock_take(&lock)
        if not pool.busy and not pool.ending:
            ours = pool.busy = True
            while pool.count < helpers and thread_start(&pool.threads[pool.count], serve) == 0:
                pool.count += 1
                pool.off = -1
            stay_apart(pool.threads, pool.count, &pool.off)
            pool.work = work
            pool.context = context
            atomic_put(&pool.wanted, min(helpers, pool.count))
        lock_leave(&lock)
        if ours:
            signal_all(&wake)
    began = clock()
    work(context)
    if ours:
        stay_awake(&pool.active, False, began)
        lock_take(&lock)
        # a thread that has not joined by now need not do so
        atomic_put(&pool.wanted, 0)
        while pool.active:
            wait(&done, &lock)
        pool.busy = False
        signal_all(&done)
        lock_leave(&lock)


cdef void pool_stop() noexcept nogil:
    cdef int i
    lock_take(&lock)
    while pool.busy or pool.ending:
        wait(&done, &lock)
    pool.ending = True
    signal_all(&wake)
    lock_leave(&lock)
    for i in range(pool.count):
        thread_join(pool.threads[i], NULL)
    lock_take(&lock)
    pool.count = 0
    pool.ending = False
    signal_all(&done)
    lock_leave(&lock)


cdef void forget_threads() noexcept nogil:
    """Start afresh in a forked child: it has none of the parent's threads, and one of them may have held the lock."""
    renew_locks()
    pool.count = pool.wanted = pool.active = 0
    pool.busy = pool.ending = False


if at_fork(NULL, NULL, forget_threads) != 0:
    raise MemoryError
