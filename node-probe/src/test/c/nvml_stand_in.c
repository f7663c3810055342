/*
 * A library with NVML's ABI that reads no GPU: a test writes the script. Built by the tests and
 * loaded through the very binding that loads the driver.
 *
 * Every GPU has a table of readings by name. A call can be told to answer a return code, or to block
 * until it is let go. Without stand_in_gpus() there is no GPU.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define GPUS 16
#define READINGS 64
#define NAME 64

#define NVML_SUCCESS 0
#define NVML_ERROR_UNINITIALIZED 1
#define NVML_ERROR_INVALID_ARGUMENT 2
#define NVML_ERROR_INSUFFICIENT_SIZE 7
#define NVML_ERROR_ARGUMENT_VERSION_MISMATCH 25

typedef struct { char name[NAME]; long long value; } entry;
typedef struct { entry readings[READINGS]; entry codes[READINGS]; } gpu;
typedef gpu *nvmlDevice_t;

typedef struct { unsigned int gpu, memory; } nvmlUtilization_t;
typedef struct { unsigned long long total, free, used; } nvmlMemory_t;
typedef struct { unsigned int version; unsigned long long total, reserved, free, used; } nvmlMemory_v2_t;
typedef struct {
    char busIdLegacy[16];
    unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
} nvmlPciInfo_t;

/* What stand_in_fill() sets, all different. */
static const entry filled[] = {
    {"gpu_percent", 87},
    {"memory_percent", 41},
    {"total_bytes", 81559LL << 20},
    {"reserved_bytes", 551LL << 20},
    {"used_bytes", (1000LL << 20) + 5},
    {"milliwatts", 687125},
    {"millijoules", 9000000000123LL},
    {"celsius", 64},
    {"sm_megahertz", 1980},
    {"memory_megahertz", 2619},
};

/* What a probe has to read then: every metric, in its unit. */
static const struct { const char *metric; double value; } expected[] = {
    {"DCGM_FI_DEV_GPU_UTIL", 87},
    {"DCGM_FI_DEV_MEM_COPY_UTIL", 41},
    {"DCGM_FI_DEV_FB_TOTAL", 81559},
    {"DCGM_FI_DEV_FB_RESERVED", 551},
    {"DCGM_FI_DEV_FB_USED", 1000},
    {"DCGM_FI_DEV_FB_FREE", 80007},
    {"DCGM_FI_DEV_POWER_USAGE", 687.125},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 9000000000123.0},
    {"DCGM_FI_DEV_GPU_TEMP", 64},
    {"DCGM_FI_DEV_SM_CLOCK", 1980},
    {"DCGM_FI_DEV_MEM_CLOCK", 2619},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static gpu gpus[GPUS];
static unsigned int gpu_count;
static int initialised;
static entry library_codes[READINGS];
static char held[NAME];
static int waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static entry *find(entry *entries, const char *name, int make) {
    for (int i = 0; i < READINGS; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return &entries[i];
        }
        if (entries[i].name[0] == 0) {
            if (make) {
                snprintf(entries[i].name, NAME, "%s", name);
                return &entries[i];
            }
            return NULL;
        }
    }
    return NULL;
}

/* --- the script --- */

void stand_in_gpus(unsigned int count) {
    pthread_mutex_lock(&lock);
    memset(gpus, 0, sizeof gpus);
    memset(library_codes, 0, sizeof library_codes);
    gpu_count = count;
    pthread_mutex_unlock(&lock);
}

/* Gives one GPU the readings of the table. */
void stand_in_fill(unsigned int index) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < COUNT(filled); i++) {
        find(gpus[index].readings, filled[i].name, 1)->value = filled[i].value;
    }
    pthread_mutex_unlock(&lock);
}

int stand_in_expected_count(void) {
    return COUNT(expected);
}

const char *stand_in_expected_metric(int i) {
    return expected[i].metric;
}

double stand_in_expected_value(int i) {
    return expected[i].value;
}

/* Makes a call of one GPU answer a code; 0 lets it answer readings again. */
void stand_in_answer(unsigned int index, const char *call, int code) {
    pthread_mutex_lock(&lock);
    find(gpus[index].codes, call, 1)->value = code;
    pthread_mutex_unlock(&lock);
}

/* The same for a call of the library as a whole. */
void stand_in_library_answer(const char *call, int code) {
    pthread_mutex_lock(&lock);
    find(library_codes, call, 1)->value = code;
    pthread_mutex_unlock(&lock);
}

/* Makes the next call of this name block; NULL or "" lets it go. */
void stand_in_hold(const char *call) {
    pthread_mutex_lock(&lock);
    snprintf(held, NAME, "%s", call == NULL ? "" : call);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* How many calls are blocked. */
int stand_in_waiting(void) {
    pthread_mutex_lock(&lock);
    int count = waiting;
    pthread_mutex_unlock(&lock);
    return count;
}

int stand_in_initialised(void) {
    pthread_mutex_lock(&lock);
    int value = initialised;
    pthread_mutex_unlock(&lock);
    return value;
}

/* --- what every call does first; returns with the lock held --- */

static int library_enter(const char *call) {
    pthread_mutex_lock(&lock);
    while (strcmp(held, call) == 0) {
        waiting++;
        pthread_cond_wait(&changed, &lock);
        waiting--;
    }
    entry *code = find(library_codes, call, 0);
    return code == NULL ? NVML_SUCCESS : (int)code->value;
}

static int enter(nvmlDevice_t device, const char *call) {
    int code = library_enter(call);
    if (code != NVML_SUCCESS) {
        return code;
    }
    if (!initialised) {
        return NVML_ERROR_UNINITIALIZED;
    }
    if (device < gpus || device >= gpus + gpu_count) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    entry *scripted = find(device->codes, call, 0);
    return scripted == NULL ? NVML_SUCCESS : (int)scripted->value;
}

static int leave(int code) {
    pthread_mutex_unlock(&lock);
    return code;
}

static long long reading(nvmlDevice_t device, const char *name) {
    entry *found = find(device->readings, name, 0);
    return found == NULL ? 0 : found->value;
}

/* --- NVML --- */

int nvmlInit_v2(void) {
    int code = library_enter("init");
    initialised = code == NVML_SUCCESS;
    return leave(code);
}

int nvmlShutdown(void) {
    int code = library_enter("shutdown");
    initialised = 0;
    return leave(code);
}

int nvmlDeviceGetCount_v2(unsigned int *count) {
    int code = library_enter("count");
    if (code == NVML_SUCCESS) {
        *count = gpu_count;
    }
    return leave(code);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
    int code = enter(&gpus[index < GPUS ? index : 0], "handle");
    if (code == NVML_SUCCESS) {
        *device = &gpus[index];
    }
    return leave(code);
}

static int text(nvmlDevice_t device, const char *call, const char *format, char *buffer, unsigned int length) {
    int code = enter(device, call);
    if (code == NVML_SUCCESS) {
        int needed = snprintf(buffer, length, format, (int)(device - gpus));
        code = needed < 0 || (unsigned int)needed >= length ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
    }
    return leave(code);
}

int nvmlDeviceGetUUID(nvmlDevice_t device, char *buffer, unsigned int length) {
    return text(device, "uuid", "GPU-%08x-1111-2222-3333-444444444444", buffer, length);
}

int nvmlDeviceGetName(nvmlDevice_t device, char *buffer, unsigned int length) {
    return text(device, "name", "Stand-in %d", buffer, length);
}

int nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    int code = enter(device, "pci");
    if (code == NVML_SUCCESS) {
        memset(pci, 0, sizeof *pci);
        pci->bus = 0x3b + (unsigned int)(device - gpus);
        snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:00.0", 0u, pci->bus);
        snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "0000:%02X:00.0", pci->bus);
    }
    return leave(code);
}

int nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates) {
    int code = enter(device, "utilization");
    if (code == NVML_SUCCESS) {
        rates->gpu = (unsigned int)reading(device, "gpu_percent");
        rates->memory = (unsigned int)reading(device, "memory_percent");
    }
    return leave(code);
}

int nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
    int code = enter(device, "memory_v2");
    if (code == NVML_SUCCESS && memory->version != (sizeof(nvmlMemory_v2_t) | 2u << 24)) {
        code = NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    if (code == NVML_SUCCESS) {
        memory->total = (unsigned long long)reading(device, "total_bytes");
        memory->reserved = (unsigned long long)reading(device, "reserved_bytes");
        memory->used = (unsigned long long)reading(device, "used_bytes");
        memory->free = memory->total - memory->reserved - memory->used;
    }
    return leave(code);
}

int nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
    int code = enter(device, "memory_v1");
    if (code == NVML_SUCCESS) {
        memory->total = (unsigned long long)reading(device, "total_bytes");
        memory->used =
            (unsigned long long)(reading(device, "used_bytes") + reading(device, "reserved_bytes"));
        memory->free = memory->total - memory->used;
    }
    return leave(code);
}

int nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatts) {
    int code = enter(device, "power");
    if (code == NVML_SUCCESS) {
        *milliwatts = (unsigned int)reading(device, "milliwatts");
    }
    return leave(code);
}

/* nvmlDeviceGetTotalEnergyConsumption is left out where an older driver is wanted. */
#ifndef WITHOUT_ENERGY
int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules) {
    int code = enter(device, "energy");
    if (code == NVML_SUCCESS) {
        *millijoules = (unsigned long long)reading(device, "millijoules");
    }
    return leave(code);
}
#endif

int nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned int *celsius) {
    int code = enter(device, "temperature");
    if (code == NVML_SUCCESS && sensor != 0) {
        code = NVML_ERROR_INVALID_ARGUMENT;
    }
    if (code == NVML_SUCCESS) {
        *celsius = (unsigned int)reading(device, "celsius");
    }
    return leave(code);
}

int nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned int *megahertz) {
    int code = enter(device, type == 1 ? "sm_clock" : "memory_clock");
    if (code == NVML_SUCCESS) {
        *megahertz = (unsigned int)reading(device, type == 1 ? "sm_megahertz" : "memory_megahertz");
    }
    return leave(code);
}
