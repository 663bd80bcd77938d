/* Linked into programs under sanitizers: drivers stay mapped when the Vulkan loader closes them, so
 * that reports at exit can name the module of a leak or race, and suppressions can match it. */
__attribute__((visibility("default"))) int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
