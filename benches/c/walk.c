/* A plain decoder of method signatures (ECMA-335, II.23.2.1): recursive, every read checked against the end. */

#include <stddef.h>
#include <stdint.h>

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
};

enum { MAX_DEPTH = 128 };

static int walk_method(struct cursor *c, unsigned depth, uint64_t *types);

/* One, two or four bytes (II.23.2). */
static int read_number(struct cursor *c, uint32_t *value)
{
    size_t left = (size_t)(c->end - c->at);
    if (left == 0)
        return 0;
    uint8_t first = c->at[0];
    if ((first & 0x80) == 0) {
        *value = first;
        c->at += 1;
        return 1;
    }
    if ((first & 0x40) == 0) {
        if (left < 2)
            return 0;
        *value = (uint32_t)(first & 0x3F) << 8 | c->at[1];
        c->at += 2;
        return 1;
    }
    if ((first & 0x20) != 0 || left < 4)
        return 0;
    *value = (uint32_t)(first & 0x1F) << 24 | (uint32_t)c->at[1] << 16 | (uint32_t)c->at[2] << 8 | c->at[3];
    c->at += 4;
    return 1;
}

/* TypeDefOrRefOrSpecEncoded (II.23.2.8). */
static int read_token(struct cursor *c)
{
    uint32_t value;
    return read_number(c, &value) && (value & 3) != 3 && value >> 2 != 0;
}

/* One type with the modifiers before it (II.23.2.12). */
static int walk_type(struct cursor *c, unsigned depth, uint64_t *types)
{
    uint32_t number, count;
    if (depth == 0)
        return 0;
    if (c->at == c->end)
        return 0;
    *types += 1;
    switch (*c->at++) {
    case 0x01: case 0x02: case 0x03: case 0x04: case 0x05: case 0x06: case 0x07: case 0x08: case 0x09: case 0x0A:
    case 0x0B: case 0x0C: case 0x0D: case 0x0E: case 0x16: case 0x18: case 0x19: case 0x1C:
        return 1;
    case 0x11: case 0x12: /* VALUETYPE, CLASS */
        return read_token(c);
    case 0x13: case 0x1E: /* VAR, MVAR */
        return read_number(c, &number);
    case 0x0F: case 0x10: case 0x1D: case 0x45: /* PTR, BYREF, SZARRAY, PINNED */
        return walk_type(c, depth - 1, types);
    case 0x1F: case 0x20: /* CMOD_REQD, CMOD_OPT */
        return read_token(c) && walk_type(c, depth - 1, types);
    case 0x15: /* GENERICINST */
        if (c->at == c->end || (*c->at != 0x11 && *c->at != 0x12))
            return 0;
        c->at += 1;
        if (!read_token(c) || !read_number(c, &count) || count == 0)
            return 0;
        for (; count > 0; count--)
            if (!walk_type(c, depth - 1, types))
                return 0;
        return 1;
    case 0x14: /* ARRAY */
        if (!walk_type(c, depth - 1, types) || !read_number(c, &number))
            return 0;
        if (!read_number(c, &count))
            return 0;
        for (; count > 0; count--)
            if (!read_number(c, &number))
                return 0;
        if (!read_number(c, &count))
            return 0;
        for (; count > 0; count--)
            if (!read_number(c, &number))
                return 0;
        return 1;
    case 0x1B: /* FNPTR */
        return walk_method(c, depth - 1, types);
    default:
        return 0;
    }
}

static int walk_method(struct cursor *c, unsigned depth, uint64_t *types)
{
    uint32_t generic, params;
    if (c->at == c->end)
        return 0;
    uint8_t header = *c->at++;
    switch (header & 0x0F) {
    case 0: case 1: case 2: case 3: case 4: case 5: case 9: case 11:
        break;
    default:
        return 0;
    }
    if ((header & 0x10) != 0 && !read_number(c, &generic))
        return 0;
    if (!read_number(c, &params) || !walk_type(c, depth, types))
        return 0;
    for (; params > 0; params--) {
        if (c->at < c->end && *c->at == 0x41) /* SENTINEL */
            c->at += 1;
        if (!walk_type(c, depth, types))
            return 0;
    }
    return 1;
}

/* Walks `count` signatures that stand one behind the other, each ending at its offset. Counts the types in them, or
   gives UINT64_MAX at the first that is malformed. */
uint64_t c_walk_methods(const uint8_t *data, const uint32_t *ends, size_t count)
{
    uint64_t types = 0;
    const uint8_t *begin = data;
    for (size_t i = 0; i < count; i++) {
        struct cursor cursor = {begin, data + ends[i]};
        if (!walk_method(&cursor, MAX_DEPTH, &types))
            return UINT64_MAX;
        begin = data + ends[i];
    }
    return types;
}
