# Compiles GLSL kernels to SPIR-V while building and embeds them as C arrays.

find_program(ISOGRID_GLSLC glslc DOC "shaderc's command-line compiler")
set(ISOGRID_SHADER_DIR "${CMAKE_CURRENT_LIST_DIR}/../shaders")
get_filename_component(ISOGRID_SHADER_DIR "${ISOGRID_SHADER_DIR}" ABSOLUTE)

# isogrid_add_kernels(<target> <header> SOURCES <file.comp>... [SUFFIX <text>] [OPTIONS <flag>...])
#
# Adds each kernel to <target> as
#     extern const uint32_t isg_kernel_<stem><suffix>[];
#     extern const size_t isg_kernel_<stem><suffix>_size;   (bytes)
# declared in <header>, which <target> and whoever links it can include by that name, together with
#     extern const <name>_entry <name>[];                   (all of them, ended by a NULL name)
# where <name> is the header's stem. The .spv files lie in the folder spirv beside the header.
# Kernels are compiled at optimisation level zero: spirv-opt does not keep results bit-exact.
# OPTIONS replaces that "-O0 --target-env=vulkan1.2".
function(isogrid_add_kernels target header)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "SUFFIX" "SOURCES;OPTIONS")
    if(NOT arg_SOURCES)
        return()
    endif()
    if(NOT ISOGRID_GLSLC)
        message(FATAL_ERROR "isogrid: glslc is needed to build the kernels; install the package "
                            "'glslc' (Debian) or set ISOGRID_GLSLC to its path")
    endif()
    if(NOT arg_OPTIONS)
        set(arg_OPTIONS -O0 --target-env=vulkan1.2)
    endif()
    get_filename_component(name "${header}" NAME_WE)
    set(dir "${CMAKE_CURRENT_BINARY_DIR}/kernels")
    file(MAKE_DIRECTORY "${dir}/spirv")
    set(declarations "")
    set(rows "")
    set(generated "")
    foreach(source IN LISTS arg_SOURCES)
        get_filename_component(source "${source}" ABSOLUTE)
        get_filename_component(stem "${source}" NAME_WE)
        set(words "${dir}/${stem}${arg_SUFFIX}.inc")
        set(spirv "${dir}/spirv/${stem}${arg_SUFFIX}.spv")
        set(glslc "${ISOGRID_GLSLC}" ${arg_OPTIONS} -Werror -I "${ISOGRID_SHADER_DIR}")
        add_custom_command(
            OUTPUT "${words}" "${spirv}"
            COMMAND ${glslc} -MD -MF "${words}.d" -MT "${words}" -o "${spirv}" "${source}"
            COMMAND ${glslc} -mfmt=num -o "${words}" "${source}"
            DEPENDS "${source}"
            DEPFILE "${words}.d"
            COMMENT "Kernel ${stem}${arg_SUFFIX}"
            VERBATIM)
        string(MAKE_C_IDENTIFIER "isg_kernel_${stem}${arg_SUFFIX}" symbol)
        string(APPEND declarations "extern const uint32_t ${symbol}[];\n"
                                   "extern const size_t ${symbol}_size;\n")
        string(APPEND rows "    {\"${stem}${arg_SUFFIX}\", ${symbol}, sizeof ${symbol}},\n")
        set(file "${dir}/${stem}${arg_SUFFIX}.kernel.c")
        file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT
"#include \"${header}\"
const uint32_t ${symbol}[] = {
#include \"${stem}${arg_SUFFIX}.inc\"
};
const size_t ${symbol}_size = sizeof ${symbol};
")
        set_source_files_properties("${file}" PROPERTIES OBJECT_DEPENDS "${words}")
        string(APPEND bodies "#include \"${stem}${arg_SUFFIX}.kernel.c\"\n")
        list(APPEND generated "${words}")
    endforeach()
    file(CONFIGURE OUTPUT "${dir}/${header}" @ONLY CONTENT
"/* The SPIR-V of the kernels built into ${target}. Generated. */
#ifndef ISG_GENERATED_${name}_H
#define ISG_GENERATED_${name}_H
#include <stddef.h>
#include <stdint.h>
typedef struct ${name}_entry {
    const char *name;
    const uint32_t *words;
    size_t size;
} ${name}_entry;
extern const ${name}_entry ${name}[];
${declarations}#endif
")
    file(CONFIGURE OUTPUT "${dir}/${name}.c" @ONLY CONTENT
"#include \"${header}\"
${bodies}
const ${name}_entry ${name}[] = {
${rows}    {0},
};
")
    set_source_files_properties("${dir}/${name}.c" PROPERTIES OBJECT_DEPENDS "${generated}")
    target_sources(${target} PRIVATE "${dir}/${name}.c")
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${dir}>")
endfunction()

# isogrid_embed_text(<target> <header> <symbol> FILES <file>... BASE <folder>)
#
# Adds to <target> the text of the files as `extern const isg_embedded_file <symbol>[]`, ended by a
# NULL name; names are relative to BASE.
function(isogrid_embed_text target header symbol)
    cmake_parse_arguments(PARSE_ARGV 3 arg "" "BASE" "FILES")
    set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.c")
    set(script "${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake")
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DFILES=${arg_FILES}" "-DBASE=${arg_BASE}" "-DOUTPUT=${output}"
                "-DHEADER=${header}" "-DSYMBOL=${symbol}" -P "${script}"
        DEPENDS ${arg_FILES} "${script}"
        COMMENT "Embedding ${symbol}"
        VERBATIM)
    target_sources(${target} PRIVATE "${output}")
endfunction()
