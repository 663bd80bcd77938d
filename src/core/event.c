/* Owns the events that callers create. */
#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/support.h"

isg_status isg_event_create(isg_device *device, isg_event **out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_event_create: out is NULL; pass where to put the event");
    }
    *out = NULL;
    status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_event_create: device");
    if (status == ISG_OK) {
        status = isg_device_check(device);
    }
    if (status == ISG_OK) {
        status = isg_device_result(device, device->ops->event_create(device, out));
    }
    if (status != ISG_OK) {
        *out = NULL;
        return status;
    }
    isg_object_init(&(*out)->object, ISG_OBJECT_EVENT, device);
    status = isg_object_publish_or_drop(&(*out)->object);
    *out = status == ISG_OK ? *out : NULL;
    return status;
}

isg_status isg_event_value(isg_event *event, uint64_t *out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_event_value: out is NULL; pass where to put the value");
    }
    *out = 0;
    status = isg_handle_check(event, ISG_OBJECT_EVENT, "isg_event_value: event");
    if (status == ISG_OK) {
        status = isg_device_check(event->object.device);
    }
    if (status == ISG_OK) {
        status = isg_device_result(event->object.device,
                                   event->object.device->ops->event_value(event, out));
    }
    if (status != ISG_OK) {
        *out = 0;
    }
    return status;
}
