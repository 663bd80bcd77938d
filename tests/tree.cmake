# Tests of what the tree and its packages look like: symbols, headers, format, consumers, README.

set(libraries $<TARGET_FILE:isogrid_shared> $<TARGET_FILE:isogrid_static>)
if(TARGET isogrid_glsl)
    list(APPEND libraries $<TARGET_FILE:isogrid_glsl> $<TARGET_FILE:isogrid_glsl_static>)
endif()
isogrid_test(symbols tree 60 "${CMAKE_CURRENT_SOURCE_DIR}/symbols.sh" ${libraries})

# Each public header alone, first in its file, in both languages.
set(header_flags -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
    -I "${CMAKE_CURRENT_SOURCE_DIR}/consumer/no_sdk" -I "${PROJECT_SOURCE_DIR}/include")
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/isogrid/*.h")
foreach(header IN LISTS public_headers)
    get_filename_component(stem "${header}" NAME_WE)
    foreach(language IN ITEMS c cpp)
        # Twice, so that the guard is tested too.
        set(file "${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.${language}")
        file(CONFIGURE OUTPUT "${file}" CONTENT
            "#include <isogrid/${stem}.h>\n#include <isogrid/${stem}.h>\nextern int isg_not_empty;\n")
    endforeach()
    isogrid_test(headers.${stem}.c11 tree 60 "${CMAKE_C_COMPILER}" -std=c11 -Wstrict-prototypes
        ${header_flags} "${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.c")
    isogrid_test(headers.${stem}.cxx17 tree 60 "${CMAKE_CXX_COMPILER}" -std=c++17
        ${header_flags} "${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.cpp")
endforeach()

# The layout is what clang-format 14 makes of it; other versions differ in details.
find_program(ISOGRID_CLANG_FORMAT NAMES clang-format-14)
mark_as_advanced(ISOGRID_CLANG_FORMAT)
if(ISOGRID_CLANG_FORMAT)
    isogrid_test(format tree 120 "${CMAKE_CURRENT_SOURCE_DIR}/format.sh"
        "${ISOGRID_CLANG_FORMAT}" "${PROJECT_SOURCE_DIR}")
endif()

if(ISOGRID_INSTALL)
    set(ways shared static cxx pkgconfig pkgconfig_static subdirectory)
    if(TARGET isogrid_glsl)
        list(APPEND ways glsl glsl_static)
    endif()
    foreach(way IN LISTS ways)
        isogrid_test(consumer.${way} tree 600 "${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.sh" ${way}
            "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}"
            "${CMAKE_CURRENT_BINARY_DIR}/consumer/${way}")
    endforeach()
endif()

# README's C example, as it stands there.
if(EXISTS "${PROJECT_SOURCE_DIR}/README.md")
    set(example "${CMAKE_CURRENT_BINARY_DIR}/readme_example.c")
    set(script "${PROJECT_SOURCE_DIR}/cmake/extract_example.cmake")
    add_custom_command(OUTPUT "${example}"
        COMMAND "${CMAKE_COMMAND}" "-DREADME=${PROJECT_SOURCE_DIR}/README.md" "-DOUTPUT=${example}"
                -P "${script}"
        DEPENDS "${PROJECT_SOURCE_DIR}/README.md" "${script}" VERBATIM)
    add_executable(readme_example "${example}")
    isogrid_target(readme_example)
    target_link_libraries(readme_example PRIVATE isogrid_static)
    if(TARGET isogrid_glsl_static)
        target_link_libraries(readme_example PRIVATE isogrid_glsl_static)
    endif()
    set_target_properties(readme_example PROPERTIES LINKER_LANGUAGE CXX)
    isogrid_test(readme.example tree 60 readme_example)
endif()

# Hosts where Vulkan's loader is missing or broken.
add_executable(list_devices consumer/consumer.c)
isogrid_target(list_devices)
target_link_libraries(list_devices PRIVATE isogrid_static)
isogrid_test(loader.empty_file tree 60 "${CMAKE_CURRENT_SOURCE_DIR}/loader/run.sh"
    $<TARGET_FILE:list_devices> empty_file "${CMAKE_CURRENT_BINARY_DIR}/loader/empty_file")
isogrid_test(loader.no_driver tree 60 "${CMAKE_CURRENT_SOURCE_DIR}/loader/run.sh"
    $<TARGET_FILE:list_devices> no_driver "${CMAKE_CURRENT_BINARY_DIR}/loader/no_driver")
foreach(stub IN ITEMS no_symbol no_entries incompatible)
    add_library(loader_stub_${stub} MODULE loader/stub.c)
    isogrid_target(loader_stub_${stub})
    set_target_properties(loader_stub_${stub} PROPERTIES C_VISIBILITY_PRESET default)
    isogrid_test(loader.${stub} tree 60 "${CMAKE_CURRENT_SOURCE_DIR}/loader/run.sh"
        $<TARGET_FILE:list_devices> stub "${CMAKE_CURRENT_BINARY_DIR}/loader/${stub}"
        $<TARGET_FILE:loader_stub_${stub}>)
endforeach()
target_compile_definitions(loader_stub_no_entries PRIVATE STUB_NO_ENTRIES)
target_compile_definitions(loader_stub_incompatible PRIVATE STUB_NO_DRIVER)

# A shaderc of the application's own beside the component's.
if(TARGET isogrid_glsl)
    add_executable(glsl_beside glsl/beside.c)
    isogrid_target(glsl_beside)
    target_link_libraries(glsl_beside PRIVATE isogrid_glsl isogrid::shaderc_archives)
    isogrid_test(glsl.beside tree 120 glsl_beside)
endif()
