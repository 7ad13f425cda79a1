/*
 * What comes before what by the kernel's own rules, for the thread sanitizer: a lock given back comes before the next one that takes it, a
 * DPC queued before its run, and so on. Everything else of two fibers is unordered, though here it runs one after the other.
 */
#ifndef ORDER_H
#define ORDER_H

#ifdef THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define COMES_BEFORE(object) __tsan_release((void *)(object))
#define COMES_BEHIND(object) __tsan_acquire((void *)(object))
#else
#define COMES_BEFORE(object) ((void)(object))
#define COMES_BEHIND(object) ((void)(object))
#endif

#endif
