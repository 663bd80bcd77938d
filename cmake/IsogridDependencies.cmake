# Finds what isogrid is built with, and says which package to install where something is missing.

# isogrid_need(<what> <package> <variable>...): stops unless every variable holds something.
function(isogrid_need what package)
    foreach(variable IN LISTS ARGN)
        if(NOT ${variable})
            message(FATAL_ERROR "isogrid: ${what} not found; install the package '${package}' "
                                "(Debian), or set ${variable}")
        endif()
    endforeach()
endfunction()

find_package(Threads REQUIRED)

# Vulkan: headers alone. The loader is opened at run time, never linked.
find_path(ISOGRID_VULKAN_INCLUDE_DIR vulkan/vulkan_core.h)
find_path(ISOGRID_VOLK_INCLUDE_DIR volk.c)
find_path(ISOGRID_SPIRV_INCLUDE_DIR spirv/unified1/spirv.h)
isogrid_need("the Vulkan headers" libvulkan-dev ISOGRID_VULKAN_INCLUDE_DIR)
isogrid_need("volk" libvulkan-volk-dev ISOGRID_VOLK_INCLUDE_DIR)
isogrid_need("the SPIR-V headers" spirv-headers ISOGRID_SPIRV_INCLUDE_DIR)
set(ISOGRID_VULKAN_INCLUDE_DIRS "${ISOGRID_VULKAN_INCLUDE_DIR}" "${ISOGRID_VOLK_INCLUDE_DIR}")
set(ISOGRID_SPIRV_INCLUDE_DIRS "${ISOGRID_SPIRV_INCLUDE_DIR}")
if(NOT CMAKE_OBJCOPY)
    message(FATAL_ERROR "isogrid: objcopy not found; install the package 'binutils' (Debian)")
endif()

# shaderc: the glsl component.
set(ISOGRID_HAVE_SHADERC FALSE)
if(NOT ISOGRID_GLSL STREQUAL "OFF")
    list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
    find_package(IsogridShaderc MODULE QUIET)
    if(IsogridShaderc_FOUND)
        set(ISOGRID_HAVE_SHADERC TRUE)
    elseif(ISOGRID_GLSL STREQUAL "ON")
        message(FATAL_ERROR "isogrid: the glsl component needs shaderc; install the packages "
                            "'libshaderc-dev glslang-dev spirv-tools' (Debian). "
                            "Missing: ${IsogridShaderc_MISSING}")
    else()
        message(STATUS "isogrid: no glsl component, missing: ${IsogridShaderc_MISSING}")
    endif()
endif()

# isogrid_find_library(<target> <header> <name>...): an imported target for a plain C library; with
# ISOGRID_STATIC_TOOLS only archives count. ISOGRID_MISSING collects packages that are not there.
set(ISOGRID_MISSING "")
function(isogrid_find_library target package header)
    if(ISOGRID_STATIC_TOOLS)
        set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
    endif()
    string(MAKE_C_IDENTIFIER "ISOGRID_${target}" variable)
    string(TOUPPER "${variable}" variable)
    set(libraries "")
    foreach(name IN LISTS ARGN)
        string(MAKE_C_IDENTIFIER "${variable}_${name}_LIBRARY" library)
        string(TOUPPER "${library}" library)
        find_library(${library} ${name})
        mark_as_advanced(${library})
        list(APPEND libraries "${${library}}")
        if(NOT ${library})
            set(missing TRUE)
        endif()
    endforeach()
    find_path(${variable}_INCLUDE_DIR ${header})
    mark_as_advanced(${variable}_INCLUDE_DIR)
    if(missing OR NOT ${variable}_INCLUDE_DIR)
        list(APPEND ISOGRID_MISSING ${package})
        set(ISOGRID_MISSING "${ISOGRID_MISSING}" PARENT_SCOPE)
        return()
    endif()
    add_library(isogrid_dep_${target} INTERFACE)
    target_include_directories(isogrid_dep_${target} SYSTEM INTERFACE "${${variable}_INCLUDE_DIR}")
    target_link_libraries(isogrid_dep_${target} INTERFACE ${libraries})
endfunction()

if(ISOGRID_BUILD_TOOLS OR ISOGRID_BUILD_TESTS)
    isogrid_find_library(check check check.h check_pic subunit)
    isogrid_find_library(popt libpopt-dev popt.h popt)
    isogrid_find_library(jansson libjansson-dev jansson.h jansson)
    isogrid_find_library(spirv_tools spirv-tools spirv-tools/libspirv.h SPIRV-Tools)
    find_path(ISOGRID_XXHASH_INCLUDE_DIR xxhash.h)
    if(NOT ISOGRID_XXHASH_INCLUDE_DIR)
        list(APPEND ISOGRID_MISSING libxxhash-dev)
    endif()
    if(ISOGRID_MISSING)
        list(JOIN ISOGRID_MISSING " " packages)
        message(FATAL_ERROR "isogrid: the tools and tests need more packages (Debian names): "
                            "${packages}. Install them, or configure with "
                            "-DISOGRID_BUILD_TOOLS=OFF -DISOGRID_BUILD_TESTS=OFF")
    endif()
    target_link_libraries(isogrid_dep_check INTERFACE rt m Threads::Threads)
    target_link_libraries(isogrid_dep_spirv_tools INTERFACE
        $<$<NOT:$<LINK_LANGUAGE:CXX>>:stdc++> m)
endif()
