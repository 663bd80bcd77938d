/* Owns the suite `selector`: which device a name, an index, a UUID or the environment opens, and what
 * is said where there is none. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static uint32_t all_devices(isg_device_info infos[MOST])
{
    uint32_t count = 0;

    CONFORM_OK(isg_instance_devices(conform_instance(), NULL, 0, &count));
    CONFORM_TRUE(count >= 1 && count <= MOST, "%u devices", count);
    CONFORM_OK(isg_instance_devices(conform_instance(), infos, MOST, &count));
    return count;
}

static bool same_device(const isg_device_info *a, const isg_device_info *b)
{
    return strcmp(a->backend, b->backend) == 0 && memcmp(a->uuid, b->uuid, sizeof a->uuid) == 0;
}

/* The selector must open the device under test. */
static void check_opens(const char *selector)
{
    isg_device *device = NULL;
    isg_status status = isg_device_open(conform_instance(), selector, NULL, &device);

    CONFORM_TRUE(status == ISG_OK, "selector '%s': %s: %s", selector, isg_status_name(status),
                 isg_last_error());
    CONFORM_TRUE(same_device(isg_device_get_info(device), conform_info()),
                 "selector '%s' opened %s (%s)", selector, isg_device_get_info(device)->name,
                 isg_device_get_info(device)->driver_info);
    isg_device_release(device);
}

static void format_uuid(const uint8_t uuid[16], bool dashes, bool upper, char *out)
{
    for (int i = 0; i < 16; i++) {
        if (dashes && (i == 4 || i == 6 || i == 8 || i == 10)) {
            *out++ = '-';
        }
        out += sprintf(out, upper ? "%02X" : "%02x", uuid[i]);
    }
}

START_TEST(list_has_one_index_space)
{
    isg_device_info infos[MOST];
    uint32_t count = all_devices(infos), mine = 0, next = 0, few = 0;

    for (uint32_t i = 0; i < count; i++) {
        char selector[40];
        if (i > 0 && strcmp(infos[i].backend, infos[i - 1].backend) != 0) {
            next = 0;
        }
        ck_assert_uint_eq(infos[i].index, next);
        next++;
        snprintf(selector, sizeof selector, "%s:%u", infos[i].backend, infos[i].index);
        ck_assert_str_eq(infos[i].selector, selector);
        for (uint32_t k = 0; k < i; k++) { /* nothing is listed twice */
            CONFORM_TRUE(!same_device(&infos[i], &infos[k]), "%s and %s are one device",
                         infos[i].selector, infos[k].selector);
        }
        mine += same_device(&infos[i], conform_info());
    }
    ck_assert_uint_eq(mine, 1);
    if (count > 1) { /* fills no more than it may, and still says how many there are */
        isg_device_info two[2];
        memset(two, 0x5a, sizeof two);
        CONFORM_OK(isg_instance_devices(conform_instance(), two, 1, &few));
        ck_assert_uint_eq(few, count);
        ck_assert_str_eq(two[0].selector, infos[0].selector);
        ck_assert_int_eq(two[1].selector[0], 0x5a);
    }
}
END_TEST

START_TEST(gpus_come_before_cpu_drivers)
{
    static const int rank[] = {3, 0, 1, 2, 4}; /* by isg_device_type */
    isg_device_info infos[MOST];
    uint32_t count = all_devices(infos);

    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(infos[i].backend, infos[i - 1].backend) == 0) {
            CONFORM_TRUE(rank[infos[i - 1].type] <= rank[infos[i].type],
                         "%s (type %d) comes before %s (type %d)", infos[i - 1].selector,
                         (int)infos[i - 1].type, infos[i].selector, (int)infos[i].type);
        }
    }
}
END_TEST

START_TEST(by_index_and_uuid)
{
    char uuid[64], selector[128];
    const isg_device_info *info = conform_info();

    check_opens(info->selector);
    for (int way = 0; way < 4; way++) {
        format_uuid(info->uuid, way & 1, way & 2, uuid);
        snprintf(selector, sizeof selector, "%s:uuid:%s", info->backend, uuid);
        check_opens(selector);
        snprintf(selector, sizeof selector, "UUID:%s", uuid);
        if (strcmp(info->backend, "vulkan") == 0) {
            check_opens(selector);
        }
    }
}
END_TEST

START_TEST(by_part_of_the_name)
{
    isg_device_info infos[MOST];
    uint32_t count = all_devices(infos), matches = 0;
    char selector[600], all[600];
    isg_device *device = NULL;

    /* The whole driver info, or the name where that is empty: unique, or ambiguous with a list. */
    const char *text =
        conform_info()->driver_info[0] ? conform_info()->driver_info : conform_info()->name;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(all, sizeof all, "%s %s", infos[i].name, infos[i].driver_info);
        matches += strcasestr(all, text) != NULL;
    }
    snprintf(selector, sizeof selector, "%s:%s", conform_info()->backend, text);
    if (matches == 1) {
        check_opens(selector);
        for (char *c = selector; *c; c++) { /* whatever the case */
            *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
        }
        check_opens(selector);
    } else {
        CONFORM_REFUSED(ISG_ERROR_AMBIGUOUS,
                        isg_device_open(conform_instance(), selector, NULL, &device), text);
    }
}
END_TEST

START_TEST(ambiguous_names_list_the_candidates)
{
    isg_device_info infos[MOST];
    uint32_t count = all_devices(infos), first = MOST, second = MOST;
    isg_device *device = NULL;

    for (uint32_t i = 0; i < count && second == MOST; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(infos[i].name, infos[k].name) == 0) {
                first = k;
                second = i;
            }
        }
    }
    if (second == MOST) {
        conform_skip("no two devices have one name");
    }
    CONFORM_REFUSED(ISG_ERROR_AMBIGUOUS,
                    isg_device_open(conform_instance(), infos[first].name, NULL, &device),
                    infos[first].selector, infos[second].selector, infos[first].driver_info,
                    infos[second].driver_info);
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(report_28_bad_selectors_are_errors)
{
    static const struct {
        const char *selector;
        isg_status status;
    } rows[] = {
        {"vulkan:-1", ISG_ERROR_INVALID_ARGUMENT},
        {"vulkan:9999", ISG_ERROR_UNAVAILABLE},
        {"vulkan:0,0", ISG_ERROR_UNAVAILABLE},
        {"no such device", ISG_ERROR_UNAVAILABLE},
        {"vulkan:no such device", ISG_ERROR_UNAVAILABLE},
        {"uuid:00112233445566778899aabbccddeeff", ISG_ERROR_UNAVAILABLE},
        {"uuid:0011", ISG_ERROR_INVALID_ARGUMENT},
        {"uuid:", ISG_ERROR_INVALID_ARGUMENT},
        {"uuid:zz112233445566778899aabbccddeeff", ISG_ERROR_INVALID_ARGUMENT},
        {"vulkan:99999999999999999999", ISG_ERROR_INVALID_ARGUMENT},
        {"vulkan:", ISG_ERROR_INVALID_ARGUMENT},
        {"-1", ISG_ERROR_UNAVAILABLE},
        {"9", ISG_ERROR_UNAVAILABLE},
        {"0,0", ISG_ERROR_UNAVAILABLE},
    };

    for (size_t i = 0; i < CONFORM_COUNT(rows); i++) {
        isg_device *device = NULL;
        isg_status status = ISG_OK;
        conform_stale_error();
        status = isg_device_open(conform_instance(), rows[i].selector, NULL, &device);
        CONFORM_TRUE(status == ISG_ERROR_INVALID_ARGUMENT || status == ISG_ERROR_UNAVAILABLE ||
                         status == ISG_ERROR_AMBIGUOUS,
                     "selector '%s' gives %s: %s", rows[i].selector, isg_status_name(status),
                     isg_last_error());
        ck_assert_ptr_null(device);
        CONFORM_TRUE(strstr(isg_last_error(), rows[i].selector) ||
                         strstr(isg_last_error(), strchr(rows[i].selector, ':')
                                                      ? strchr(rows[i].selector, ':') + 1
                                                      : rows[i].selector),
                     "selector '%s' gives a message without it: %s", rows[i].selector,
                     isg_last_error());
        if (status == ISG_ERROR_UNAVAILABLE) { /* what there is */
            CONFORM_TRUE(strstr(isg_last_error(), conform_info()->selector),
                         "selector '%s': the message does not list %s: %s", rows[i].selector,
                         conform_info()->selector, isg_last_error());
        }
        if (strncmp(rows[i].selector, "uuid", 4) == 0) {
            ck_assert_int_eq(status, rows[i].status);
        }
    }
}
END_TEST

/* ---- in a process of its own: the environment ---- */

/* Opens what `argument` selects and prints the device, or the status and what is said. */
int conform_scenario_open(const char *argument)
{
    isg_instance *instance = NULL;
    isg_device *device = NULL;
    isg_status status = isg_instance_create(NULL, &instance);
    isg_backend_info backend;

    if (status == ISG_OK) {
        status = isg_device_open(instance, strcmp(argument, "NULL") == 0 ? NULL : argument, NULL,
                                 &device);
    }
    if (status == ISG_OK) {
        printf("ISG_OK %s %s\n", isg_device_get_info(device)->selector,
               isg_device_get_info(device)->driver_info);
    } else {
        printf("%s: %s\n", isg_status_name(status), isg_last_error());
    }
    for (uint32_t i = 0; isg_instance_backend(instance, i, &backend) == ISG_OK; i++) {
        printf("backend %s %s: %s\n", backend.name, backend.available ? "available" : "missing",
               backend.reason);
    }
    isg_device_release(device);
    isg_instance_release(instance);
    return 0;
}

/* Runs the scenario and looks for texts in what it printed. */
static void check_open(const char *argument, const char *const *environment,
                       const char *const *texts)
{
    conform_outcome outcome;

    conform_spawn("open", argument, environment, 30, &outcome);
    CONFORM_TRUE(outcome.exit_code == 0, "opening '%s': exit code %d, signal %d%s: %s", argument,
                 outcome.exit_code, outcome.signal, outcome.timed_out ? ", timed out" : "",
                 outcome.output);
    for (; *texts; texts++) {
        CONFORM_TRUE(strcasestr(outcome.output, *texts), "opening '%s' does not say '%s': %s",
                     argument, *texts, outcome.output);
    }
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(environment_names_the_device)
{
    char variable[160], want[96];

    snprintf(want, sizeof want, "ISG_OK %s ", conform_info()->selector);
    snprintf(variable, sizeof variable, "ISOGRID_DEVICE=%s", conform_selector());
    check_open("NULL", TEXTS(variable), TEXTS(want));
    check_open("", TEXTS(variable), TEXTS(want));
    check_open("auto", TEXTS(variable), TEXTS(want));
    check_open("AUTO", TEXTS(variable), TEXTS(want));
    /* A selector that was given is not overridden. */
    check_open(conform_selector(), TEXTS("ISOGRID_DEVICE=no such device"), TEXTS(want));
    /* A bad selection is an error, not a silent default. */
    check_open("auto", TEXTS("ISOGRID_DEVICE=no such device"),
               TEXTS("ISG_ERROR_UNAVAILABLE", "no such device"));
    check_open("auto", TEXTS("ISOGRID_DEVICE=vulkan:-1"), TEXTS("ISG_ERROR_", "-1"));
    check_open("auto", TEXTS("ISOGRID_DEVICE="), TEXTS("ISG_OK"));
}
END_TEST

START_TEST(report_60_no_loader)
{
    check_open("auto", TEXTS("ISOGRID_VULKAN_LOADER=/nonexistent/libvulkan.so.1", "ISOGRID_DEVICE"),
               TEXTS("ISG_ERROR_UNAVAILABLE", "/nonexistent/libvulkan.so.1", "install",
                     "backend vulkan missing"));
    /* A file that is no library. */
    check_open("vulkan", TEXTS("ISOGRID_VULKAN_LOADER=/etc/hostname", "ISOGRID_DEVICE"),
               TEXTS("ISG_ERROR_UNAVAILABLE", "/etc/hostname", "backend vulkan missing"));
    /* A library that is no loader. */
    check_open("vulkan:0", TEXTS("ISOGRID_VULKAN_LOADER=libm.so.6", "ISOGRID_DEVICE"),
               TEXTS("ISG_ERROR_UNAVAILABLE", "libm.so.6", "backend vulkan missing"));
}
END_TEST

/* A manifest in a temporary file; unlink() it. */
static void write_manifest(char path[64], const char *text)
{
    FILE *file = NULL;
    int fd = -1;

    strcpy(path, "/tmp/isogrid-icd-XXXXXX.json");
    fd = mkstemps(path, 5);
    CONFORM_TRUE(fd >= 0, "no temporary file");
    file = fdopen(fd, "w");
    CONFORM_TRUE(file && fputs(text, file) >= 0, "%s cannot be written", path);
    fclose(file);
}

START_TEST(report_27_no_driver)
{
    static const char *const manifests[] = {
        "",
        "{ this is not JSON",
        "{\"file_format_version\": \"1.0.0\"}",
        "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": "
        "\"/nonexistent/libvulkan_driver.so\", \"api_version\": \"1.3.0\"}}",
        "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"/etc/hostname\", "
        "\"api_version\": \"1.3.0\"}}",
    };
    char variable[128], path[64];

    check_open("auto",
               TEXTS("VK_DRIVER_FILES=/nonexistent/driver.json", "VK_ADD_DRIVER_FILES",
                     "VK_ICD_FILENAMES", "ISOGRID_DEVICE", "DISPLAY"),
               TEXTS("ISG_ERROR_UNAVAILABLE", "install", "backend vulkan missing"));
    check_open(
        "auto",
        TEXTS("VK_DRIVER_FILES=/tmp", "VK_ADD_DRIVER_FILES", "VK_ICD_FILENAMES", "ISOGRID_DEVICE"),
        TEXTS("ISG_ERROR_UNAVAILABLE", "install"));
    for (size_t i = 0; i < CONFORM_COUNT(manifests); i++) {
        write_manifest(path, manifests[i]);
        snprintf(variable, sizeof variable, "VK_DRIVER_FILES=%s", path);
        check_open("auto",
                   TEXTS(variable, "VK_ADD_DRIVER_FILES", "VK_ICD_FILENAMES", "ISOGRID_DEVICE"),
                   TEXTS("ISG_ERROR_UNAVAILABLE", "install", "backend vulkan missing"));
        remove(path);
    }
}
END_TEST

/* The loader finds one driver by two manifests; the list has it once. */
START_TEST(report_28_a_driver_named_twice)
{
    const char *files = getenv("VK_DRIVER_FILES");
    char variable[8192], want[64];

    if (!files || !files[0]) {
        conform_skip("VK_DRIVER_FILES does not say which manifests there are");
    }
    snprintf(variable, sizeof variable, "VK_DRIVER_FILES=%.3900s:%.3900s", files, files);
    snprintf(want, sizeof want, "ISG_OK %s ", conform_info()->selector);
    check_open(conform_selector(), TEXTS(variable), TEXTS(want));
    check_open(conform_info()->selector, TEXTS(variable), TEXTS(want));
}
END_TEST

void conform_selector_list(conform_list *list)
{
    CONFORM_ADD(list, list_has_one_index_space);
    CONFORM_ADD(list, gpus_come_before_cpu_drivers);
    CONFORM_ADD(list, by_index_and_uuid);
    CONFORM_ADD(list, by_part_of_the_name);
    CONFORM_ADD(list, ambiguous_names_list_the_candidates);
    CONFORM_ADD(list, report_28_bad_selectors_are_errors);
    CONFORM_ADD(list, environment_names_the_device);
    CONFORM_ADD(list, report_60_no_loader);
    CONFORM_ADD(list, report_27_no_driver);
    CONFORM_ADD(list, report_28_a_driver_named_twice);
}
