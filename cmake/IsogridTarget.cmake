# How every C target of isogrid is compiled.

# isogrid_target(<target>): C11 without extensions, hidden symbols, strict warnings, no contraction
# of a*b+c (results are compared bit for bit), and the sanitizers that were asked for.
function(isogrid_target target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
        CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
        POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    target_compile_options(${target} PRIVATE
        -ffp-contract=off
        -Wall -Wextra -Wpedantic -Wconversion -Wshadow
        $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes$<SEMICOLON>-Wmissing-prototypes>
        $<$<BOOL:${ISOGRID_WARNINGS_AS_ERRORS}>:-Werror>)
    if(ISOGRID_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${ISOGRID_SANITIZE}
            -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PRIVATE -fsanitize=${ISOGRID_SANITIZE})
    endif()
    if(ISOGRID_FUZZ)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
        target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    if(ISOGRID_COVERAGE)
        target_compile_options(${target} PRIVATE --coverage)
        target_link_options(${target} PRIVATE --coverage)
    endif()
endfunction()

# isogrid_keep_drivers_loaded(<target>): under sanitizers, a program that leaves drivers mapped.
function(isogrid_keep_drivers_loaded target)
    if(ISOGRID_SANITIZE)
        target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/sanitizers/keep_loaded.c")
        target_link_options(${target} PRIVATE -Wl,--export-dynamic-symbol=dlclose)
    endif()
endfunction()

# isogrid_glob(<variable> <folder>...): the C files of the folders, taken in again by every build.
function(isogrid_glob variable)
    set(sources)
    foreach(folder IN LISTS ARGN)
        file(GLOB found CONFIGURE_DEPENDS "${folder}/*.c")
        list(APPEND sources ${found})
    endforeach()
    set(${variable} "${sources}" PARENT_SCOPE)
endfunction()
