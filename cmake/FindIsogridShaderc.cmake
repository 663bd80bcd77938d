# shaderc as one imported target, isogrid::shaderc_archives, made of static archives.
#
# libshaderc_combined.a is not combined on Debian: glslang's and SPIRV-Tools' archives must follow
# it, in this order. Elsewhere the combined archive stands alone, so only it is required.
# Sets IsogridShaderc_FOUND, IsogridShaderc_MISSING and IsogridShaderc_ARCHIVES.
set(IsogridShaderc_MISSING "")
find_path(IsogridShaderc_INCLUDE_DIR shaderc/shaderc.h)
find_library(IsogridShaderc_shaderc_LIBRARY NAMES libshaderc_combined.a)
mark_as_advanced(IsogridShaderc_INCLUDE_DIR IsogridShaderc_shaderc_LIBRARY)
if(NOT IsogridShaderc_INCLUDE_DIR)
    list(APPEND IsogridShaderc_MISSING "shaderc/shaderc.h")
endif()
if(NOT IsogridShaderc_shaderc_LIBRARY)
    list(APPEND IsogridShaderc_MISSING "libshaderc_combined.a")
endif()
set(_archives "${IsogridShaderc_shaderc_LIBRARY}")
foreach(_name IN ITEMS SPIRV glslang MachineIndependent GenericCodeGen OSDependent OGLCompiler
                       SPIRV-Tools-opt SPIRV-Tools)
    find_library(IsogridShaderc_${_name}_LIBRARY NAMES lib${_name}.a)
    mark_as_advanced(IsogridShaderc_${_name}_LIBRARY)
    if(IsogridShaderc_${_name}_LIBRARY)
        list(APPEND _archives "${IsogridShaderc_${_name}_LIBRARY}")
    endif()
endforeach()

if(NOT IsogridShaderc_MISSING AND NOT DEFINED IsogridShaderc_LINKS)
    set(_dir "${CMAKE_BINARY_DIR}/CMakeFiles/isogrid-shaderc")
    file(WRITE "${_dir}/probe.c" "#include <shaderc/shaderc.h>\n"
        "int main(void) { shaderc_compiler_release(shaderc_compiler_initialize()); return 0; }\n")
    try_compile(IsogridShaderc_LINKS "${_dir}" "${_dir}/probe.c"
        CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${IsogridShaderc_INCLUDE_DIR}"
        LINK_LIBRARIES ${_archives} stdc++ m pthread)
endif()
if(NOT IsogridShaderc_MISSING AND NOT IsogridShaderc_LINKS)
    list(APPEND IsogridShaderc_MISSING "glslang's and SPIRV-Tools' archives (shaderc does not link)")
endif()

if(IsogridShaderc_MISSING)
    set(IsogridShaderc_FOUND FALSE)
    list(JOIN IsogridShaderc_MISSING ", " IsogridShaderc_MISSING)
else()
    set(IsogridShaderc_FOUND TRUE)
    set(IsogridShaderc_ARCHIVES "${_archives}")
    if(NOT TARGET isogrid::shaderc_archives)
        add_library(isogrid::shaderc_archives INTERFACE IMPORTED)
        set_target_properties(isogrid::shaderc_archives PROPERTIES
            INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${IsogridShaderc_INCLUDE_DIR}"
            INTERFACE_LINK_LIBRARIES
                "${_archives};$<$<NOT:$<LINK_LANGUAGE:CXX>>:stdc++>;m;pthread")
    endif()
endif()
unset(_archives)
