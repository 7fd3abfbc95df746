/*
 * Prints what a C compiler makes of the headers. `probe_list.h` is written by the test: a line for each
 * type, field, value and GUID that the bindings have, in the order in which the test expects the answers.
 */
#include "cor.h"
#include "corerror.h"
#include "corhdr.h"
#include "corprof.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Size and alignment; C99 has no alignof, but padding tells. */
#define TYPE(name) \
    do { \
        struct padded { char before; name it; }; \
        printf("type " #name " %u %u\n", (unsigned)sizeof(name), (unsigned)offsetof(struct padded, it)); \
    } while (0);

#define ALIAS(name) printf("alias " #name " %u\n", (unsigned)sizeof(name));

#define FIELD(name, field) printf("field " #name " " #field " %u\n", (unsigned)offsetof(name, field));

/* A bit-field has no address: set all its bits, and print the memory. */
#define BITS(name, field) \
    do { \
        name it; \
        memset(&it, 0, sizeof it); \
        it.field = ~0u; \
        printf("bits " #name " " #field " "); \
        bytes(&it, sizeof it); \
    } while (0);

#define VALUE(name) printf("value " #name " %lld\n", (long long)(name));

#define IDENTIFIER(name) \
    do { \
        printf("guid " #name " "); \
        bytes(&name, sizeof name); \
    } while (0);

static void bytes(const void *start, size_t size)
{
    const unsigned char *byte = (const unsigned char *)start;
    while (size-- > 0)
        printf("%02x", *byte++);
    printf("\n");
}

int main(void)
{
#include "probe_list.h"
    return 0;
}
