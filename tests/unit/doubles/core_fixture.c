/* The fixture of core_fixture.h. */
#include "unit/doubles/core_fixture.h"

#include "core/handle.h"
#include "isg_kernel_variants_o0.h"

#include <stdio.h>
#include <string.h>

core_fixture fixture;

void fixture_says(const char *text)
{
    ck_assert_msg(strstr(isg_last_error(), text) != NULL, "'%s' is not in: %s", text,
                  isg_last_error());
}

void fixture_open_with(const isg_device_desc *desc)
{
    isg_host_allocator callbacks = counting_callbacks(&fixture.allocator);

    fixture.instance = fake_instance(&callbacks);
    ck_assert_ptr_nonnull(fixture.instance);
    ASK(isg_device_open(fixture.instance, "fake:0", desc, &fixture.device));
    fixture.queue = isg_device_queue(fixture.device);
}

void fixture_open(void)
{
    fake_reset();
    memset(&fixture, 0, sizeof fixture);
    fixture_open_with(NULL);
}

void fixture_close(void)
{
    isg_device_release(fixture.device);
    isg_instance_release(fixture.instance);
    ck_assert_uint_eq(fake.live_objects, 0);
    ck_assert_uint_eq(fake.live_devices, 0);
    ck_assert_uint_eq(fake.live_backends, 0);
    ck_assert_int_eq(atomic_load(&fixture.allocator.live_count), 0);
    ck_assert_int_eq(atomic_load(&fixture.allocator.live_bytes), 0);
    ck_assert_uint_eq(isg_handle_count(), 0);
}

isg_buffer *fixture_buffer(uint64_t size, const char *label)
{
    isg_buffer *buffer = NULL;

    ASK(isg_buffer_create(fixture.device, &(isg_buffer_desc){.size = size, .label = label},
                          &buffer));
    return buffer;
}

void fixture_kernel_desc(const char *stem, isg_kernel_desc *out)
{
    char name[64];
    const isg_kernel_variants_o0_entry *entry = isg_kernel_variants_o0;

    snprintf(name, sizeof name, "%s_o0", stem);
    while (entry->name != NULL && strcmp(entry->name, name) != 0) {
        entry++;
    }
    ck_assert_msg(entry->name != NULL, "there is no kernel %s", stem);
    *out = (isg_kernel_desc){.spirv = entry->words, .size = entry->size};
}

isg_kernel *fixture_kernel(const char *stem)
{
    isg_kernel_desc desc;
    isg_kernel *kernel = NULL;

    fixture_kernel_desc(stem, &desc);
    desc.label = stem;
    ASK(isg_kernel_create(fixture.device, &desc, &kernel));
    return kernel;
}
