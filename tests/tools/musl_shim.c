/* Symbols of glibc that Debian's libstdc++ and libgcc_s need and musl does not have. Built with musl's headers as
   `ld-linux-x86-64.so.2`: that is the one library they need whose name musl's loader does not reserve for itself. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

/* Never "single threaded": counts of references stay atomic. */
char __libc_single_threaded = 0;

/* No features are found: the portable code is used. */
struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

int __cpu_indicator_init(void)
{
    return 0;
}

int __res_init(void)
{
    return 0;
}

const char *gnu_get_libc_version(void)
{
    return "2.36";
}

uint32_t arc4random(void)
{
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        abort();
    return number;
}

size_t __strftime_l(char *text, size_t size, const char *format, const struct tm *time, locale_t locale)
{
    return strftime_l(text, size, format, time, locale);
}

/* Destructors of a thread's variables: the last one registered runs first, when the thread ends. */
struct destructor {
    void (*run)(void *);
    void *object;
    struct destructor *next;
};

static pthread_key_t destructors;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void run_all(void *first)
{
    for (struct destructor *each = first; each;) {
        struct destructor *next = each->next;
        each->run(each->object);
        free(each);
        each = next;
    }
}

static void make_key(void)
{
    if (pthread_key_create(&destructors, run_all))
        abort();
}

int __cxa_thread_atexit_impl(void (*run)(void *), void *object, void *library)
{
    (void)library;
    pthread_once(&made, make_key);
    struct destructor *added = malloc(sizeof *added);
    if (!added)
        return -1;
    added->run = run;
    added->object = object;
    added->next = pthread_getspecific(destructors);
    return pthread_setspecific(destructors, added);
}

/* What libgcc_s asks for the unwind tables of an address: the layout is that of glibc's <dlfcn.h>. */
struct dl_find_object {
    unsigned long long flags;
    void *begin, *end;
    struct link_map *map;
    void *unwind;
    unsigned long long reserved[7];
};

struct query {
    uintptr_t address;
    struct dl_find_object *answer;
    int found;
};

static int is_in(struct dl_phdr_info *library, size_t size, void *data)
{
    (void)size;
    struct query *query = data;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    void *unwind = NULL;
    int contains = 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t at = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME)
            unwind = (void *)at;
        if (part->p_type != PT_LOAD)
            continue;
        begin = at < begin ? at : begin;
        end = at + part->p_memsz > end ? at + part->p_memsz : end;
        contains |= query->address >= at && query->address - at < part->p_memsz;
    }
    if (!contains || !unwind)
        return 0;
    *query->answer = (struct dl_find_object){.begin = (void *)begin, .end = (void *)end, .unwind = unwind};
    query->found = 1;
    return 1;
}

int _dl_find_object(void *address, struct dl_find_object *answer)
{
    struct query query = {(uintptr_t)address, answer, 0};
    dl_iterate_phdr(is_in, &query);
    return query.found ? 0 : -1;
}
