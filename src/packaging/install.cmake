# What `cmake --install` puts where: headers, both libraries, the CMake package, abut.pc and the Python module. Three components, as
# Debian splits a library: `runtime` is the shared object that programs load, `development` is what they are built with, `python`
# is the module.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/abut)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/abut TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.h")
install(TARGETS abut_static abut_shared EXPORT abut
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    RUNTIME COMPONENT runtime
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development)
install(EXPORT abut NAMESPACE abut:: FILE abut-targets.cmake DESTINATION ${package_dir} COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/abut-config.cmake.in abut-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(abut-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abut-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/abut-config-version.cmake
    DESTINATION ${package_dir} COMPONENT development)

# abut.pc finds its prefix from where it lies, so that an install tree can be moved.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
foreach(kind INCLUDEDIR LIBDIR)
    string(TOLOWER pc_${kind} pc_dir)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
        set(${pc_dir} "${CMAKE_INSTALL_${kind}}")
    else()
        set(${pc_dir} "\${prefix}/${CMAKE_INSTALL_${kind}}")
    endif()
endforeach()
set(pc_private_libraries "")
if(UNIX)
    set(pc_private_libraries "-lm -pthread")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/abut.pc.in abut.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/abut.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Python's own folder for modules is the same on every kind of processor.
install(FILES ${PROJECT_SOURCE_DIR}/bindings/api.json ${PROJECT_SOURCE_DIR}/bindings/python/abut/__init__.py
    ${PROJECT_SOURCE_DIR}/bindings/python/abut/_library.py ${PROJECT_SOURCE_DIR}/bindings/python/abut/_types.py
    DESTINATION lib/python3/dist-packages/abut COMPONENT python)

if(PROJECT_IS_TOP_LEVEL AND UNIX)
    include(${CMAKE_CURRENT_LIST_DIR}/deb.cmake)
endif()
