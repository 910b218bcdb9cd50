# tessera_embed_text(TARGET SYMBOL FILE): compiles a text file into TARGET as `extern const std::string_view SYMBOL` of
# namespace tessera, so that the program needs no data folder and the headless build no Qt resources. The same file
# is the script that writes the C++ when the build runs.
if(CMAKE_SCRIPT_MODE_FILE)
    file(READ "${INPUT}" text)
    string(FIND "${text}" ")embedded\"" clash)
    if(NOT clash EQUAL -1)
        message(FATAL_ERROR "${INPUT} holds the text that would end its C++ literal")
    endif()
    file(WRITE "${OUTPUT}" "#include <string_view>\n\nnamespace tessera {\n"
        "extern const std::string_view ${SYMBOL};\nconst std::string_view ${SYMBOL} = R\"embedded(${text})embedded\";\n}\n")
    return()
endif()

set(TESSERA_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(tessera_embed_text target symbol file)
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp")
    add_custom_command(OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DINPUT=${file}" "-DOUTPUT=${output}" "-DSYMBOL=${symbol}" -P "${TESSERA_EMBED_SCRIPT}"
        DEPENDS "${file}" "${TESSERA_EMBED_SCRIPT}" VERBATIM)
    target_sources(${target} PRIVATE "${output}")
endfunction()
