/* The glsl component: compiling, messages with file and line, includes, macros, many threads. */
#include <isogrid/glsl.h>

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 32
#define KERNELS 20

static const char plain_source[] = "#version 450\n"
                                   "layout(local_size_x = 64) in;\n"
                                   "layout(std430, binding = 0) buffer B { float b[]; };\n"
                                   "void main() { b[gl_GlobalInvocationID.x] *= 2.0; }\n";

/* Finds the first instruction `opcode` whose first operand after the result type and id, or whose
 * first operands, hold the text. Good enough to see that a module has an OpSource or an extension. */
static bool module_has(const isg_glsl_result *result, uint32_t opcode, const char *text)
{
    const uint32_t *words = result->spirv;
    size_t count = result->size / 4;

    for (size_t at = 5; at < count && words[at] >> 16 != 0; at += words[at] >> 16) {
        size_t length = words[at] >> 16;
        if ((words[at] & 0xffffu) != opcode || at + length > count)
            continue;
        if (text == NULL || memmem(&words[at + 1], 4 * (length - 1), text, strlen(text)))
            return true;
    }
    return false;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void remove_file(const char *folder, const char *name)
{
    char path[512];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(unlink(path), 0);
}

START_TEST(shader_compiles_to_the_asked_spirv_version)
{
    static const struct {
        isg_glsl_target target;
        uint32_t version;
    } cases[] = {{ISG_GLSL_VULKAN_1_2, 0x00010500},
                 {ISG_GLSL_VULKAN_1_1, 0x00010300},
                 {ISG_GLSL_VULKAN_1_3, 0x00010600}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        isg_glsl_result *result = NULL;
        isg_glsl_desc desc = {.source = plain_source, .target = cases[i].target};
        ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_OK);
        ck_assert_uint_ge(result->size, 20);
        ck_assert_uint_eq(result->size % 4, 0);
        ck_assert_uint_eq(((const uint32_t *)result->spirv)[0], 0x07230203);
        ck_assert_uint_eq(((const uint32_t *)result->spirv)[1], cases[i].version);
        ck_assert_str_eq(result->log, "");
        isg_glsl_result_release(result);
    }
}
END_TEST

START_TEST(errors_name_file_and_line)
{
    isg_glsl_result *result = (void *)1;
    isg_glsl_desc desc = {.path = "bad.comp",
                          .source = "#version 450\nvoid main()\n{\n    missing = 1;\n}\n"};

    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_COMPILE_FAILED);
    ck_assert_ptr_null(result);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "bad.comp:4: error:"));
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "missing"));
}
END_TEST

START_TEST(errors_in_an_included_file_name_that_file)
{
    char folder[] = "/tmp/isogrid-glsl-XXXXXX";
    const char *folders[] = {folder};
    isg_glsl_result *result = NULL;
    isg_glsl_desc desc = {.source = "#version 450\n#include <helper.glsl>\nvoid main() {}\n",
                          .include_directories = folders,
                          .include_directory_count = 1};

    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_file(folder, "helper.glsl", "float f() { return 1.0; }\nfloat g() { return h(); }\n");
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_COMPILE_FAILED);
    ck_assert_ptr_null(result);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "helper.glsl:2: error:"));
    remove_file(folder, "helper.glsl");
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(files_are_found_beside_the_source_before_include_directories)
{
    char here[] = "/tmp/isogrid-glsl-XXXXXX", there[] = "/tmp/isogrid-glsl-XXXXXX";
    const char *folders[] = {there};
    char path[512];
    isg_glsl_result *result = NULL;

    ck_assert_ptr_nonnull(mkdtemp(here));
    ck_assert_ptr_nonnull(mkdtemp(there));
    write_file(here, "a.glsl", "#include \"b.glsl\"\n");
    write_file(here, "b.glsl", "#define FROM_HERE 1\n");
    write_file(there, "b.glsl", "#error the wrong b.glsl\n");
    write_file(there, "c.glsl", "#define FROM_THERE 1\n");
    write_file(here, "k.comp",
               "#version 450\n#include \"a.glsl\"\n#include \"c.glsl\"\n"
               "#if !defined FROM_HERE || !defined FROM_THERE\n#error not both\n#endif\n"
               "void main() {}\n");
    (void)snprintf(path, sizeof path, "%s/k.comp", here);
    ck_assert_msg(isg_glsl_compile(&(isg_glsl_desc){.path = path,
                                                    .include_directories = folders,
                                                    .include_directory_count = 1},
                                   &result) == ISG_OK,
                  "%s", isg_last_error());
    isg_glsl_result_release(result);
    remove_file(here, "a.glsl");
    remove_file(here, "b.glsl");
    remove_file(here, "k.comp");
    remove_file(there, "b.glsl");
    remove_file(there, "c.glsl");
    ck_assert_int_eq(rmdir(here), 0);
    ck_assert_int_eq(rmdir(there), 0);
}
END_TEST

START_TEST(missing_and_endless_includes_are_errors_that_say_so)
{
    char folder[] = "/tmp/isogrid-glsl-XXXXXX";
    const char *folders[] = {folder};
    isg_glsl_result *result = NULL;
    isg_glsl_desc desc = {.source = "#version 450\n#include \"nowhere.glsl\"\nvoid main() {}\n",
                          .include_directories = folders,
                          .include_directory_count = 1};

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_COMPILE_FAILED);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "kernel.comp:2:"));
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "'nowhere.glsl' found neither"));

    write_file(folder, "self.glsl", "#include <self.glsl>\n");
    desc.source = "#version 450\n#include <self.glsl>\nvoid main() {}\n";
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_COMPILE_FAILED);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "does a file include itself?"));
    remove_file(folder, "self.glsl");
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(device_library_needs_no_files)
{
    size_t size = 0;
    isg_glsl_result *result = NULL;
    const char *text = isg_glsl_library_file("isogrid/phased.glsl", &size);
    isg_glsl_desc desc = {.source = "#version 450\n"
                                    "#extension GL_GOOGLE_include_directive : require\n"
                                    "layout(local_size_x = 1) in;\n"
                                    "#include <isogrid/no_such_file.glsl>\n"
                                    "void main() {}\n"};

    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(strlen(text), size);
    ck_assert_uint_gt(size, 0);
    ck_assert_ptr_null(isg_glsl_library_file("isogrid/no_such_file.glsl", NULL));
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "isogrid/phased.glsl"));
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_COMPILE_FAILED);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "kernel.comp:4:"));
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "the device library has no file"));
}
END_TEST

START_TEST(macros_are_defined_and_bad_names_refused)
{
    static const isg_glsl_macro good[] = {{"WIDTH", "32"}, {"FLAG", NULL}};
    static const isg_glsl_macro bad[] = {{"WIDTH(x)", "x"}};
    isg_glsl_result *result = NULL;
    isg_glsl_desc desc = {.source = "#version 450\n"
                                    "#if WIDTH != 32 || !defined FLAG\n#error macros\n#endif\n"
                                    "layout(local_size_x = WIDTH) in;\nvoid main() {}\n",
                          .macros = good,
                          .macro_count = 2};

    ck_assert_msg(isg_glsl_compile(&desc, &result) == ISG_OK, "%s", isg_last_error());
    isg_glsl_result_release(result);
    desc.macros = bad;
    desc.macro_count = 1;
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(result);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "WIDTH(x)"));
}
END_TEST

START_TEST(debug_information_and_printf_reach_the_module)
{
    enum { OP_SOURCE = 3, OP_LINE = 8, OP_EXT_INST_IMPORT = 11, OP_STRING = 7 };
    static const char source[] = "#version 450\n"
                                 "#extension GL_EXT_debug_printf : require\n"
                                 "layout(local_size_x = 1) in;\n"
                                 "void main() { debugPrintfEXT(\"value %d\", 42); }\n";
    isg_glsl_result *result = NULL;
    isg_glsl_desc desc = {.source = source, .path = "printf.comp"};

    ck_assert_msg(isg_glsl_compile(&desc, &result) == ISG_OK, "%s", isg_last_error());
    ck_assert(module_has(result, OP_EXT_INST_IMPORT, "NonSemantic.DebugPrintf"));
    ck_assert(module_has(result, OP_STRING, "value %d"));
    ck_assert(!module_has(result, OP_LINE, NULL));
    isg_glsl_result_release(result);

    desc.debug_info = true;
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_OK);
    ck_assert(module_has(result, OP_LINE, NULL));
    ck_assert(module_has(result, OP_STRING, "printf.comp"));
    ck_assert(module_has(result, OP_SOURCE, "debugPrintfEXT"));
    isg_glsl_result_release(result);
}
END_TEST

typedef struct log_lines {
    int count;
    char last[256];
} log_lines;

static void count_line(void *user, const char *line)
{
    log_lines *lines = user;

    lines->count++;
    (void)snprintf(lines->last, sizeof lines->last, "%s", line);
}

START_TEST(log_gets_every_error_as_a_line)
{
    log_lines lines = {0};
    isg_glsl_result *result = NULL;
    isg_glsl_desc desc = {.path = "k.comp",
                          .source = "#version 450\nvoid main() { a = 1;\nb = 2; }\n",
                          .log = count_line,
                          .log_user = &lines};

    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_COMPILE_FAILED);
    ck_assert_int_ge(lines.count, 2);
    ck_assert_int_eq(strncmp(lines.last, "k.comp:3: ", 10), 0);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    isg_glsl_result *result = (void *)1;
    isg_glsl_desc desc = {.source = plain_source};

    ck_assert_int_eq(isg_glsl_compile(NULL, &result), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(result);
    ck_assert_int_eq(isg_glsl_compile(&desc, NULL), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(isg_glsl_compile(&(isg_glsl_desc){0}, &result), ISG_ERROR_INVALID_ARGUMENT);
    desc.target = (isg_glsl_target)99;
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_INVALID_ARGUMENT);
    desc = (isg_glsl_desc){.source = plain_source, .macro_count = 1};
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_INVALID_ARGUMENT);
    desc = (isg_glsl_desc){.source = plain_source, .include_directory_count = 1};
    ck_assert_int_eq(isg_glsl_compile(&desc, &result), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(isg_glsl_compile(&(isg_glsl_desc){.path = "/no/such/file.comp"}, &result),
                     ISG_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "/no/such/file.comp"));
    isg_glsl_result_release(NULL);
}
END_TEST

static void kernel_text(char *text, size_t size, int number)
{
    (void)snprintf(text, size,
                   "#version 450\nlayout(local_size_x = %d) in;\n"
                   "layout(std430, binding = 0) buffer B { uint b[]; };\n"
                   "void main() { for (uint i = 0; i < %d; i++) b[i] += i * %du; }\n",
                   number + 1, 10 * number + 3, number);
}

typedef struct worker {
    pthread_t thread;
    int first; /* each thread starts at another kernel */
    isg_glsl_result *results[KERNELS];
} worker;

static void *compile_all(void *argument)
{
    worker *self = argument;

    for (int i = 0; i < KERNELS; i++) {
        char text[512];
        int number = (self->first + i) % KERNELS;
        kernel_text(text, sizeof text, number);
        (void)isg_glsl_compile(&(isg_glsl_desc){.source = text}, &self->results[number]);
    }
    return NULL;
}

/* The first use in this process, so the threads race for making the compiler too. */
START_TEST(many_threads_compile_what_one_does)
{
    static worker workers[THREADS];

    for (int i = 0; i < THREADS; i++) {
        workers[i].first = i % KERNELS;
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, compile_all, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    for (int number = 0; number < KERNELS; number++) {
        char text[512];
        isg_glsl_result *expected = NULL;
        kernel_text(text, sizeof text, number);
        ck_assert_int_eq(isg_glsl_compile(&(isg_glsl_desc){.source = text}, &expected), ISG_OK);
        for (int i = 0; i < THREADS; i++) {
            isg_glsl_result *result = workers[i].results[number];
            ck_assert_msg(result != NULL, "thread %d got no result for kernel %d", i, number);
            ck_assert_uint_eq(result->size, expected->size);
            ck_assert_mem_eq(result->spirv, expected->spirv, expected->size);
            isg_glsl_result_release(result);
        }
        isg_glsl_result_release(expected);
    }
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test, double timeout)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, timeout);
    tcase_add_test(tcase, test);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("glsl");
    SRunner *runner = srunner_create(suite);
    int failed;

    add(suite, "version", shader_compiles_to_the_asked_spirv_version, 30);
    add(suite, "errors", errors_name_file_and_line, 30);
    add(suite, "errors_in_include", errors_in_an_included_file_name_that_file, 30);
    add(suite, "include_order", files_are_found_beside_the_source_before_include_directories, 30);
    add(suite, "include_errors", missing_and_endless_includes_are_errors_that_say_so, 30);
    add(suite, "device_library", device_library_needs_no_files, 30);
    add(suite, "macros", macros_are_defined_and_bad_names_refused, 30);
    add(suite, "debug", debug_information_and_printf_reach_the_module, 30);
    add(suite, "log", log_gets_every_error_as_a_line, 30);
    add(suite, "arguments", bad_arguments_are_refused, 30);
    add(suite, "threads", many_threads_compile_what_one_does, 300);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
