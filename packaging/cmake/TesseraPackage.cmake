# `cpack --preset package` (or cpack in a build folder) makes a .deb. What it depends on is read from the built files.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "The Tessera authors")
set(CPACK_PACKAGE_CONTACT "The Tessera authors <tessera@localhost.localdomain>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "image-filter workbench for the desktop and for servers")
set(CPACK_PACKAGE_DESCRIPTION "Tessera filters pictures by convolution, in a window or from the command
line, and shows the result beside the original with its histogram and
statistics. The same filter runs through every implementation that the
machine has, each with its time and its error. An NVIDIA GPU is used where
there is one and is not needed.")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/package")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(TESSERA_HAS_UI)
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "qt6-qpa-plugins") # loaded when the program runs, so no link shows it
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core")
endif()
# Folders of a package are 755, whatever the umask of whoever builds it.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
