/* load LIBRARY: loads a profiler, as the runtime does, and calls its exports with a class id that it does not have. */
#include <dlfcn.h>
#include <stdio.h>

struct guid {
    unsigned int one;
    unsigned short two, three;
    unsigned char four[8];
};

int main(int count, char **words)
{
    if (count != 2)
        return 64;
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*class_object)(const struct guid *, const struct guid *, void **) = dlsym(library, "DllGetClassObject");
    int (*can_unload)(void) = dlsym(library, "DllCanUnloadNow");
    if (!class_object || !can_unload) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    struct guid nobody = {0x12345678, 1, 2, {3, 4, 5, 6, 7, 8, 9, 10}};
    struct guid factory = {1, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};
    void *object = &object;
    unsigned refused = (unsigned)class_object(&nobody, &factory, &object);
    int unloads = can_unload();
    printf("%08x %d %d\n", refused, object == NULL, unloads);
    return 0;
}
