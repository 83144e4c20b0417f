"""Locks and counters that native threads share. Nothing here touches Python.

While holding the GIL, never wait for a lock whose holder may need the GIL: try `lock_try`, and release the GIL before
`lock_take`.
"""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from *:
    """
    #ifndef FFGRAMMAR_THREADS
    #define FFGRAMMAR_THREADS
    #include <pthread.h>
    #include <stdint.h>

    static inline void ffgrammar_relax(void) {
    #if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
    #elif defined(__aarch64__)
        __asm__ __volatile__("yield");
    #endif
    }

    /* Falling asleep and being woken takes some 60 us, and most locks are held for less. So keep trying for some 20 us first.
       (In 180 batches of 64 masks on two threads, 55 waits were longer than 3 us, and 5 were longer than 20 us.) */
    static inline int ffgrammar_lock_soon(pthread_mutex_t *lock) {
        int turn, pause;
        for (turn = 0; turn < 10; turn++) {
            if (pthread_mutex_trylock(lock) == 0) return 1;
            for (pause = 1 << turn; pause > 0; pause--) ffgrammar_relax();
        }
        return 0;
    }
    static inline void ffgrammar_lock_take(pthread_mutex_t *lock) {
        if (!ffgrammar_lock_soon(lock)) pthread_mutex_lock(lock);
    }
    static inline int ffgrammar_lock_init(pthread_mutex_t *lock) { return pthread_mutex_init(lock, NULL) ? -1 : 0; }
    static inline int ffgrammar_lock_try(pthread_mutex_t *lock) { return pthread_mutex_trylock(lock) == 0; }

    static inline uint32_t ffgrammar_add(uint32_t *count, uint32_t more) {
        return __atomic_fetch_add(count, more, __ATOMIC_ACQ_REL);
    }
    static inline uint32_t ffgrammar_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
    static inline void ffgrammar_put(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
    static inline uint64_t ffgrammar_load_word(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
    static inline void ffgrammar_put_word(uint64_t *word, uint64_t value) {
        __atomic_store_n(word, value, __ATOMIC_RELAXED);
    }
    #endif
    """
    ctypedef struct Lock "pthread_mutex_t":
        pass
    # Make a lock. Returns 0, or -1 if the system lacks the resources.
    int lock_init "ffgrammar_lock_init"(Lock* lock) noexcept nogil
    # Free a lock that no thread holds.
    void lock_free "pthread_mutex_destroy"(Lock* lock) noexcept nogil
    # Take a lock if it is free. Returns whether it was.
    bint lock_try "ffgrammar_lock_try"(Lock* lock) noexcept nogil
    # Take a lock if it is free, or soon becomes free. Returns whether it was taken.
    bint lock_soon "ffgrammar_lock_soon"(Lock* lock) noexcept nogil
    # Wait until a lock is free, and take it.
    void lock_take "ffgrammar_lock_take"(Lock* lock) noexcept nogil
    # Give back a lock that this thread holds.
    void lock_leave "pthread_mutex_unlock"(Lock* lock) noexcept nogil
    # Tell the processor that this thread waits in a loop.
    void relax "ffgrammar_relax"() noexcept nogil

    # Atomic access to a word. If one thread writes a value with these functions, and another one reads this value with them, the
    # reader also sees everything that the writer had written before. `atomic_add` returns the value from before the addition.
    uint32_t atomic_add "ffgrammar_add"(uint32_t* count, uint32_t more) noexcept nogil
    uint32_t atomic_load "ffgrammar_load"(const uint32_t* word) noexcept nogil
    void atomic_put "ffgrammar_put"(uint32_t* word, uint32_t value) noexcept nogil

    # Read or write a word of 64 bits in one piece. The reader need not see what else the writer had written before.
    uint64_t atomic_load_word "ffgrammar_load_word"(const uint64_t* word) noexcept nogil
    void atomic_put_word "ffgrammar_put_word"(uint64_t* word, uint64_t value) noexcept nogil
