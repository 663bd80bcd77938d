# One Check program a file: tests/unit/<stem>.c is the entry unit.<stem>.
file(GLOB unit_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/unit/*.c")
foreach(source IN LISTS unit_tests)
    get_filename_component(stem "${source}" NAME_WE)
    add_executable(unit_${stem} "${source}")
    isogrid_target(unit_${stem})
    target_include_directories(unit_${stem} PRIVATE "${PROJECT_SOURCE_DIR}/src"
        "${CMAKE_CURRENT_SOURCE_DIR}" ${ISOGRID_VULKAN_INCLUDE_DIRS})
    target_include_directories(unit_${stem} SYSTEM PRIVATE ${ISOGRID_SPIRV_INCLUDE_DIRS})
    target_link_libraries(unit_${stem} PRIVATE isogrid_static isogrid_dep_check
        isogrid_dep_jansson isogrid_dep_spirv_tools)
    if(ISOGRID_HAVE_SHADERC AND TARGET isogrid_glsl_static)
        target_link_libraries(unit_${stem} PRIVATE isogrid_glsl_static)
        target_compile_definitions(unit_${stem} PRIVATE ISG_HAVE_GLSL)
    endif()
    add_test(NAME unit.${stem} COMMAND unit_${stem})
    set_tests_properties(unit.${stem} PROPERTIES LABELS unit TIMEOUT 120 SKIP_RETURN_CODE 77)
endforeach()
