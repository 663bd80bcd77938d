# Install rules: libraries, headers, device library, the CMake package and pkg-config files.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/isogrid")
set(glsl_targets "")
if(TARGET isogrid_glsl)
    set(glsl_targets isogrid_glsl isogrid_glsl_static)
endif()

# One export file a component, so that asking for one never needs what another was built with.
function(isogrid_install_component component target)
    install(TARGETS ${target} EXPORT isogrid-${component}-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(EXPORT isogrid-${component}-targets NAMESPACE isogrid:: DESTINATION "${package_dir}"
        FILE isogrid-${component}-targets.cmake)
endfunction()
isogrid_install_component(shared isogrid_shared)
isogrid_install_component(static isogrid_static)
if(glsl_targets)
    isogrid_install_component(glsl isogrid_glsl)
    isogrid_install_component(glsl_static isogrid_glsl_static)
    install(FILES "${CMAKE_CURRENT_LIST_DIR}/FindIsogridShaderc.cmake"
        DESTINATION "${package_dir}")
endif()

file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/isogrid/*.h")
if(NOT glsl_targets)
    list(FILTER headers EXCLUDE REGEX "/glsl\\.h$")
endif()
install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/isogrid")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/shaders/isogrid"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/isogrid/shaders" FILES_MATCHING PATTERN "*.glsl")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/isogrid")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/isogrid-config.cmake.in"
    "${PROJECT_BINARY_DIR}/isogrid-config.cmake"
    INSTALL_DESTINATION "${package_dir}"
    PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/isogrid-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/isogrid-config.cmake"
    "${PROJECT_BINARY_DIR}/isogrid-config-version.cmake" DESTINATION "${package_dir}")

# pkg-config files name the prefix relative to themselves, so that it can be moved.
set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pc_prefix "/${pc_dir}" "/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_files isogrid)
if(glsl_targets)
    list(APPEND pc_files isogrid_glsl)
    set(pc_shaderc "")
    foreach(archive IN LISTS IsogridShaderc_ARCHIVES)
        get_filename_component(name "${archive}" NAME_WE)
        string(REGEX REPLACE "^lib" "" name "${name}")
        string(APPEND pc_shaderc " -l${name}")
    endforeach()
    string(APPEND pc_shaderc " -lstdc++ -lm -lpthread")
endif()
foreach(name IN LISTS pc_files)
    configure_file("${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc"
        @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${pc_dir}")
endforeach()
