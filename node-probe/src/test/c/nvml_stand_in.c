/*
 * A library with NVML's ABI that reads no GPU: a script says what every call answers. Built by the
 * tests and loaded through the very binding that loads the driver; NVML_STAND_IN names a file with
 * a script for programs that cannot write one themselves.
 *
 * The script is entries by GPU and key. A call whose key is missing answers NOT_SUPPORTED, so a GPU
 * has what its script says and nothing else. A line of a file is "gpus COUNT", or
 *
 *   GPU KEY VALUE          what a call answers: "0 power 687125", "0 field.82 64", "0 gpm.2 55.5"
 *   GPU !CALL CODE         the code that a call answers; 0 for its value again
 *   GPU text.KEY TEXT      "0 text.name NVIDIA H100"
 *   GPU mig.I.KEY VALUE    a MIG device: instance, compute, slices, mib, ofa, total, used, reserved
 *   GPU compute_processes COUNT, GPU compute.N.pid PID, GPU compute.N.bytes BYTES
 *                          processes; also graphics and mps, and each with mig.I. before it
 *
 * A call can also be told to block until it is let go, and every answer to be damaged.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GPUS 16
#define NAME 48
#define TEXT 96
#define MIGS 8
#define EVENTS 64
#define TABLE 1024

#define NVML_SUCCESS 0
#define NVML_ERROR_UNINITIALIZED 1
#define NVML_ERROR_INVALID_ARGUMENT 2
#define NVML_ERROR_NOT_SUPPORTED 3
#define NVML_ERROR_NOT_FOUND 6
#define NVML_ERROR_INSUFFICIENT_SIZE 7
#define NVML_ERROR_TIMEOUT 10
#define NVML_ERROR_ARGUMENT_VERSION_MISMATCH 25

typedef unsigned int u32;
typedef unsigned long long u64;

typedef struct { char name[NAME]; int used, is_set; double value; long long whole; int code; char text[TEXT]; } entry;
typedef struct { int used; entry entries[TABLE]; } gpu;
typedef struct { int gpu, mig; } device;
typedef device *nvmlDevice_t;

typedef struct { u32 fieldId, scopeId; long long timestamp, latencyUsec; u32 valueType; int nvmlReturn; union { double d; u32 u; u64 ull; long long ll; } value; } nvmlFieldValue_t;
typedef struct { int serial, gpu, instance; } *nvmlGpmSample_t;
typedef struct { u32 metricId; int nvmlReturn; double value; char *names[3]; } gpm_metric;
typedef struct { u32 version, count; nvmlGpmSample_t older, newer; gpm_metric metrics[]; } nvmlGpmMetricsGet_t;
typedef struct { nvmlDevice_t device; u64 type, data; u32 instance, compute; } nvmlEventData_t;
typedef struct { u64 masks[GPUS]; } *nvmlEventSet_t;

static gpu gpus[GPUS];
static device devices[GPUS];
static device migs[GPUS][MIGS];
static u32 gpu_count;
static int initialised;
static gpu library;
static char held[NAME];
static int waiting;
static u64 damage;
static int samples;
static nvmlEventData_t events[EVENTS];
static int event_count;
static long long calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static entry *find(gpu *of, const char *name, int make) {
    u32 hash = 2166136261u;
    for (const char *c = name; *c; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    for (u32 i = 0; i < TABLE; i++) {
        entry *at = &of->entries[(hash + i) % TABLE];
        if (at->used && strcmp(at->name, name) == 0) {
            return at;
        }
        if (!at->used) {
            if (!make) {
                return NULL;
            }
            at->used = 1;
            of->used = 1;
            snprintf(at->name, NAME, "%s", name);
            return at;
        }
    }
    return NULL;
}

/* --- the script --- */

/* Begins a new script: so many GPUs, of which nothing is known. */
void stand_in_gpus(u32 count) {
    pthread_mutex_lock(&lock);
    if (initialised == 0) {
        /* A library whose file was removed is loaded again by another's inode, with what it had left. */
        samples = 0;
    }
    for (int i = 0; i < GPUS; i++) {
        if (gpus[i].used) { /* what was never written takes no memory */
            memset(&gpus[i], 0, sizeof gpus[i]);
        }
    }
    if (library.used) {
        memset(&library, 0, sizeof library);
    }
    for (int i = 0; i < GPUS; i++) {
        devices[i] = (device){i, -1};
        for (int k = 0; k < MIGS; k++) {
            migs[i][k] = (device){i, k};
        }
    }
    gpu_count = count;
    damage = 0;
    event_count = 0;
    pthread_mutex_unlock(&lock);
}

/* The number of GPUs alone: some are bound to the driver or unbound from it. */
void stand_in_count(u32 count) {
    pthread_mutex_lock(&lock);
    gpu_count = count;
    pthread_mutex_unlock(&lock);
}

void stand_in_set(u32 index, const char *key, double value) {
    pthread_mutex_lock(&lock);
    entry *at = find(&gpus[index], key, 1);
    at->value = value;
    at->whole = (long long)value;
    at->is_set = 1;
    pthread_mutex_unlock(&lock);
}

/* A whole number of 64 bits, which a double could not hold. */
void stand_in_set_whole(u32 index, const char *key, long long value) {
    stand_in_set(index, key, (double)value);
    pthread_mutex_lock(&lock);
    find(&gpus[index], key, 1)->whole = value;
    pthread_mutex_unlock(&lock);
}

void stand_in_text(u32 index, const char *key, const char *value) {
    pthread_mutex_lock(&lock);
    snprintf(find(&gpus[index], key, 1)->text, TEXT, "%s", value);
    pthread_mutex_unlock(&lock);
}

/* Takes a key out of the script. */
void stand_in_remove(u32 index, const char *key) {
    pthread_mutex_lock(&lock);
    entry *at = find(&gpus[index], key, 0);
    if (at != NULL) {
        at->is_set = 0;
    }
    pthread_mutex_unlock(&lock);
}

/* Makes a call of one GPU answer a code; 0 lets it answer readings again. */
void stand_in_answer(u32 index, const char *call, int code) {
    char key[NAME];
    snprintf(key, NAME, "!%s", call);
    pthread_mutex_lock(&lock);
    find(&gpus[index], key, 1)->code = code;
    pthread_mutex_unlock(&lock);
}

/* The same for a call of the library as a whole. */
void stand_in_library_answer(const char *call, int code) {
    pthread_mutex_lock(&lock);
    find(&library, call, 1)->code = code;
    pthread_mutex_unlock(&lock);
}

/* Makes the next call of this name block; "" lets it go. */
void stand_in_hold(const char *call) {
    pthread_mutex_lock(&lock);
    snprintf(held, NAME, "%s", call);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* From now on about half of all answers are damaged, in an order that the seed decides. */
void stand_in_damage(long long seed) {
    pthread_mutex_lock(&lock);
    damage = (u64)seed;
    pthread_mutex_unlock(&lock);
}

void stand_in_event(u32 index, long long type, long long data) {
    pthread_mutex_lock(&lock);
    if (event_count < EVENTS) {
        events[event_count++] = (nvmlEventData_t){&devices[index], (u64)type, (u64)data, ~0u, ~0u};
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Reads a script from a file, line by line. */
void stand_in_load(const char *path) {
    FILE *in = fopen(path, "r");
    char line[256], key[NAME], value[TEXT];
    u32 index;
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (sscanf(line, "gpus %u", &index) == 1) {
            stand_in_gpus(index);
        } else if (sscanf(line, "%u %47s %95[^\n]", &index, key, value) == 3 && index < GPUS) {
            if (strncmp(key, "text.", 5) == 0) {
                stand_in_text(index, key, value);
            } else if (key[0] == '!') {
                stand_in_answer(index, key + 1, atoi(value));
            } else {
                stand_in_set(index, key, atof(value));
                if (strpbrk(value, ".eE") == NULL) {
                    stand_in_set_whole(index, key, atoll(value));
                }
            }
        }
    }
    if (in != NULL) {
        fclose(in);
    }
}

static long long locked(const void *value, size_t size) {
    long long copy = 0;
    pthread_mutex_lock(&lock);
    memcpy(&copy, value, size);
    pthread_mutex_unlock(&lock);
    return copy;
}

/* How many calls are blocked. */
int stand_in_waiting(void) { return (int)locked(&waiting, sizeof waiting); }

/* How often the library is initialised and not shut down. */
int stand_in_initialised(void) { return (int)locked(&initialised, sizeof initialised); }

/* Profiling samples that are allocated. */
int stand_in_samples(void) { return (int)locked(&samples, sizeof samples); }

/* Calls that were made. */
long long stand_in_calls(void) { return locked(&calls, sizeof calls); }

/* --- what every call does first; returns with the lock held --- */

static u64 chance(void) {
    damage ^= damage << 13;
    damage ^= damage >> 7;
    damage ^= damage << 17;
    return damage;
}

static int library_enter(const char *call) {
    pthread_mutex_lock(&lock);
    calls++;
    while (held[0] != 0 && strcmp(held, call) == 0) {
        waiting++;
        pthread_cond_wait(&changed, &lock);
        waiting--;
    }
    entry *code = find(&library, call, 0);
    return code == NULL ? NVML_SUCCESS : code->code;
}

static int is_device(nvmlDevice_t of) {
    return (of >= devices && of < devices + gpu_count)
        || (of >= &migs[0][0] && of < &migs[0][0] + GPUS * MIGS && (u32)of->gpu < gpu_count);
}

static int enter(nvmlDevice_t of, const char *call) {
    char key[NAME];
    int code = library_enter(call);
    if (code != NVML_SUCCESS) {
        return code;
    }
    if (initialised == 0) {
        return NVML_ERROR_UNINITIALIZED;
    }
    if (!is_device(of)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    snprintf(key, NAME, "!%s", call);
    entry *scripted = find(&gpus[of->gpu], key, 0);
    return scripted == NULL ? NVML_SUCCESS : scripted->code;
}

/* Ends a call that wrote so many bytes; damages what it wrote where that is wanted. */
static int leave(int code, void *out, size_t size) {
    if (damage != 0 && code == NVML_SUCCESS && out != NULL) {
        u64 what = chance();
        unsigned char *bytes = out;
        switch (what % 16) {
            case 0: memset(bytes, 0xff, size); break;
            case 1: bytes[chance() % size] ^= (unsigned char)(1u << chance() % 8); break;
            case 2: for (size_t i = 0; i < size; i++) { bytes[i] = (unsigned char)chance(); } break;
            case 3: memset(bytes + chance() % size, 0x7f, 1); break;
            case 4: memset(bytes, 0, size); break;
            case 5: memset(bytes + size / 2, 0xff, size - size / 2); break;
            case 6: code = (int)(chance() % 31); break;
            case 7: code = 999; break;
            default: break;
        }
        /* These would end a GPU or the library, which other tests are about. */
        if (code == 1 || code == 9 || code == 15 || code == 18) {
            code = NVML_ERROR_NOT_FOUND;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static entry *scripted(nvmlDevice_t of, const char *key) {
    char name[NAME];
    if (of->mig >= 0) {
        snprintf(name, NAME, "mig.%d.%s", of->mig, key);
        key = name;
    }
    entry *at = find(&gpus[of->gpu], key, 0);
    return at == NULL || !at->is_set ? NULL : at;
}

static int has(nvmlDevice_t of, const char *key) { return scripted(of, key) != NULL; }

static long long whole(nvmlDevice_t of, const char *key) {
    entry *at = scripted(of, key);
    return at == NULL ? 0 : at->whole;
}

static int one32(nvmlDevice_t of, const char *call, const char *key, u32 *out) {
    int code = enter(of, call);
    if (code == NVML_SUCCESS && !has(of, key)) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        *out = (u32)whole(of, key);
    }
    return leave(code, out, sizeof *out);
}

static int two32(nvmlDevice_t of, const char *call, const char *first, const char *second, u32 *a, u32 *b) {
    int code = enter(of, call);
    if (code == NVML_SUCCESS && !has(of, first)) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        *a = (u32)whole(of, first);
        *b = (u32)whole(of, second);
    }
    return leave(code, a, sizeof *a);
}

static int one64(nvmlDevice_t of, const char *call, const char *key, u64 *out) {
    int code = enter(of, call);
    if (code == NVML_SUCCESS && !has(of, key)) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        *out = (u64)whole(of, key);
    }
    return leave(code, out, sizeof *out);
}

/* --- NVML: the library --- */

int nvmlInit_v2(void) {
    const char *file = getenv("NVML_STAND_IN");
    int code = library_enter("init");
    int first = initialised == 0 && file != NULL;
    initialised += code == NVML_SUCCESS;
    code = leave(code, NULL, 0);
    if (first) {
        stand_in_load(file);
    }
    return code;
}

int nvmlShutdown(void) {
    int code = library_enter("shutdown");
    initialised -= initialised > 0;
    return leave(code, NULL, 0);
}

static int library_text(const char *call, const char *value, char *out, u32 length) {
    int code = library_enter(call);
    if (code == NVML_SUCCESS) {
        snprintf(out, length, "%s", value);
    }
    return leave(code, out, length);
}

int nvmlSystemGetDriverVersion(char *out, u32 length) { return library_text("driver_version", "590.48.01", out, length); }
int nvmlSystemGetNVMLVersion(char *out, u32 length) { return library_text("nvml_version", "13.590.48.01", out, length); }

int nvmlSystemGetCudaDriverVersion(int *version) {
    int code = library_enter("cuda_version");
    *version = 13010;
    return leave(code, version, sizeof *version);
}

int nvmlDeviceGetCount_v2(u32 *count) {
    int code = library_enter("count");
    *count = gpu_count;
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlDeviceGetHandleByIndex_v2(u32 index, nvmlDevice_t *out) {
    int code = enter(&devices[index < GPUS ? index : 0], "handle");
    if (code == NVML_SUCCESS) {
        *out = &devices[index];
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* --- NVML: texts --- */

static int text(nvmlDevice_t of, const char *call, const char *key, const char *format, char *out, u32 length) {
    int code = enter(of, call);
    if (code == NVML_SUCCESS) {
        entry *at = find(&gpus[of->gpu], key, 0);
        int needed = at != NULL ? snprintf(out, length, "%s", at->text) : snprintf(out, length, format, of->gpu);
        code = needed < 0 || (u32)needed >= length ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
    }
    return leave(code, out, length);
}

int nvmlDeviceGetUUID(nvmlDevice_t of, char *out, u32 length) {
    char format[64];
    if (of->mig < 0) {
        return text(of, "uuid", "text.uuid", "GPU-%08x-1111-2222-3333-444444444444", out, length);
    }
    snprintf(format, sizeof format, "MIG-%%08x-%04x-5555-6666-777777777777", (unsigned)of->mig & 0xffff);
    return text(of, "mig_uuid", "text.mig_uuid", format, out, length);
}
int nvmlDeviceGetName(nvmlDevice_t of, char *out, u32 length) { return text(of, "name", "text.name", "Stand-in %d", out, length); }
int nvmlDeviceGetSerial(nvmlDevice_t of, char *out, u32 length) { return text(of, "serial", "text.serial", "165032300%d", out, length); }
int nvmlDeviceGetVbiosVersion(nvmlDevice_t of, char *out, u32 length) { return text(of, "vbios", "text.vbios", "96.00.99.00.0%d", out, length); }
int nvmlDeviceGetBoardPartNumber(nvmlDevice_t of, char *out, u32 length) { return text(of, "part_number", "text.part", "900-2G520-0000-00%d", out, length); }

int nvmlDeviceGetArchitecture(nvmlDevice_t of, u32 *out) { return one32(of, "architecture", "architecture", out); }

typedef struct { char legacy[16]; u32 domain, bus, device, id, subsystem; char text[32]; } nvmlPciInfo_t;

int nvmlDeviceGetPciInfo_v3(nvmlDevice_t of, nvmlPciInfo_t *pci) {
    int code = enter(of, "pci");
    if (code == NVML_SUCCESS) {
        memset(pci, 0, sizeof *pci);
        pci->bus = 0x3b + (u32)of->gpu;
        snprintf(pci->text, sizeof pci->text, "%08X:%02X:00.0", 0u, pci->bus);
        snprintf(pci->legacy, sizeof pci->legacy, "0000:%02X:00.0", pci->bus);
    }
    return leave(code, pci, sizeof *pci);
}

/* --- NVML: readings --- */

typedef struct { u32 gpu, memory; } nvmlUtilization_t;

int nvmlDeviceGetUtilizationRates(nvmlDevice_t of, nvmlUtilization_t *out) {
    int code = enter(of, "utilization");
    if (code == NVML_SUCCESS && !has(of, "gpu_percent")) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        out->gpu = (u32)whole(of, "gpu_percent");
        out->memory = (u32)whole(of, "memory_percent");
    }
    return leave(code, out, sizeof *out);
}

int nvmlDeviceGetEncoderUtilization(nvmlDevice_t of, u32 *a, u32 *b) { return two32(of, "encoder", "encoder_percent", "period", a, b); }
int nvmlDeviceGetDecoderUtilization(nvmlDevice_t of, u32 *a, u32 *b) { return two32(of, "decoder", "decoder_percent", "period", a, b); }

typedef struct { u64 total, free, used; } nvmlMemory_t;
typedef struct { u32 version; u64 total, reserved, free, used; } nvmlMemory_v2_t;

int nvmlDeviceGetMemoryInfo(nvmlDevice_t of, nvmlMemory_t *out) {
    int code = enter(of, "memory");
    if (code == NVML_SUCCESS && !has(of, "total")) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        out->total = (u64)whole(of, "total");
        out->used = (u64)(whole(of, "used") + whole(of, "reserved"));
        out->free = out->total - out->used;
    }
    return leave(code, out, sizeof *out);
}

int nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t of, nvmlMemory_t *out) {
    int code = enter(of, "bar1");
    if (code == NVML_SUCCESS && !has(of, "bar1_total")) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        out->total = (u64)whole(of, "bar1_total");
        out->used = (u64)whole(of, "bar1_used");
        out->free = out->total - out->used;
    }
    return leave(code, out, sizeof *out);
}

int nvmlDeviceGetPowerUsage(nvmlDevice_t of, u32 *out) { return one32(of, "power", "power", out); }
int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t of, u32 *out) { return one32(of, "power_limit_enforced", "limit_enforced", out); }
int nvmlDeviceGetPowerManagementLimit(nvmlDevice_t of, u32 *out) { return one32(of, "power_limit", "limit", out); }
int nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t of, u32 *out) { return one32(of, "power_limit_default", "limit_default", out); }
int nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t of, u32 *a, u32 *b) { return two32(of, "power_limit_range", "limit_min", "limit_max", a, b); }

/* Left out where a driver is wanted that lacks just this. */
#ifndef WITHOUT_ENERGY
int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t of, u64 *out) { return one64(of, "energy", "energy", out); }
#endif

int nvmlDeviceGetTemperature(nvmlDevice_t of, int sensor, u32 *out) {
    return sensor != 0 ? NVML_ERROR_INVALID_ARGUMENT : one32(of, "temperature", "celsius", out);
}

static int numbered(nvmlDevice_t of, const char *call, const char *key, int number, u32 *out) {
    char name[NAME];
    snprintf(name, NAME, "%s.%d", key, number);
    return one32(of, call, name, out);
}

int nvmlDeviceGetTemperatureThreshold(nvmlDevice_t of, int type, u32 *out) { return numbered(of, "threshold", "threshold", type, out); }
int nvmlDeviceGetClockInfo(nvmlDevice_t of, int type, u32 *out) { return numbered(of, "clock", "clock", type, out); }
int nvmlDeviceGetMaxClockInfo(nvmlDevice_t of, int type, u32 *out) { return numbered(of, "max_clock", "max_clock", type, out); }
int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t of, u64 *out) { return one64(of, "throttle_reasons", "reasons", out); }
int nvmlDeviceGetPerformanceState(nvmlDevice_t of, u32 *out) { return one32(of, "pstate", "pstate", out); }
int nvmlDeviceGetFanSpeed(nvmlDevice_t of, u32 *out) { return one32(of, "fan", "fan", out); }
int nvmlDeviceGetPcieReplayCounter(nvmlDevice_t of, u32 *out) { return one32(of, "pcie_replays", "replays", out); }
int nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t of, u32 *out) { return one32(of, "pcie_generation", "generation", out); }
int nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t of, u32 *out) { return one32(of, "pcie_width", "width", out); }
int nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t of, u32 *out) { return one32(of, "pcie_max_generation", "max_generation", out); }
int nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t of, u32 *out) { return one32(of, "pcie_max_width", "max_width", out); }

/* The index, unless the script has another number. */
int nvmlDeviceGetMinorNumber(nvmlDevice_t of, u32 *out) {
    int code = enter(of, "minor");
    if (code == NVML_SUCCESS) {
        *out = has(of, "minor") ? (u32)whole(of, "minor") : (u32)of->gpu;
    }
    return leave(code, out, sizeof *out);
}

int nvmlDeviceGetPersistenceMode(nvmlDevice_t of, u32 *out) { return one32(of, "persistence", "persistence", out); }
int nvmlDeviceGetEccMode(nvmlDevice_t of, u32 *a, u32 *b) { return two32(of, "ecc_mode", "ecc", "ecc_pending", a, b); }

int nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t of, int error, int counter, int location, u64 *out) {
    char name[NAME];
    snprintf(name, NAME, "ecc.%d.%d.%d", error, counter, location);
    return one64(of, "ecc_memory", name, out);
}

typedef struct { u32 banks[5]; } nvmlRowRemapperHistogramValues_t;

int nvmlDeviceGetRowRemapperHistogram(nvmlDevice_t of, nvmlRowRemapperHistogramValues_t *out) {
    int code = enter(of, "row_remap_banks");
    if (code == NVML_SUCCESS && !has(of, "banks.0")) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    for (int i = 0; i < 5 && code == NVML_SUCCESS; i++) {
        char name[NAME];
        snprintf(name, NAME, "banks.%d", i);
        out->banks[i] = (u32)whole(of, name);
    }
    return leave(code, out, sizeof *out);
}

/*
 * KIND_processes says how many there are, KIND.N.pid and so on what is known of each. Entries have
 * 24 bytes; with process_stride 32 as many as some drivers write.
 */
static int processes(nvmlDevice_t of, const char *call, const char *kind, u32 *count, unsigned char *out) {
    char key[NAME];
    int code = enter(of, call);
    snprintf(key, NAME, "%s_processes", kind);
    if (code == NVML_SUCCESS && !has(of, key)) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    u32 stride = 24;
    if (code == NVML_SUCCESS) {
        u32 room = *count, there = (u32)whole(of, key);
        entry *wide = find(&gpus[of->gpu], "process_stride", 0);
        stride = wide != NULL && wide->is_set ? (u32)wide->whole : 24;
        *count = there;
        code = there > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
        for (u32 i = 0; i < there && code == NVML_SUCCESS; i++) {
            u32 words[4];
            u64 bytes;
            const char *names[] = {"pid", "gi", "ci"};
            for (int k = 0; k < 3; k++) {
                snprintf(key, NAME, "%s.%u.%s", kind, i, names[k]);
                words[k] = has(of, key) ? (u32)whole(of, key) : k == 0 ? 3000000 + i : ~0u;
            }
            snprintf(key, NAME, "%s.%u.bytes", kind, i);
            bytes = has(of, key) ? (u64)whole(of, key) : ~0ull;
            memset(out + stride * i, 0xff, stride);
            memcpy(out + stride * i, &words[0], 4);
            memcpy(out + stride * i + 8, &bytes, 8);
            memcpy(out + stride * i + 16, &words[1], 4);
            memcpy(out + stride * i + 20, &words[2], 4);
        }
    }
    if (damage != 0 && code == NVML_SUCCESS && *count > 0) {
        for (u32 i = 0; i < *count; i++) {
            u64 what = chance();
            if (what % 4 == 0) {
                out[chance() % (stride * *count)] = (unsigned char)chance();
            } else if (what % 16 == 1) {
                memset(out + stride * i, what % 32 == 1 ? 0xff : 0, stride);
            }
        }
    }
    return leave(code, count, sizeof *count);
}

int nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t of, u32 *count, void *out) { return processes(of, "compute_processes_v2", "compute", count, out); }
int nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t of, u32 *count, void *out) { return processes(of, "graphics_processes_v2", "graphics", count, out); }
int nvmlDeviceGetMPSComputeRunningProcesses_v2(nvmlDevice_t of, u32 *count, void *out) { return processes(of, "mps_processes_v2", "mps", count, out); }
#ifndef BEFORE_R510
int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t of, u32 *count, void *out) { return processes(of, "compute_processes", "compute", count, out); }
int nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t of, u32 *count, void *out) { return processes(of, "graphics_processes", "graphics", count, out); }
int nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t of, u32 *count, void *out) { return processes(of, "mps_processes", "mps", count, out); }
#endif

#ifdef EARLY_R535
int nvmlDeviceGetConfComputeMemSizeInfo(nvmlDevice_t of, u64 *out) {
    int code = enter(of, "protected_memory");
    return leave(code == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : code, out, 16);
}
#endif

typedef struct { u32 pid; u64 time; u32 sm, memory, encoder, decoder; } nvmlProcessUtilizationSample_t;

/* used_processes says how many there are; used.N.pid, used.N.sm and used.N.time what each is; without a time it is new. */
int nvmlDeviceGetProcessUtilization(nvmlDevice_t of, nvmlProcessUtilizationSample_t *out, u32 *count, u64 after) {
    int code = enter(of, "process_utilization");
    if (code == NVML_SUCCESS && (of->mig >= 0 || !has(of, "used_processes"))) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        char key[NAME];
        u32 room = *count, there = (u32)whole(of, "used_processes"), told = 0;
        code = there > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
        for (u32 i = 0; i < there && code == NVML_SUCCESS; i++) {
            nvmlProcessUtilizationSample_t one = {0};
            snprintf(key, NAME, "used.%u.pid", i);
            one.pid = (u32)whole(of, key);
            snprintf(key, NAME, "used.%u.sm", i);
            one.sm = (u32)whole(of, key);
            snprintf(key, NAME, "used.%u.time", i);
            one.time = has(of, key) ? (u64)whole(of, key) : (u64)calls;
            if (one.time > after) {
                out[told++] = one;
            }
        }
        *count = code == NVML_SUCCESS ? told : there;
        if (code == NVML_SUCCESS && told == 0) {
            code = NVML_ERROR_NOT_FOUND;
        }
    }
    return leave(code, count, sizeof *count);
}

/* field.ID or, for a link, field.ID.SCOPE; type.ID is the type of the value, 3 (u64) by default. */
int nvmlDeviceGetFieldValues(nvmlDevice_t of, int count, nvmlFieldValue_t *values) {
    int code = enter(of, "fields");
    for (int i = 0; i < count && code == NVML_SUCCESS; i++) {
        nvmlFieldValue_t *value = &values[i];
        char name[NAME], type[NAME], answer[NAME];
        int plain = value->scopeId == 0;
        snprintf(name, NAME, plain ? "field.%u" : "field.%u.%d", value->fieldId, (int)value->scopeId);
        snprintf(type, NAME, "type.%u", value->fieldId);
        snprintf(answer, NAME, "!field.%u", value->fieldId);
        entry *at = scripted(of, name);
        entry *own = find(&gpus[of->gpu], answer, 0);
        value->timestamp = 0;
        value->latencyUsec = 7;
        value->valueType = has(of, type) ? (u32)whole(of, type) : 3;
        value->nvmlReturn = own != NULL && own->code != 0 ? own->code : at == NULL ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
        if (value->nvmlReturn == NVML_SUCCESS) {
            value->value.ull = (u64)at->whole;
            if (value->valueType == 0) {
                value->value.d = at->value;
            } else if (value->valueType == 1 || value->valueType == 5) {
                value->value.ull = (u32)at->whole;
            }
        }
        if (damage != 0) {
            u64 what = chance();
            if (what % 4 == 0) {
                value->value.ull = what % 8 == 0 ? ~0ull : chance();
            } else if (what % 16 == 1) {
                value->valueType = (u32)(chance() % 9);
            } else if (what % 16 == 2) {
                value->nvmlReturn = NVML_ERROR_TIMEOUT;
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* --- NVML: MIG --- */

int nvmlDeviceGetMigMode(nvmlDevice_t of, u32 *a, u32 *b) { return two32(of, "mig_mode", "mig", "mig_pending", a, b); }

int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t of, u32 *out) {
    int code = enter(of, "mig_count");
    *out = MIGS - 1;
    return leave(code, out, sizeof *out);
}

int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t of, u32 index, nvmlDevice_t *out) {
    int code = enter(of, "mig_handle");
    if (code == NVML_SUCCESS && (index >= MIGS || !has(&migs[of->gpu][index], "instance"))) {
        code = NVML_ERROR_NOT_FOUND;
    }
    if (code == NVML_SUCCESS) {
        *out = &migs[of->gpu][index];
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlDeviceGetGpuInstanceId(nvmlDevice_t of, u32 *out) { return one32(of, "gpu_instance", "instance", out); }
int nvmlDeviceGetComputeInstanceId(nvmlDevice_t of, u32 *out) { return one32(of, "compute_instance", "compute", out); }

typedef struct { u32 sms, copy, decoders, encoders, jpeg, ofa, slices, compute_slices; u64 mib; } nvmlDeviceAttributes_t;

int nvmlDeviceGetAttributes_v2(nvmlDevice_t of, nvmlDeviceAttributes_t *out) {
    int code = enter(of, "attributes");
    if (code == NVML_SUCCESS) {
        memset(out, 0, sizeof *out);
        out->slices = (u32)whole(of, "slices");
        out->mib = (u64)whole(of, "mib");
        out->ofa = (u32)whole(of, "ofa");
    }
    return leave(code, out, sizeof *out);
}

/* --- NVML: what a driver of branch 470 lacks --- */

#ifndef OLD_DRIVER

int nvmlDeviceGetJpgUtilization(nvmlDevice_t of, u32 *a, u32 *b) { return two32(of, "jpg", "jpg_percent", "period", a, b); }
int nvmlDeviceGetOfaUtilization(nvmlDevice_t of, u32 *a, u32 *b) { return two32(of, "ofa", "ofa_percent", "period", a, b); }
int nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t of, u64 *out) { return one64(of, "event_reasons", "reasons", out); }

static int version(nvmlDevice_t of, const char *call, const char *key, const u32 *out, u32 wanted) {
    int code = enter(of, call);
    if (code == NVML_SUCCESS && *out != wanted) {
        code = NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    return code == NVML_SUCCESS && !has(of, key) ? NVML_ERROR_NOT_SUPPORTED : code;
}

int nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t of, nvmlMemory_v2_t *out) {
    int code = version(of, "memory_v2", "total", &out->version, sizeof *out | 2u << 24);
    if (code == NVML_SUCCESS) {
        out->total = (u64)whole(of, "total");
        out->reserved = (u64)whole(of, "reserved");
        out->used = (u64)whole(of, "used");
        out->free = out->total - out->reserved - out->used;
    }
    return leave(code, out, sizeof *out);
}

typedef struct { u32 version; int sensor, celsius; } nvmlTemperature_t;

int nvmlDeviceGetTemperatureV(nvmlDevice_t of, nvmlTemperature_t *out) {
    int code = version(of, "temperature_v", "celsius", &out->version, sizeof *out | 1u << 24);
    if (code == NVML_SUCCESS) {
        out->celsius = (int)whole(of, "celsius");
    }
    return leave(code, out, sizeof *out);
}

typedef struct { u32 version; int celsius; } nvmlMarginTemperature_t;

int nvmlDeviceGetMarginTemperature(nvmlDevice_t of, nvmlMarginTemperature_t *out) {
    int code = version(of, "margin", "margin", &out->version, sizeof *out | 1u << 24);
    if (code == NVML_SUCCESS) {
        out->celsius = (int)whole(of, "margin");
    }
    return leave(code, out, sizeof *out);
}

typedef struct { u32 version; u64 counts[11]; u32 exceeded; } nvmlEccSramErrorStatus_t;

int nvmlDeviceGetSramEccErrorStatus(nvmlDevice_t of, nvmlEccSramErrorStatus_t *out) {
    int code = version(of, "ecc_sram", "sram_exceeded", &out->version, sizeof *out | 1u << 24);
    if (code == NVML_SUCCESS) {
        out->exceeded = (u32)whole(of, "sram_exceeded");
    }
    return leave(code, out, sizeof *out);
}

static void fabric(nvmlDevice_t of, unsigned char *cluster, int *status, u32 *clique, unsigned char *state) {
    u64 halves[] = {(u64)whole(of, "fabric_cluster.0"), (u64)whole(of, "fabric_cluster.1")};
    for (int i = 0; i < 16; i++) {
        cluster[i] = (unsigned char)(halves[i / 8] >> (56 - i % 8 * 8));
    }
    *status = (int)whole(of, "fabric_status");
    *clique = (u32)whole(of, "fabric_clique");
    *state = (unsigned char)whole(of, "fabric_state");
}

typedef struct { unsigned char cluster[16]; int status; u32 clique; unsigned char state; } nvmlGpuFabricInfo_t;

int nvmlDeviceGetGpuFabricInfo(nvmlDevice_t of, nvmlGpuFabricInfo_t *out) {
    int code = enter(of, "fabric_v1");
    if (code == NVML_SUCCESS && !has(of, "fabric_state")) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        fabric(of, out->cluster, &out->status, &out->clique, &out->state);
    }
    return leave(code, out, sizeof *out);
}

#ifndef DRIVER_535

typedef struct { u32 version; unsigned char cluster[16]; int status; u32 clique; unsigned char state; u32 mask; unsigned char summary; } nvmlGpuFabricInfo_v3_t;

int nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t of, nvmlGpuFabricInfo_v3_t *out) {
    int newer = has(of, "fabric_summary");
    int code = version(of, "fabric", "fabric_state", &out->version, newer ? 0x03000028 : 0x02000024);
    if (code == NVML_SUCCESS) {
        fabric(of, out->cluster, &out->status, &out->clique, &out->state);
        out->mask = (u32)whole(of, "fabric_mask");
        if (newer) {
            out->summary = (unsigned char)whole(of, "fabric_summary");
        }
    }
    return leave(code, out, newer ? 40 : 36);
}

#endif

/* --- NVML: GPM --- */

static int sample_serial;

int nvmlGpmQueryDeviceSupport(nvmlDevice_t of, u32 *out) {
    int code = enter(of, "gpm_support");
    out[1] = code == NVML_SUCCESS && has(of, "gpm") ? 1 : 0;
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlGpmSampleAlloc(nvmlGpmSample_t *out) {
    int code = library_enter("gpm_alloc");
    if (code == NVML_SUCCESS) {
        *out = calloc(1, sizeof **out);
        samples++;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlGpmSampleFree(nvmlGpmSample_t sample) {
    int code = library_enter("gpm_free");
    free(sample);
    samples--;
    pthread_mutex_unlock(&lock);
    return code;
}

static int sample(nvmlDevice_t of, const char *call, int instance, nvmlGpmSample_t out) {
    int code = enter(of, call);
    if (code == NVML_SUCCESS && of->mig >= 0) {
        code = NVML_ERROR_INVALID_ARGUMENT; /* an instance is named by its id */
    }
    if (code == NVML_SUCCESS) {
        out->serial = ++sample_serial;
        out->gpu = of->gpu;
        out->instance = instance;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlGpmSampleGet(nvmlDevice_t of, nvmlGpmSample_t out) { return sample(of, "gpm_sample", -1, out); }
int nvmlGpmMigSampleGet(nvmlDevice_t of, u32 instance, nvmlGpmSample_t out) { return sample(of, "gpm_mig_sample", (int)instance, out); }

/* gpm.ID of a GPU, gpm.INSTANCE.ID of a GPU instance. */
int nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *get) {
    int code = library_enter("gpm_metrics");
    if (code == NVML_SUCCESS && get->version != 1) {
        code = NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvmlGpmSample_t newer = get->newer;
    if (code == NVML_SUCCESS
        && (get->older->serial >= newer->serial || get->older->gpu != newer->gpu || get->older->instance != newer->instance)) {
        code = NVML_ERROR_INVALID_ARGUMENT;
    }
    for (u32 i = 0; i < get->count && code == NVML_SUCCESS; i++) {
        gpm_metric *metric = &get->metrics[i];
        char name[NAME];
        if (newer->instance < 0) {
            snprintf(name, NAME, "gpm.%u", metric->metricId);
        } else {
            snprintf(name, NAME, "gpm.%d.%u", newer->instance, metric->metricId);
        }
        entry *at = find(&gpus[newer->gpu], name, 0);
        metric->nvmlReturn = at == NULL || !at->is_set ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
        metric->value = at == NULL ? 0 : at->value;
        if (damage != 0) {
            u64 what = chance();
            double wrong[] = {NAN, INFINITY, -1, 101, 1e300, 250};
            if (what % 4 == 0) {
                metric->value = wrong[chance() % 6];
            } else if (what % 16 == 1) {
                metric->nvmlReturn = NVML_ERROR_TIMEOUT;
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

#endif

/* --- NVML: events --- */

int nvmlEventSetCreate(nvmlEventSet_t *out) {
    int code = library_enter("event_set");
    if (code == NVML_SUCCESS) {
        *out = calloc(1, sizeof **out);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlEventSetFree(nvmlEventSet_t set) {
    int code = library_enter("event_set_free");
    free(set);
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlDeviceGetSupportedEventTypes(nvmlDevice_t of, u64 *out) { return one64(of, "event_types", "event_types", out); }

int nvmlDeviceRegisterEvents(nvmlDevice_t of, u64 mask, nvmlEventSet_t set) {
    int code = enter(of, "event_register");
    if (code == NVML_SUCCESS && (mask & ~(u64)whole(of, "event_types")) != 0) {
        code = NVML_ERROR_NOT_SUPPORTED;
    }
    if (code == NVML_SUCCESS) {
        set->masks[of->gpu] |= mask;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *out, u32 millis) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += millis / 1000;
    until.tv_nsec += (long)(millis % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int code = library_enter("event_wait");
    while (code == NVML_SUCCESS) {
        for (int i = 0; i < event_count; i++) {
            if (set->masks[events[i].device->gpu] & events[i].type) {
                *out = events[i];
                memmove(&events[i], &events[i + 1], sizeof *events * (size_t)(--event_count - i));
                return leave(code, NULL, 0);
            }
        }
        if (pthread_cond_timedwait(&changed, &lock, &until) != 0) {
            code = NVML_ERROR_TIMEOUT;
        }
        entry *scripted_code = find(&library, "event_wait", 0);
        if (scripted_code != NULL && scripted_code->code != 0) {
            code = scripted_code->code;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}
