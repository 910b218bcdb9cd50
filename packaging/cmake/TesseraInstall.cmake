# What `cmake --install` puts where. The program finds its modules and samples relative to itself, so any prefix works.
include(GNUInstallDirs)

if(TARGET tessera)
    install(TARGETS tessera RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY "${TESSERA_SAMPLES_DIR}" DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera)

foreach(size 16 22 24 32 48 64 128 256)
    install(FILES assets/icons/tessera-${size}.png RENAME tessera.png
        DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps)
endforeach()
install(FILES assets/icons/tessera.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
if(TESSERA_HAS_UI)
    install(FILES packaging/desktop/tessera.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES packaging/desktop/tessera.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo
        RENAME io.github.tessera.tessera.metainfo.xml)
endif()

install(FILES packaging/completions/tessera.bash RENAME tessera
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES packaging/completions/_tessera DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES packaging/completions/tessera.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Debian wants manuals and changelogs compressed, without a time stamp.
function(tessera_install_compressed source name destination)
    set(packed "${CMAKE_BINARY_DIR}/compressed/${name}.gz")
    add_custom_command(OUTPUT "${packed}"
        COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_BINARY_DIR}/compressed"
        COMMAND gzip -9nc "${CMAKE_SOURCE_DIR}/${source}" > "${packed}"
        DEPENDS "${CMAKE_SOURCE_DIR}/${source}" VERBATIM)
    add_custom_target(tessera_compressed_${name} ALL DEPENDS "${packed}")
    install(FILES "${packed}" DESTINATION ${destination})
endfunction()
tessera_install_compressed(packaging/man/tessera.1 tessera.1 ${CMAKE_INSTALL_MANDIR}/man1)
tessera_install_compressed(packaging/debian/changelog changelog ${CMAKE_INSTALL_DATADIR}/doc/tessera)
install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tessera)

# The program with what it loads and shows, without tests.
add_custom_target(tessera_program)
foreach(part tessera tessera-window tessera_opencv_codecs tessera_sample_pictures)
    if(TARGET ${part})
        add_dependencies(tessera_program ${part})
    endif()
endforeach()
