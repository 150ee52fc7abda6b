# Install rules, manual pages and completions generated from the command table, and the Debian
# package.
set(generated ${CMAKE_BINARY_DIR}/manuals)
add_custom_command(OUTPUT ${generated}/bash/tare COMMAND tare --write-manuals ${generated} DEPENDS tare
                   COMMENT "Writing manual pages and completions" VERBATIM)
add_custom_target(manuals ALL DEPENDS ${generated}/bash/tare)

install(TARGETS tare RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${generated}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES docs/tare-cc.1 docs/tare-c++.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${generated}/bash/tare DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${generated}/zsh/_tare DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(DIRECTORY data/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/tare FILES_MATCHING PATTERN "*.json")
install(DIRECTORY data/processors DESTINATION ${CMAKE_INSTALL_DATADIR}/tare FILES_MATCHING PATTERN "*.toml")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/commands docs/methods docs/formats DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The tare developers <tare@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "valgrind, qemu-user, clang-19")
include(CPack)
