// A minimal profiler, as the reference for the cost of hooks: no library, no safety, and names in one way only.
// `cargo xtask bench hooks` compiles it with `cc`. Linux, x86-64.
//
// HOOKS_BENCH_WAY selects the hooks:
//
//   empty          fast-path hooks that return at once: no register is touched
//   called         fast-path hooks that save the registers and call an empty C function
//   counted        the same, and the function counts the thread's calls
//   named          as counted, and before a method is compiled, its name and that of its type are looked up
//   captured       as counted, and the function writes two integers, the time, and the result to the thread's ring
//   timed          the same, and the time of the result as well
//   info-counted   slow-path hooks that count the thread's calls
//   info-captured  slow-path hooks that query the runtime for arguments and result, and write them to the ring
//   info-timed     the same, and the time of the result as well
//
// At the end it prints the number of calls on standard error, if its hooks count.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

typedef int32_t HRESULT;
typedef struct { uint32_t a; uint16_t b, c; uint8_t d[8]; } Guid;
typedef HRESULT (*Method)();
typedef struct { const Method *methods; } Object;

enum { S_OK = 0, E_POINTER = (HRESULT)0x80004003, E_NOINTERFACE = (HRESULT)0x80004002, E_FAIL = (HRESULT)0x80004005 };

// The indices of methods in the vtable of ICorProfilerInfo3.
enum {
    RELEASE = 2, GET_FUNCTION_INFO = 15, SET_EVENT_MASK = 16, GET_TOKEN_AND_METADATA = 19, GET_MODULE_INFO = 20, SET_FUNCTION_ID_MAPPER_2 = 59,
    SET_HOOKS_3 = 61, SET_HOOKS_3_WITH_INFO = 62, GET_ENTER_3_INFO = 63, GET_LEAVE_3_INFO = 64
};
// The indices of methods in the vtable of IMetaDataImport.
enum { GET_TYPE_DEF_PROPS = 12, GET_METHOD_PROPS = 30 };
// The indices of callbacks in the vtable of ICorProfilerCallback2.
enum { INITIALIZE = 3, SHUTDOWN = 4, CALLBACKS = 80 };

enum {
    ENTER_LEAVE = 0x1000, DISABLE_INLINING = 0x200000, DISABLE_OPTIMIZATIONS = 0x400000, FUNCTION_ARGS = 0x2000000,
    FUNCTION_RETVAL = 0x4000000, FRAME_INFO = 0x8000000
};

static Object *info;
static int hooks_all;

// The state of a thread. All states are in a list, to be added up at the end.
enum { RING = 1 << 12 };
struct entry { uint64_t function, time, first, second; };
struct thread {
    struct thread *next;
    uint64_t enters, leaves;
    struct entry ring[RING];
};
static struct thread *threads;
static __thread struct thread *current;

static __attribute__((noinline)) struct thread *new_thread(void) {
    struct thread *thread = calloc(1, sizeof *thread);
    if (!thread) abort();
    thread->next = __atomic_load_n(&threads, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&threads, &thread->next, thread, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
    return current = thread;
}

static inline struct thread *this_thread(void) {
    struct thread *thread = current;
    return __builtin_expect(thread != NULL, 1) ? thread : new_thread();
}

static inline void note(struct thread *thread, uint64_t number, uint64_t function, uint64_t time, uint64_t first,
                        uint64_t second) {
    struct entry *entry = &thread->ring[number % RING];
    entry->function = function;
    entry->time = time;
    entry->first = first;
    entry->second = second;
}

// The registers that the stubs have saved.
struct enter_area { uint64_t integer[6]; uint64_t stack; uint64_t unused; uint8_t floats[8][16]; };
struct leave_area { uint64_t rax, rdx; uint8_t floats[2][16]; };

__attribute__((used)) static void nothing_on_enter(uint64_t function, struct enter_area *area) {
    __asm__ volatile("" : : "r"(function), "r"(area));
}
__attribute__((used)) static void nothing_on_leave(uint64_t function, struct leave_area *area) {
    __asm__ volatile("" : : "r"(function), "r"(area));
}
__attribute__((used)) static void count_enter(uint64_t function, struct enter_area *area) {
    (void)function, (void)area;
    this_thread()->enters++;
}
__attribute__((used)) static void count_leave(uint64_t function, struct leave_area *area) {
    (void)function, (void)area;
    this_thread()->leaves++;
}
__attribute__((used)) static void capture_enter(uint64_t function, struct enter_area *area) {
    struct thread *thread = this_thread();
    uint64_t number = thread->enters++ + thread->leaves;
    note(thread, number, function, __rdtsc(), (uint32_t)area->integer[0], (uint32_t)area->integer[1]);
}
__attribute__((used)) static void capture_leave(uint64_t function, struct leave_area *area) {
    struct thread *thread = this_thread();
    uint64_t number = thread->enters + thread->leaves++;
    note(thread, number, function, 0, (uint32_t)area->rax, 0);
}
__attribute__((used)) static void time_leave(uint64_t function, struct leave_area *area) {
    struct thread *thread = this_thread();
    uint64_t number = thread->enters + thread->leaves++;
    note(thread, number, function, __rdtsc(), (uint32_t)area->rax, 0);
}

__attribute__((naked)) static void empty_hook(void) { __asm__("ret"); }

// The runtime's convention for fast-path hooks: on enter the function in r14 and the caller's stack pointer in r15, and all
// registers that carry arguments are in use; on leave the function in rdi, and the registers with the result are in use.
#define ENTER_STUB(name, function)                                                                                   \
    __attribute__((naked)) static void name(void) {                                                                  \
        __asm__("push rbp\n mov rbp, rsp\n sub rsp, 192\n and rsp, -16\n"                                            \
                "mov [rsp], rdi\n mov [rsp + 8], rsi\n mov [rsp + 16], rdx\n mov [rsp + 24], rcx\n"                  \
                "mov [rsp + 32], r8\n mov [rsp + 40], r9\n mov [rsp + 48], r15\n"                                    \
                "movaps [rsp + 64], xmm0\n movaps [rsp + 80], xmm1\n movaps [rsp + 96], xmm2\n"                      \
                "movaps [rsp + 112], xmm3\n movaps [rsp + 128], xmm4\n movaps [rsp + 144], xmm5\n"                   \
                "movaps [rsp + 160], xmm6\n movaps [rsp + 176], xmm7\n"                                              \
                "mov rdi, r14\n mov rsi, rsp\n call " #function "\n"                                                 \
                "mov rdi, [rsp]\n mov rsi, [rsp + 8]\n mov rdx, [rsp + 16]\n mov rcx, [rsp + 24]\n"                  \
                "mov r8, [rsp + 32]\n mov r9, [rsp + 40]\n"                                                          \
                "movaps xmm0, [rsp + 64]\n movaps xmm1, [rsp + 80]\n movaps xmm2, [rsp + 96]\n"                      \
                "movaps xmm3, [rsp + 112]\n movaps xmm4, [rsp + 128]\n movaps xmm5, [rsp + 144]\n"                   \
                "movaps xmm6, [rsp + 160]\n movaps xmm7, [rsp + 176]\n"                                              \
                "mov rsp, rbp\n pop rbp\n ret");                                                                     \
    }
#define LEAVE_STUB(name, function)                                                                                   \
    __attribute__((naked)) static void name(void) {                                                                  \
        __asm__("push rbp\n mov rbp, rsp\n sub rsp, 48\n and rsp, -16\n"                                             \
                "mov [rsp], rax\n mov [rsp + 8], rdx\n movaps [rsp + 16], xmm0\n movaps [rsp + 32], xmm1\n"          \
                "mov rsi, rsp\n call " #function "\n"                                                                \
                "mov rax, [rsp]\n mov rdx, [rsp + 8]\n movaps xmm0, [rsp + 16]\n movaps xmm1, [rsp + 32]\n"          \
                "mov rsp, rbp\n pop rbp\n ret");                                                                     \
    }
ENTER_STUB(called_enter, nothing_on_enter)
LEAVE_STUB(called_leave, nothing_on_leave)
ENTER_STUB(counted_enter, count_enter)
LEAVE_STUB(counted_leave, count_leave)
ENTER_STUB(captured_enter, capture_enter)
LEAVE_STUB(captured_leave, capture_leave)
LEAVE_STUB(timed_leave, time_leave)

// Slow-path hooks.
static void info_count_enter(uint64_t function, uint64_t elt) { (void)function, (void)elt, this_thread()->enters++; }
static void info_count_leave(uint64_t function, uint64_t elt) { (void)function, (void)elt, this_thread()->leaves++; }

struct range { uint64_t address; uint32_t length; };
struct arguments { uint32_t count, size; struct range ranges[8]; };

static void info_capture_enter(uint64_t function, uint64_t elt) {
    struct thread *thread = this_thread();
    uint64_t number = thread->enters++ + thread->leaves, frame = 0;
    struct arguments found;
    uint32_t size = sizeof found, first = 0, second = 0;
    if (info->methods[GET_ENTER_3_INFO](info, function, elt, &frame, &size, &found) == S_OK && found.count > 0) {
        memcpy(&first, (void *)found.ranges[0].address, sizeof first);
        if (found.count > 1) memcpy(&second, (void *)found.ranges[1].address, sizeof second);
    }
    note(thread, number, function, __rdtsc(), first, second);
}
static inline uint32_t ask_result(uint64_t function, uint64_t elt) {
    struct range found = { 0, 0 };
    uint64_t frame = 0;
    uint32_t result = 0;
    if (info->methods[GET_LEAVE_3_INFO](info, function, elt, &frame, &found) == S_OK && found.length >= sizeof result)
        memcpy(&result, (void *)found.address, sizeof result);
    return result;
}
static void info_capture_leave(uint64_t function, uint64_t elt) {
    struct thread *thread = this_thread();
    uint64_t number = thread->enters + thread->leaves++;
    note(thread, number, function, 0, ask_result(function, elt), 0);
}
static void info_time_leave(uint64_t function, uint64_t elt) {
    struct thread *thread = this_thread();
    uint64_t number = thread->enters + thread->leaves++;
    note(thread, number, function, __rdtsc(), ask_result(function, elt), 0);
}

static const struct way {
    const char *name;
    int with_info;
    void *enter, *leave;
} WAYS[] = {
    { "empty", 0, empty_hook, empty_hook },
    { "called", 0, called_enter, called_leave },
    { "counted", 0, counted_enter, counted_leave },
    { "named", 0, counted_enter, counted_leave },
    { "captured", 0, captured_enter, captured_leave },
    { "timed", 0, captured_enter, timed_leave },
    { "info-counted", 1, info_count_enter, info_count_leave },
    { "info-captured", 1, info_capture_enter, info_capture_leave },
    { "info-timed", 1, info_capture_enter, info_time_leave },
};

// Whether a function is in the module Loop.dll.
static int is_of_loop(uint64_t function) {
    static const char END[] = "Loop.dll";
    uint64_t class_id, module, base, assembly;
    uint32_t token, length = 0;
    uint16_t name[1024];
    if (info->methods[GET_FUNCTION_INFO](info, function, &class_id, &module, &token) != S_OK) return 0;
    if (info->methods[GET_MODULE_INFO](info, module, &base, (uint32_t)1024, &length, name, &assembly) != S_OK) return 0;
    if (length < sizeof END) return 0;
    for (size_t i = 0; i < sizeof END; i++)
        if (name[length - sizeof END + i] != (uint16_t)END[i]) return 0;
    return 1;
}

static uint64_t map(uint64_t function, void *data, int32_t *hook) {
    (void)data;
    *hook = hooks_all || is_of_loop(function);
    return function;
}

// A method's name and that of its type.
struct named { uint64_t function; uint32_t type_length, length; uint16_t text[]; };

// Looks up the names of a method, and keeps them: the client id is their address, which the hooks do not use.
static uint64_t map_named(uint64_t function, void *data, int32_t *hook) {
    static const Guid IMPORT = { 0x7DAC8207, 0xD3AE, 0x4C75, { 0x9B, 0x67, 0x92, 0x80, 0x1A, 0x49, 0x7D, 0x44 } };
    Object *import = NULL;
    uint32_t token = 0, type = 0, length = 0, type_length = 0;
    uint16_t name[1024], type_name[1024];
    uint64_t client = map(function, data, hook);
    if (info->methods[GET_TOKEN_AND_METADATA](info, function, &IMPORT, &import, &token) != S_OK || !import) return client;
    if (import->methods[GET_METHOD_PROPS](import, token, &type, name, (uint32_t)1024, &length, NULL, NULL, NULL, NULL, NULL) == S_OK
        && import->methods[GET_TYPE_DEF_PROPS](import, type, type_name, (uint32_t)1024, &type_length, NULL, NULL) == S_OK) {
        struct named *named = malloc(sizeof *named + (length + type_length) * sizeof *name);
        if (!named) abort();
        named->function = function, named->type_length = type_length, named->length = length;
        memcpy(named->text, type_name, type_length * sizeof *name);
        memcpy(named->text + type_length, name, length * sizeof *name);
        client = (uint64_t)(uintptr_t)named;
    }
    import->methods[RELEASE](import);
    return client;
}

static HRESULT nothing(void) { return S_OK; }

static HRESULT initialize(Object *this, Object *unknown) {
    static const Guid INFO_3 = { 0xB555ED4F, 0x452A, 0x4E54, { 0x8B, 0x39, 0xB5, 0x36, 0x0B, 0xAD, 0x32, 0xA0 } };
    (void)this;
    const char *name = getenv("HOOKS_BENCH_WAY");
    hooks_all = getenv("HOOKS_BENCH_ALL") != NULL;
    if (!name || unknown->methods[0](unknown, &INFO_3, &info) != S_OK) return E_FAIL;
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        const struct way *way = &WAYS[i];
        if (strcmp(way->name, name) != 0) continue;
        uint32_t mask = ENTER_LEAVE | DISABLE_INLINING;
        // Without optimisations, as corprof requires for slow-path hooks: the same managed code for both.
        if (way->with_info) mask |= FUNCTION_ARGS | FUNCTION_RETVAL | FRAME_INFO | DISABLE_OPTIMIZATIONS;
        HRESULT result = info->methods[SET_EVENT_MASK](info, mask);
        if (result == S_OK) result = info->methods[SET_FUNCTION_ID_MAPPER_2](info, strcmp(name, "named") == 0 ? map_named : map, NULL);
        // Shows that the profiler was loaded.
        const char *started = getenv("CORPROF_STARTED_FILE");
        FILE *file = started ? fopen(started, "w") : NULL;
        if (file) fclose(file);
        int set = way->with_info ? SET_HOOKS_3_WITH_INFO : SET_HOOKS_3;
        if (result == S_OK) result = info->methods[set](info, way->enter, way->leave, way->leave);
        return result;
    }
    fprintf(stderr, "HOOKS_BENCH_WAY=%s is no way of the profiler in C\n", name);
    return E_FAIL;
}

static HRESULT shutdown(Object *this) {
    (void)this;
    uint64_t enters = 0, leaves = 0;
    for (struct thread *thread = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); thread; thread = thread->next) {
        enters += thread->enters;
        leaves += thread->leaves;
    }
    fprintf(stderr, "seen %llu %llu\n", (unsigned long long)enters, (unsigned long long)leaves);
    return S_OK;
}

// One object for everything: it lives as long as the process, so references need not be counted.
static Method callbacks[CALLBACKS];
static Object callback = { callbacks };

static HRESULT query(Object *this, const Guid *iid, void **out) {
    static const Guid CALLBACK_2 = { 0x8A8CC829, 0xCCF2, 0x49FE, { 0xBB, 0xAE, 0x0F, 0x02, 0x22, 0x28, 0x07, 0x1A } };
    if (!out) return E_POINTER;
    *out = NULL;
    if (memcmp(iid, &CALLBACK_2, sizeof *iid) != 0) return E_NOINTERFACE;
    *out = this;
    return S_OK;
}
static HRESULT one(void) { return 1; }

static HRESULT create(Object *this, void *outer, const Guid *iid, void **out) {
    (void)this, (void)outer, (void)iid;
    for (size_t i = 0; i < CALLBACKS; i++) callbacks[i] = (Method)nothing;
    callbacks[0] = (Method)query;
    callbacks[1] = callbacks[RELEASE] = (Method)one;
    callbacks[INITIALIZE] = (Method)initialize;
    callbacks[SHUTDOWN] = (Method)shutdown;
    *out = &callback;
    return S_OK;
}

static HRESULT query_factory(Object *this, const Guid *iid, void **out) {
    (void)iid;
    *out = this;
    return S_OK;
}

__attribute__((visibility("default"))) HRESULT DllGetClassObject(const Guid *clsid, const Guid *iid, void **out) {
    static const Method METHODS[] = { (Method)query_factory, (Method)one, (Method)one, (Method)create, (Method)nothing };
    static Object factory = { METHODS };
    (void)clsid, (void)iid;
    *out = &factory;
    return S_OK;
}
