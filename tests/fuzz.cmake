# libFuzzer programs: fuzz/<stem>.c is the entry fuzz.<stem>; its seeds are
# fuzz/corpus/<stem> and all kernels.
set(ISOGRID_FUZZ_SECONDS 60 CACHE STRING "How long each fuzz entry runs")

file(GLOB fuzz_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*.c")
foreach(source IN LISTS fuzz_sources)
    get_filename_component(stem "${source}" NAME_WE)
    add_executable(fuzz_${stem} "${source}")
    isogrid_target(fuzz_${stem})
    target_include_directories(fuzz_${stem} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_include_directories(fuzz_${stem} SYSTEM PRIVATE ${ISOGRID_SPIRV_INCLUDE_DIRS})
    target_link_libraries(fuzz_${stem} PRIVATE isogrid_static)
    target_link_options(fuzz_${stem} PRIVATE -fsanitize=fuzzer)
    set(seeds)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${stem}")
        list(APPEND seeds "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${stem}")
    endif()
    if(TARGET isogrid_kernel_variants)
        add_dependencies(fuzz_${stem} isogrid_kernel_variants)
        list(APPEND seeds "${CMAKE_CURRENT_BINARY_DIR}/kernels/spirv")
    endif()
    set(found "${CMAKE_CURRENT_BINARY_DIR}/fuzz/${stem}")
    file(MAKE_DIRECTORY "${found}")
    math(EXPR timeout "${ISOGRID_FUZZ_SECONDS} + 120")
    isogrid_test(fuzz.${stem} fuzz ${timeout} fuzz_${stem} -max_total_time=${ISOGRID_FUZZ_SECONDS}
        -timeout=10 -rss_limit_mb=2048 -max_len=65536 "-artifact_prefix=${found}-" "${found}"
        ${seeds})
endforeach()
