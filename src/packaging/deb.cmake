# `cpack -G DEB`: libabut0.1, what programs load, libabut-dev, what they are built with, and python3-abut. Wants
# CMAKE_INSTALL_PREFIX=/usr, as the preset `package` has it.
set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_PACKAGE_NAME abut)
set(CPACK_PACKAGE_VENDOR "abut")
if(NOT CPACK_PACKAGE_CONTACT)
    set(CPACK_PACKAGE_CONTACT "The abut authors <abut@example.org>") # whoever publishes packages gives an address of their own
endif()
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development python)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "collision world engine in C")
set(about "abut holds bodies with shapes, finds every pair that touches and hands\nback contact manifolds and what began and ended, step after step.\n\n")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libabut${soversion})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/triggers)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${about}This is the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libabut-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libabut${soversion} (= ${PROJECT_VERSION}), libc6-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${about}These are headers, the static library, a CMake package and a pkg-config file.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-abut)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libabut${soversion} (= ${PROJECT_VERSION}), python3, python3-numpy")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${about}This is the module for Python.")

# All carry the licence and a changelog, as Debian's packages must.
set(changelog ${CMAKE_CURRENT_BINARY_DIR}/changelog)
file(WRITE ${changelog} "abut (${PROJECT_VERSION}) unstable; urgency=low\n\n  * Version ${PROJECT_VERSION}.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000\n")
execute_process(COMMAND gzip -9nkf ${changelog})
foreach(component runtime development python)
    string(TOUPPER ${component} upper)
    set(documents ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} RENAME copyright COMPONENT ${component})
    install(FILES ${changelog}.gz DESTINATION ${documents} COMPONENT ${component} OPTIONAL)
endforeach()

include(CPack)
