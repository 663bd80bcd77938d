/* The pipeline cache's file: written, read again, and ignored when it is not what it should be. */
#include <isogrid/isogrid.h>

#include "isg_kernel_variants_o0.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES_MAX 16
#define FILE_MAX (1 << 20)
#define ASK(call) ck_assert_msg((call) == ISG_OK, "%s: %s", #call, isg_last_error())

static isg_device_info infos[DEVICES_MAX];
static uint32_t device_count;
static char root[256], folder[280], file[600];

/* Opens the device, compiles a kernel and runs it, closes the device. */
static void use_device(int index, const char *directory)
{
    isg_instance *instance = NULL;
    isg_device *device = NULL;
    isg_kernel *kernel = NULL;
    ASK(isg_instance_create(&(isg_instance_desc){.cache_directory = directory}, &instance));
    ASK(isg_device_open(instance, infos[index].selector, NULL, &device));
    isg_kernel_desc desc = {.spirv = isg_kernel_affine_o0, .size = isg_kernel_affine_o0_size};
    ASK(isg_kernel_create(device, &desc, &kernel));
    ASK(isg_kernel_prepare(kernel, NULL, 0));
    ASK(isg_kernel_wait(kernel, ISG_WAIT_FOREVER));
    uint32_t x[64], y[64], push[2] = {2, 64};
    for (uint32_t i = 0; i < 64; i++) {
        x[i] = i;
        y[i] = 1;
    }
    isg_host_binding bindings[] = {
        {.binding = 0, .data = x, .size = sizeof x, .direction = ISG_IN},
        {.binding = 1, .data = y, .size = sizeof y, .direction = ISG_INOUT},
    };
    isg_dispatch dispatch = {.kernel = kernel, .grid = {1}, .push = push, .push_size = sizeof push};
    ASK(isg_queue_dispatch_bytes(isg_device_queue(device), &dispatch, bindings, 2, NULL));
    for (uint32_t i = 0; i < 64; i++) {
        ck_assert_uint_eq(y[i], 3 * i + 1);
    }
    isg_kernel_release(kernel);
    isg_device_release(device);
    isg_instance_release(instance);
}

/* The number of entries of `folder`; the last one's path goes to `file`. */
static int count_files(void)
{
    int count = 0;
    DIR *stream = opendir(folder);
    for (struct dirent *entry = stream ? readdir(stream) : NULL; entry; entry = readdir(stream)) {
        if (entry->d_name[0] != '.') {
            count++;
            snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        }
    }
    if (stream) {
        closedir(stream);
    }
    return count;
}

static size_t read_file(unsigned char *bytes)
{
    FILE *stream = fopen(file, "rb");
    ck_assert_ptr_nonnull(stream);
    size_t size = fread(bytes, 1, FILE_MAX, stream);
    fclose(stream);
    return size;
}

static void write_file(const unsigned char *bytes, size_t size)
{
    FILE *stream = fopen(file, "wb");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fwrite(bytes, 1, size, stream), size);
    ck_assert_int_eq(fclose(stream), 0);
}

static void make_root(void)
{
    snprintf(root, sizeof root, "%s/isogrid-cache-XXXXXX", P_tmpdir);
    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/deep/er", root);
}

static void remove_root(void)
{
    char path[300];
    while (count_files() > 0) {
        ck_assert_int_eq(unlink(file), 0);
    }
    rmdir(folder);
    snprintf(path, sizeof path, "%s/deep", root);
    (void)remove(path);
    ck_assert_int_eq(rmdir(root), 0);
}

START_TEST(file_is_written_whole_and_read_again)
{
    static unsigned char first[FILE_MAX], second[FILE_MAX];
    make_root();
    use_device(_i, folder);
    ck_assert_int_eq(count_files(), 1);
    ck_assert_ptr_nonnull(strstr(file, "/vulkan-"));
    size_t size = read_file(first);
    ck_assert_uint_gt(size, 32);
    use_device(_i, folder);
    ck_assert_int_eq(count_files(), 1);
    ck_assert_uint_ge(read_file(second), size);
    remove_root();
}
END_TEST

START_TEST(damaged_file_is_ignored_and_replaced)
{
    static unsigned char good[FILE_MAX], now[FILE_MAX];
    make_root();
    use_device(_i, folder);
    ck_assert_int_eq(count_files(), 1);
    size_t size = read_file(good);
    for (int damage = 0; damage < 6; damage++) {
        static unsigned char bad[FILE_MAX];
        size_t bad_size = size;
        memcpy(bad, good, size);
        switch (damage) {
        case 0: /* a bit of the data */
            bad[size - 1] ^= 0x10;
            break;
        case 1: /* another driver's */
            bad[8] ^= 1;
            break;
        case 2: /* a size that is not there */
            memset(bad + 16, 0xff, 8);
            break;
        case 3: /* cut short */
            bad_size = size - 5;
            break;
        case 4:
            bad_size = 0;
            break;
        case 5: /* something behind the end */
            bad[bad_size++] = 0;
            break;
        }
        write_file(bad, bad_size);
        use_device(_i, folder);
        ck_assert_int_eq(count_files(), 1);
        size_t now_size = read_file(now);
        ck_assert(now_size != bad_size || memcmp(now, bad, now_size) != 0);
        ck_assert_mem_eq(now, good, 16);
    }
    remove_root();
}
END_TEST

START_TEST(folder_that_cannot_be_made_is_no_error)
{
    char path[300];
    make_root();
    snprintf(path, sizeof path, "%s/deep", root);
    FILE *stream = fopen(path, "wb"); /* a file where the folder would be */
    ck_assert_ptr_nonnull(stream);
    fclose(stream);
    use_device(_i, folder);
    ck_assert_int_eq(count_files(), 0);
    remove_root();
}
END_TEST

START_TEST(empty_folder_name_keeps_nothing)
{
    make_root();
    use_device(_i, "");
    ck_assert_int_eq(count_files(), 0);
    remove_root();
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *group = tcase_create(name);
    tcase_set_timeout(group, 60);
    tcase_add_loop_test(group, test, 0, (int)device_count);
    suite_add_tcase(suite, group);
}

static void find_devices(void)
{
    static isg_device_info all[DEVICES_MAX];
    isg_instance *lister = NULL;
    uint32_t count = 0;
    if (isg_instance_create(&(isg_instance_desc){.cache_directory = ""}, &lister) == ISG_OK &&
        isg_instance_devices(lister, all, DEVICES_MAX, &count) == ISG_OK) {
        for (uint32_t i = 0; i < count && i < DEVICES_MAX; i++) {
            if (strcmp(all[i].backend, "vulkan") == 0) {
                infos[device_count++] = all[i];
            }
        }
    }
    isg_instance_release(lister);
}

int main(void)
{
    find_devices();
    if (device_count == 0) {
        printf("no Vulkan device: skipped\n");
        return 77;
    }
    Suite *suite = suite_create("vk_cache_file");
    add(suite, "written", file_is_written_whole_and_read_again);
    add(suite, "damaged", damaged_file_is_ignored_and_replaced);
    add(suite, "no folder", folder_that_cannot_be_made_is_no_error);
    add(suite, "off", empty_folder_name_keeps_nothing);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
