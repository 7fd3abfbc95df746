// The reference: a decoder of arguments as tutorials on the profiling API write it.
//
// The signature is parsed beforehand. At each call the decoder goes through the parameters, switches over the element
// type, prints the value into a buffer of its own, and appends that to the line. For structs and objects it queries
// the runtime each time: the class of the object, its layout, and name and signature of each field.
//
// Hash tables stand in for the runtime; they are faster than metadata queries.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

enum ElementType : uint8_t {
    BOOLEAN = 0x02, CHAR = 0x03, I1 = 0x04, U1 = 0x05, I2 = 0x06, U2 = 0x07, I4 = 0x08, U4 = 0x09, I8 = 0x0a, U8 = 0x0b,
    R4 = 0x0c, R8 = 0x0d, STRING = 0x0e, VALUETYPE = 0x11, CLASS = 0x12, OBJECT = 0x1c, SZARRAY = 0x1d,
};

struct FieldOffset {
    uint32_t token;
    uint32_t offset;
};

struct FieldProps {
    std::string name;
    // As in metadata: 0x06, the element type, perhaps a token.
    std::vector<uint8_t> signature;
};

struct ClassProps {
    std::string name;
    uint32_t size;
    bool isArray;
    ElementType element;
    std::vector<FieldOffset> fields;
};

// The runtime: the results of ICorProfilerInfo and IMetaDataImport.
struct Runtime {
    std::unordered_map<uintptr_t, ClassProps> classes;
    std::unordered_map<uint32_t, uintptr_t> classesByToken;
    std::unordered_map<uint32_t, FieldProps> fields;

    static void GetStringLayout2(uint32_t* length, uint32_t* buffer) {
        *length = 8;
        *buffer = 12;
    }

    static uintptr_t GetClassFromObject(uintptr_t object) { return *reinterpret_cast<uintptr_t*>(object); }

    bool GetClassFromToken(uint32_t token, uintptr_t* id) const {
        auto found = classesByToken.find(token);
        if (found == classesByToken.end())
            return false;
        *id = found->second;
        return true;
    }

    // With the two-call protocol of the API: as many fields as the buffer can hold.
    bool GetClassLayout(uintptr_t id, FieldOffset* offsets, uint32_t room, uint32_t* count) const {
        auto found = classes.find(id);
        if (found == classes.end())
            return false;
        *count = static_cast<uint32_t>(found->second.fields.size());
        for (uint32_t i = 0; i < *count && i < room; i++)
            offsets[i] = found->second.fields[i];
        return true;
    }

    const char* GetClassName(uintptr_t id) const {
        auto found = classes.find(id);
        return found == classes.end() ? nullptr : found->second.name.c_str();
    }

    bool GetFieldProps(uint32_t token, const char** name, const uint8_t** signature) const {
        auto found = fields.find(token);
        if (found == fields.end())
            return false;
        *name = found->second.name.c_str();
        *signature = found->second.signature.data();
        return true;
    }

    bool IsArrayClass(uintptr_t id, ElementType* element) const {
        auto found = classes.find(id);
        if (found == classes.end() || !found->second.isArray)
            return false;
        *element = found->second.element;
        return true;
    }
};

Runtime runtime;

struct Parameter {
    std::string name;
    ElementType type;
    uint32_t token;
};

struct Method {
    std::vector<Parameter> parameters;
};

// The size of a type without fields.
uint32_t SizeOf(ElementType type) {
    switch (type) {
    case BOOLEAN: case I1: case U1: return 1;
    case CHAR: case I2: case U2: return 2;
    case I4: case U4: case R4: return 4;
    default: return 8;
    }
}

// UTF-16 to UTF-8, as WideCharToMultiByte does.
void ToUtf8(const uint16_t* units, uint32_t length, char* out, size_t room) {
    size_t at = 0;
    for (uint32_t i = 0; i < length && at + 5 < room; i++) {
        uint32_t c = units[i];
        if (c >= 0xd800 && c < 0xdc00 && i + 1 < length) {
            c = 0x10000 + ((c - 0xd800) << 10) + (units[++i] - 0xdc00u);
            out[at++] = static_cast<char>(0xf0 | c >> 18);
            out[at++] = static_cast<char>(0x80 | (c >> 12 & 0x3f));
            out[at++] = static_cast<char>(0x80 | (c >> 6 & 0x3f));
            out[at++] = static_cast<char>(0x80 | (c & 0x3f));
        } else if (c >= 0x800) {
            out[at++] = static_cast<char>(0xe0 | c >> 12);
            out[at++] = static_cast<char>(0x80 | (c >> 6 & 0x3f));
            out[at++] = static_cast<char>(0x80 | (c & 0x3f));
        } else if (c >= 0x80) {
            out[at++] = static_cast<char>(0xc0 | c >> 6);
            out[at++] = static_cast<char>(0x80 | (c & 0x3f));
        } else {
            out[at++] = static_cast<char>(c);
        }
    }
    out[at] = '\0';
}

void GetObjectValue(uintptr_t address, ElementType type, uint32_t token, char* value, size_t room);

// Appends formatted text to a buffer.
template <typename... Args> void Append(char* value, size_t room, size_t* at, const char* format, Args... args) {
    int written = snprintf(value + *at, room - *at, format, args...);
    *at += written < 0 ? 0 : static_cast<size_t>(written);
    if (*at >= room)
        *at = room - 1;
}

void GetFields(uintptr_t address, uintptr_t id, char* value, size_t room) {
    FieldOffset offsets[64];
    uint32_t count = 0;
    if (!runtime.GetClassLayout(id, offsets, 64, &count))
        return;
    size_t at = 0;
    Append(value, room, &at, "%s {", runtime.GetClassName(id));
    for (uint32_t i = 0; i < count && i < 64; i++) {
        const char* name = nullptr;
        const uint8_t* signature = nullptr;
        if (!runtime.GetFieldProps(offsets[i].token, &name, &signature))
            continue;
        char field[128];
        GetObjectValue(address + offsets[i].offset, static_cast<ElementType>(signature[1]), 0, field, sizeof field);
        Append(value, room, &at, "%s%s: %s", i == 0 ? " " : ", ", name, field);
    }
    Append(value, room, &at, "%s", " }");
}

void GetItems(uintptr_t object, uintptr_t id, ElementType element, char* value, size_t room) {
    uint32_t length = *reinterpret_cast<uint32_t*>(object + 8);
    uintptr_t data = object + 16;
    size_t at = 0;
    Append(value, room, &at, "%s (length %u) [", runtime.GetClassName(id), length);
    for (uint32_t i = 0; i < length; i++) {
        char item[128];
        GetObjectValue(data + i * SizeOf(element), element, 0, item, sizeof item);
        Append(value, room, &at, "%s%s", i == 0 ? "" : ", ", item);
    }
    Append(value, room, &at, "%s", "]");
}

void GetObjectValue(uintptr_t address, ElementType type, uint32_t token, char* value, size_t room) {
    strcpy(value, "???");
    switch (type) {
    case BOOLEAN: strcpy(value, *reinterpret_cast<bool*>(address) ? "true" : "false"); break;
    case CHAR: snprintf(value, room, "'%c'", static_cast<char>(*reinterpret_cast<uint16_t*>(address))); break;
    case I1: snprintf(value, room, "%d", *reinterpret_cast<int8_t*>(address)); break;
    case U1: snprintf(value, room, "%u", *reinterpret_cast<uint8_t*>(address)); break;
    case I2: snprintf(value, room, "%d", *reinterpret_cast<int16_t*>(address)); break;
    case U2: snprintf(value, room, "%u", *reinterpret_cast<uint16_t*>(address)); break;
    case I4: snprintf(value, room, "%d", *reinterpret_cast<int32_t*>(address)); break;
    case U4: snprintf(value, room, "%u", *reinterpret_cast<uint32_t*>(address)); break;
    case I8: snprintf(value, room, "%lld", static_cast<long long>(*reinterpret_cast<int64_t*>(address))); break;
    case U8: snprintf(value, room, "%llu", static_cast<unsigned long long>(*reinterpret_cast<uint64_t*>(address))); break;
    case R4: snprintf(value, room, "%f", static_cast<double>(*reinterpret_cast<float*>(address))); break;
    case R8: snprintf(value, room, "%g", *reinterpret_cast<double*>(address)); break;
    case STRING: {
        uintptr_t object = *reinterpret_cast<uintptr_t*>(address);
        if (object == 0) {
            strcpy(value, "null");
            break;
        }
        uint32_t lengthOffset = 0, bufferOffset = 0;
        Runtime::GetStringLayout2(&lengthOffset, &bufferOffset);
        uint32_t length = *reinterpret_cast<uint32_t*>(object + lengthOffset);
        value[0] = '"';
        ToUtf8(reinterpret_cast<const uint16_t*>(object + bufferOffset), length, value + 1, room - 2);
        strcat(value, "\"");
        break;
    }
    case VALUETYPE: {
        uintptr_t id = 0;
        if (runtime.GetClassFromToken(token, &id))
            GetFields(address, id, value, room);
        break;
    }
    case CLASS:
    case OBJECT:
    case SZARRAY: {
        uintptr_t object = *reinterpret_cast<uintptr_t*>(address);
        if (object == 0) {
            strcpy(value, "null");
            break;
        }
        uintptr_t id = Runtime::GetClassFromObject(object);
        ElementType element;
        if (runtime.IsArrayClass(id, &element))
            GetItems(object, id, element, value, room);
        else
            GetFields(object, id, value, room);
        break;
    }
    default: snprintf(value, room, "unknown type 0x%x", type); break;
    }
}

uint64_t allocations;

} // namespace

void* operator new(size_t size) {
    allocations++;
    void* memory = malloc(size);
    if (memory == nullptr)
        abort();
    return memory;
}

void operator delete(void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t) noexcept { free(memory); }

extern "C" {

struct Range {
    uintptr_t address;
    size_t length;
};

void baseline_class(uintptr_t id, uint32_t token, const char* name, uint32_t size, uint8_t element) {
    runtime.classes[id] = {name, size, element != 0, static_cast<ElementType>(element), {}};
    if (token != 0)
        runtime.classesByToken[token] = id;
}

void baseline_field(uintptr_t id, uint32_t token, const char* name, uint32_t offset, uint8_t type) {
    runtime.classes[id].fields.push_back({token, offset});
    runtime.fields[token] = {name, {0x06, type}};
}

Method* baseline_method() { return new Method; }

void baseline_parameter(Method* method, const char* name, uint8_t type, uint32_t token) {
    method->parameters.push_back({name, static_cast<ElementType>(type), token});
}

// Writes the arguments of a call, and returns how many characters that are.
size_t baseline_decode(const Method* method, const Range* ranges, char* line, size_t room) {
    size_t at = 0;
    for (size_t i = 0; i < method->parameters.size(); i++) {
        const Parameter& parameter = method->parameters[i];
        char value[1024];
        GetObjectValue(ranges[i].address, parameter.type, parameter.token, value, sizeof value);
        Append(line, room, &at, "%s%s: %s", i == 0 ? "" : ", ", parameter.name.c_str(), value);
    }
    return at;
}

uint64_t baseline_allocations() { return allocations; }

} // extern "C"
